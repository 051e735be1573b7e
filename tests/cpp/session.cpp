// Sessions, options, notifications, observation and the JSON helpers of mcplite.hpp.
#include "support/check.hpp"

#include <vector>

using std::string_view_literals::operator""sv;

namespace {

const auto ping = R"({"jsonrpc":"2.0","id":1,"method":"ping"})"sv;
const auto pong = R"({"jsonrpc":"2.0","id":1,"result":{}})"sv;

void messages_come_and_go()
{
    mcp::server server("session", "1.0");
    mcp::session session(server);
    CHECK(!session.poll());
    CHECK_STATUS(session.handle_message(ping), MCP_OK);
    CHECK(session.poll() == pong);
    CHECK(!session.poll());
    CHECK(!session.finished());
    CHECK_STATUS(session.end(), MCP_OK);
    CHECK(session.finished());
}

void bytes_come_and_go_in_pieces()
{
    mcp::server server("session", "1.0");
    mcp::session session(server);
    const std::string two = std::string(ping) + "\n" + std::string(ping) + "\n";
    size_t used = 0;
    CHECK_STATUS(session.receive(two, used), MCP_OK);
    CHECK(used == ping.size() + 1);
    CHECK_STATUS(session.receive(std::string_view(two).substr(used, 5)), MCP_OK);
    CHECK_STATUS(session.receive(std::string_view(two).substr(used + 5)), MCP_OK);

    std::string written;
    while (const auto some = session.peek()) {
        const size_t length = some->size() < 7 ? some->size() : 7;
        written += some->substr(0, length);
        CHECK_STATUS(session.consume(length), MCP_OK);
    }
    CHECK(written == std::string(pong) + "\n" + std::string(pong) + "\n");
}

void a_wake_tells_of_output_and_of_the_end()
{
    mcp::server server("session", "1.0");
    mcp::session session(server);
    int woken = 0;
    CHECK_STATUS(session.set_wake([&woken] { woken++; }), MCP_OK);
    CHECK_STATUS(session.handle_message(ping), MCP_OK);
    CHECK_STATUS(session.handle_message(ping), MCP_OK);
    CHECK(woken == 1);
    CHECK(!test::drain(session).empty());
    CHECK_STATUS(session.handle_message(ping), MCP_OK);
    CHECK(woken == 2);
    CHECK(!test::drain(session).empty());
    CHECK_STATUS(session.end(), MCP_OK);
    CHECK(woken == 3);
}

void a_context_is_what_a_call_started_with()
{
    const auto first = std::make_shared<int>(1), second = std::make_shared<int>(2);
    {
        test::client client;
        mcp::held_call held;
        client.tool("keep", [&held](mcp::call &call) { held = call.retain(); });
        CHECK_STATUS(client.session.set_context(first), MCP_OK);
        client.call("keep");
        CHECK_STATUS(client.session.set_context(second), MCP_OK);
        CHECK(first.use_count() == 2);
        CHECK(*held.context<std::shared_ptr<int>>() == first);
        held.reset();
        CHECK(first.use_count() == 1);
        client.call("keep");
        CHECK(*held.context<std::shared_ptr<int>>() == second);
    }
    CHECK(second.use_count() == 1);
}

void changes_are_told()
{
    test::client client(nullptr);
    mcp::server &server = client.server;
    CHECK_STATUS(server.set(MCP_OPT_DECLARE, MCP_DECLARE_RESOURCES), MCP_OK);
    client.shake_hands("2025-11-25");
    CHECK_STATUS(server.register_static("test://s", "s", "text/plain", "1"), MCP_OK);
    CHECK_PART(test::drain(client.session), "notifications/resources/list_changed");
    CHECK_PART(client.request("resources/subscribe", R"({"uri":"test://s"})"), R"("result")");
    CHECK_STATUS(server.notify_resource_updated("test://s"), MCP_OK);
    CHECK_PART(test::drain(client.session), "notifications/resources/updated");
    CHECK_STATUS(server.notify_list_changed(MCP_RESOURCE), MCP_OK);
    CHECK_PART(test::drain(client.session), "notifications/resources/list_changed");
    CHECK_STATUS(client.session.notify("notifications/test", R"({"n":1})"), MCP_OK);
    CHECK_PART(test::drain(client.session),
               R"({"jsonrpc":"2.0","method":"notifications/test","params":{"n":1}})");
    CHECK_STATUS(client.session.notify("notifications/test"), MCP_OK);
    CHECK_PART(test::drain(client.session), R"({"jsonrpc":"2.0","method":"notifications/test"})");

    client.tool("pay", [](mcp::call &call) {
        call.set_error_data(R"({"elicitations":[{"mode":"url","elicitationId":"e1",)"
                            R"("url":"https://example.com/pay","message":"Please pay."}]})");
        return call.fail(MCP_KIND_URL_ELICITATION_REQUIRED, "pay first");
    });
    CHECK_PART(client.call("pay"), "-32042");
    CHECK_STATUS(server.notify_elicitation_complete("e2"), MCP_E_NOT_FOUND);
    CHECK_STATUS(server.notify_elicitation_complete("e1"), MCP_OK);
    CHECK_PART(test::drain(client.session), R"("elicitationId":"e1")");
}

void options_are_numbers_or_texts()
{
    test::client client(nullptr);
    CHECK_STATUS(client.server.set(MCP_OPT_INSTRUCTIONS, "Call me."), MCP_OK);
    CHECK_STATUS(client.server.set(MCP_OPT_TITLE, std::string("The Title")), MCP_OK);
    CHECK_STATUS(client.server.set(MCP_OPT_DESCRIPTION, nullptr), MCP_OK);
    CHECK_STATUS(client.server.set(MCP_LIMIT_MESSAGE_BYTES, 4096), MCP_OK);
    CHECK_STATUS(client.server.set(9999, 0), MCP_E_UNSUPPORTED);
    const std::string hello = client.request("initialize",
        R"({"protocolVersion":"2025-06-18","capabilities":{},)"
        R"("clientInfo":{"name":"test","version":"1"}})");
    CHECK_PART(hello, R"("instructions":"Call me.")");
    CHECK_PART(hello, R"("title":"The Title")");
    CHECK(client.server.memory_used() > 0);
    CHECK_STATUS(client.server.shutdown(), MCP_OK);
}

void errors_can_be_given_other_codes_and_words()
{
    test::client client;
    CHECK_STATUS(client.server.set_error(MCP_KIND_UNKNOWN_METHOD, -7), MCP_OK);
    CHECK_PART(client.request("test/unknown"), R"("code":-7)");

    int seen = 0;
    CHECK_STATUS(client.server.set_error_hook([&seen](mcp::failure &failure) {
        seen++;
        CHECK(failure.kind() == MCP_KIND_UNKNOWN_METHOD);
        CHECK(failure.code() == -7);
        CHECK(failure.info(MCP_INFO_METHOD) == "test/unknown"sv);
        CHECK(failure.info(MCP_INFO_MESSAGE) && !failure.info(MCP_INFO_DATA));
        CHECK_STATUS(failure.set_code(-8), MCP_OK);
        CHECK_STATUS(failure.set_message("other"), MCP_OK);
        CHECK_STATUS(failure.set_data("[1]"), MCP_OK);
    }), MCP_OK);
    CHECK_PART(client.request("test/unknown"),
               R"("error":{"code":-8,"message":"other","data":[1]})");
    CHECK(seen == 1);
}

void an_observer_sees_what_happens()
{
    struct entry {
        int32_t kind, outcome, code;
        std::string method, name, id;
        bool timed;
    };
    std::vector<entry> events;
    const std::string trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    std::string diagnostic, traceparent;
    {
        test::client client;
        client.tool("silent", [](mcp::call &) {});
        CHECK_STATUS(client.server.set_observer([&](const mcp::event &event) {
            if (event.kind() == MCP_EVENT_DIAGNOSTIC) diagnostic = event.text();
            if (event.kind() == MCP_EVENT_TOOL) traceparent = event.traceparent();
            events.push_back({event.kind(), event.outcome(), event.code(),
                              std::string(event.method()), std::string(event.name()),
                              std::string(event.id()),
                              event.time_ms() >= 0 && event.duration_us() >= 0});
        }), MCP_OK);
        client.request("tools/call", R"({"name":"silent","_meta":{"traceparent":)"
                                         + mcp::json_quote(trace) + "}}");
        client.request("test/unknown");
    }
    const auto saw = [&events](int32_t kind, std::string_view method) -> const entry * {
        for (const entry &event : events)
            if (event.kind == kind && event.method == method && event.timed) return &event;
        return nullptr;
    };
    CHECK(saw(MCP_EVENT_RECEIVED, "tools/call"));
    CHECK(saw(MCP_EVENT_COMPLETED, "tools/call"));
    const entry *unknown = saw(MCP_EVENT_COMPLETED, "test/unknown");
    CHECK(unknown && unknown->outcome == MCP_OUTCOME_ERROR);
    CHECK(unknown && unknown->code == -32601 && unknown->id == "3");
    bool saw_tool = false;
    for (const entry &event : events)
        saw_tool |= event.kind == MCP_EVENT_TOOL && event.name == "silent";
    CHECK(saw_tool);
    CHECK(saw(MCP_EVENT_CLOSED, ""));
    CHECK(!diagnostic.empty());
    CHECK(traceparent == trace);
}

void json_is_read_and_quoted()
{
    const auto json = R"({"s":"a\u00e9\n","n":1.5,"i":-3,"deep":[{"k":null}]})"sv;
    CHECK(mcp::json_find(json, "/deep/0") == R"({"k":null})"sv);
    CHECK(!mcp::json_find(json, "absent"));
    CHECK(mcp::json_str(json, "s") == "a\xc3\xa9\n");
    CHECK(!mcp::json_str(json, "n"));
    CHECK(mcp::json_num(json, "n") == 1.5);
    CHECK(!mcp::json_num(json, "s"));
    CHECK(mcp::json_int(json, "i") == -3);
    CHECK(!mcp::json_int(json, "n"));
    CHECK(mcp::json_quote("a\"b\n\0"sv) == R"("a\"b\n\u0000")");
    CHECK(mcp::json_quote("") == R"("")");
    CHECK(mcp::json_quote("\xff").empty());

    // Longer than any first guess.
    const std::string controls(1000, '\1');
    std::string quoted = R"(")";
    for (size_t i = 0; i < controls.size(); i++) quoted += "\\u0001";
    quoted += R"(")";
    CHECK(mcp::json_quote(controls) == quoted);
    CHECK(mcp::json_str(R"({"s":)" + quoted + "}", "s") == controls);

    CHECK(mcp::make_response("7", 0, "{}") == R"({"jsonrpc":"2.0","id":7,"result":{}})");
    CHECK_PART(mcp::make_response("7", -1, controls).value_or(""),
               R"("error":{"code":-1,"message":)" + quoted);
    CHECK(!mcp::make_response("7", 0, "{"));
    CHECK(mcp::is_notification(R"({"jsonrpc":"2.0","method":"notifications/initialized"})"));
    CHECK(!mcp::is_notification(ping));
}

} // namespace

int main()
{
    messages_come_and_go();
    bytes_come_and_go_in_pieces();
    a_wake_tells_of_output_and_of_the_end();
    a_context_is_what_a_call_started_with();
    changes_are_told();
    options_are_numbers_or_texts();
    errors_can_be_given_other_codes_and_words();
    an_observer_sees_what_happens();
    json_is_read_and_quoted();
    return test::report();
}
