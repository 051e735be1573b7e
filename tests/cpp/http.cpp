// HTTP without the socket in C++: exchanges, their headers, and who may go on.
#include "support/check.hpp"

#include <mcplite_http.hpp>

using std::string_view_literals::operator""sv;

namespace {

const auto meta = R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
                  R"("io.modelcontextprotocol/clientCapabilities":{}})"sv;

mcp::exchange post(mcp::http &http, std::string_view tool, std::string_view token = {})
{
    auto exchange = http.open("POST", "/mcp");
    exchange.header("Host", "localhost");
    exchange.header("Content-Type", "application/json");
    exchange.header("MCP-Protocol-Version", "2026-07-28");
    exchange.header("Mcp-Method", "tools/call");
    exchange.header("Mcp-Name", tool);
    if (!token.empty()) exchange.header("Authorization", token);
    exchange.set_context(std::string("context"));
    exchange.body(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":")");
    exchange.body(tool);
    exchange.body("\",");
    exchange.body(meta);
    exchange.body("}}");
    CHECK_STATUS(exchange.end(), MCP_OK);
    return exchange;
}

void requests_are_answered()
{
    mcp::server server("http", "1.0");
    CHECK_STATUS(server.register_tool("who", nullptr, nullptr, [](mcp::call &call) {
        return call.reply_text(std::string(call.header("Mcp-Name").value_or("")) + " " +
                               *call.context<std::string>());
    }), MCP_OK);
    mcp::http http(server, "/mcp");
    CHECK(bool(http));
    auto exchange = post(http, "who");
    CHECK(exchange.http_status() == 200);
    CHECK(!exchange.is_stream());
    std::string type;
    exchange.response_headers([&](std::string_view name, std::string_view value) {
        if (name == "Content-Type") type = value;
    });
    CHECK(type == "application/json");
    const auto body = exchange.poll();
    CHECK(body && body->find("who context") != body->npos);
    CHECK(exchange.finished());
}

void the_host_decides_who_may_go_on()
{
    mcp::server server("http", "1.0");
    CHECK_STATUS(server.register_tool("who", nullptr, nullptr, [](mcp::call &call) {
        return call.reply_text(std::string(call.info(MCP_INFO_PRINCIPAL).value_or("nobody")));
    }), MCP_OK);
    mcp::http http(server, "/mcp");
    CHECK_STATUS(http.set_authorize([](mcp::http_request &request) {
        const auto token = request.header("authorization");
        if (!token) return 401;
        request.set_challenge("scope=\"all\"");
        if (*token != "Bearer ann") return 403;
        request.set_principal("ann");
        return 0;
    }), MCP_OK);
    CHECK(post(http, "who").http_status() == 401);
    CHECK(post(http, "who", "Bearer bob").http_status() == 403);
    auto exchange = post(http, "who", "Bearer ann");
    CHECK(exchange.request_header("AUTHORIZATION") == "Bearer ann");
    const auto body = exchange.poll();
    CHECK(body && body->find("\"ann\"") != body->npos);
    CHECK_STATUS(http.set_authorize(nullptr), MCP_OK);
    CHECK(post(http, "who").http_status() == 200);
}

void servers_are_mounted_and_options_set()
{
    mcp::server first("first", "1.0");
    mcp::server second("second", "1.0");
    mcp::http http(first, "/mcp");
    CHECK_STATUS(http.mount("/mcp/second", second), MCP_OK);
    CHECK_STATUS(http.mount("/mcp/second", second), MCP_E_EXISTS);
    CHECK_STATUS(http.unmount("/mcp/second"), MCP_OK);
    CHECK_STATUS(http.set(MCP_HTTP_MAX_BODY, 10), MCP_OK);
    CHECK_STATUS(http.set(MCP_HTTP_ALLOW_HOST, "localhost"), MCP_OK);
    CHECK(post(http, "who").http_status() == 413);
    CHECK(!bool(mcp::http(first, "mcp")));
}

void a_client_that_is_gone_cancels()
{
    mcp::server server("http", "1.0");
    mcp::held_call held(nullptr);
    CHECK_STATUS(server.register_tool("hold", nullptr, nullptr, [&](mcp::call &call) {
        held = call.retain();
        CHECK_STATUS(call.close_stream(), MCP_E_STATE);
    }), MCP_OK);
    mcp::http http(server, "/mcp");
    int woken = 0;
    {
        auto exchange = post(http, "hold");
        CHECK_STATUS(exchange.set_wake([&woken] { woken++; }), MCP_OK);
        CHECK(exchange.http_status() == 0 && !exchange.finished());
    }
    CHECK(held.cancelled());
    CHECK(woken == 0);
}

} // namespace

int main()
{
    requests_are_answered();
    the_host_decides_who_may_go_on();
    servers_are_mounted_and_options_set();
    a_client_that_is_gone_cancels();
    return test::report();
}
