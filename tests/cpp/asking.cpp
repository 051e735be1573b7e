// Asking the client through mcplite.hpp: one handler, both eras; and what seals the state between.
#include "support/check.hpp"

#include <cstring>

using std::string_view_literals::operator""sv;

namespace {

const char question[] = R"({"message":"Who?","requestedSchema":{"type":"object",)"
                        R"("properties":{"name":{"type":"string"}},"required":["name"]}})";
const char answer[] = R"({"action":"accept","content":{"name":"Ada"}})";

// Greets whom the client names. Counts the attempts that no state came to.
auto greeter(int &attempts)
{
    return [&attempts](mcp::call &call) -> mcp::status {
        if (!call.can_ask("elicitation/create")) return call.fail("cannot ask");
        CHECK(!call.can_ask("test/unknown"));
        std::string first(call.state().value_or(""));
        if (first.empty()) {
            first = std::to_string(++attempts);
            CHECK_STATUS(call.set_state(first), MCP_OK);
        }
        const auto who = call.ask("who", "elicitation/create", question);
        if (!who) return MCP_PENDING;
        CHECK(*who == answer);
        return call.reply_text(*mcp::json_str(*who, "/content/name") + " " + first);
    };
}

// The params of a call in 2026-07-28, by a client that can be asked or not.
std::string modern(std::string_view tool, std::string_view more = "",
                   std::string_view can = R"("elicitation":{})")
{
    return R"({"name":)" + mcp::json_quote(tool) + R"(,"arguments":{},)" + std::string(more)
        + R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
          R"("io.modelcontextprotocol/clientCapabilities":{)" + std::string(can) + "}}}";
}

// The params of the next attempt, after what the first one said.
std::string modern_again(std::string_view tool, std::string_view said)
{
    const auto state = mcp::json_find(said, "/result/requestState");
    CHECK(state);
    return modern(tool, R"("inputResponses":{"who":)" + std::string(answer) + R"(},"requestState":)"
                            + std::string(state.value_or("null")) + ",");
}

std::string without_newline(std::string said)
{
    if (!said.empty()) said.pop_back();
    return said;
}

void before_2026_07_28_the_library_asks()
{
    int attempts = 0;
    test::client client("2025-06-18");
    client.tool("greet", greeter(attempts));
    const std::string asked = without_newline(client.call("greet"));
    CHECK(mcp::json_str(asked, "method") == "elicitation/create");
    CHECK(mcp::json_find(asked, "/params/message") == R"("Who?")"sv);
    const std::string id(mcp::json_find(asked, "id").value_or("null"));
    const std::string said =
        client.say(R"({"jsonrpc":"2.0","id":)" + id + R"(,"result":)" + answer + "}");
    CHECK_PART(said, R"("text":"Ada 1")");
    CHECK(attempts == 1);
}

void since_2026_07_28_the_client_comes_again()
{
    int attempts = 0;
    test::client client(nullptr);
    client.tool("greet", greeter(attempts));
    const std::string asked = without_newline(client.request("tools/call", modern("greet")));
    CHECK(mcp::json_str(asked, "/result/resultType") == "input_required");
    CHECK(mcp::json_str(asked, "/result/inputRequests/who/method") == "elicitation/create");
    CHECK_PART(client.request("tools/call", modern_again("greet", asked)), R"("text":"Ada 1")");
    CHECK(attempts == 1);
    CHECK_PART(client.request("tools/call", modern("greet", "", "")), "cannot ask");
}

void a_held_call_asks_by_its_own_reply()
{
    test::client client(nullptr);
    mcp::held_call held;
    client.tool("greet", [&held](mcp::call &call) { held = call.retain(); });
    CHECK(client.request("tools/call", modern("greet")).empty());
    CHECK(!held.ask("who", "elicitation/create", question));
    CHECK_STATUS(held.reply_asked(), MCP_OK);
    const std::string asked = without_newline(test::drain(client.session));
    CHECK(client.request("tools/call", modern_again("greet", asked)).empty());
    CHECK(held.ask("who", "elicitation/create", question) == answer);
    CHECK_STATUS(held.reply_text("answered"), MCP_OK);
    CHECK_PART(test::drain(client.session), R"("text":"answered")");
}

void servers_that_share_keys_open_what_the_others_sealed()
{
    std::string keys(64, 'k');
    keys[0] = 'n';
    int attempts = 0;
    test::client first(nullptr), second(nullptr), third(nullptr);
    CHECK_STATUS(first.server.set_seal_keys(std::string_view(keys).substr(32)), MCP_OK);
    CHECK_STATUS(second.server.set_seal_keys(keys), MCP_OK);
    for (test::client *client : {&first, &second, &third})
        client->tool("greet", greeter(attempts));
    const std::string asked = without_newline(first.request("tools/call", modern("greet")));
    CHECK_PART(second.request("tools/call", modern_again("greet", asked)), R"("text":"Ada 1")");
    CHECK_PART(third.request("tools/call", modern_again("greet", asked)), R"("error")");
}

void the_host_may_seal()
{
    int attempts = 0, sealed = 0, opened = 0;
    test::client client(nullptr);
    client.tool("greet", greeter(attempts));
    const auto wax = [&](bool open, std::string_view in, mcp::buffer &out) -> mcp::status {
        if (!open) {
            sealed++;
            CHECK_STATUS(out.append("wax:"), MCP_OK);
            return out.append(in);
        }
        opened++;
        if (in.substr(0, 4) != "wax:") return MCP_E_INVALID;
        return out.append(in.substr(4));
    };
    CHECK_STATUS(client.server.set_seal(wax), MCP_OK);
    const std::string asked = without_newline(client.request("tools/call", modern("greet")));
    CHECK(sealed == 1 && opened == 0);
    CHECK_PART(client.request("tools/call", modern_again("greet", asked)), R"("text":"Ada 1")");
    CHECK(sealed == 1 && opened == 1);
    const std::string forged = modern("greet", R"("requestState":"AAAA",)");
    CHECK_PART(client.request("tools/call", forged), R"("error")");
}

void the_host_may_give_time_and_entropy()
{
    const auto ask = [](auto entropy) {
        int attempts = 0;
        test::client client(nullptr);
        client.tool("greet", greeter(attempts));
        client.server.set_seal_keys(std::string(32, 'k'));
        CHECK_STATUS(client.server.set_clock([](int32_t which) -> int64_t {
            CHECK(which == MCP_CLOCK_MONOTONIC || which == MCP_CLOCK_UNIX);
            return 1000000;
        }), MCP_OK);
        CHECK_STATUS(client.server.set_entropy(entropy), MCP_OK);
        return client.request("tools/call", modern("greet"));
    };
    const auto sevens = [](uint8_t *out, size_t length) { std::memset(out, 7, length); };
    const auto eights = [](uint8_t *out, size_t length) {
        std::memset(out, 8, length);
        return MCP_OK;
    };
    CHECK_PART(ask(sevens), R"("requestState")");
    CHECK(ask(sevens) == ask(sevens));
    CHECK(ask(sevens) != ask(eights));
    CHECK_PART(ask([](uint8_t *, size_t) { return MCP_E_STATE; }), "rror");
}

} // namespace

int main()
{
    before_2026_07_28_the_library_asks();
    since_2026_07_28_the_client_comes_again();
    a_held_call_asks_by_its_own_reply();
    servers_that_share_keys_open_what_the_others_sealed();
    the_host_may_seal();
    the_host_may_give_time_and_entropy();
    return test::report();
}
