// What becomes of exceptions that leave callables: answers where a client waits, else nothing.
#include "support/check.hpp"

#include <functional>
#include <new>
#include <stdexcept>

using std::string_view_literals::operator""sv;

namespace {

struct unreadable : std::exception {
    const char *what() const noexcept override { return "not \xff UTF-8"; }
};

struct speechless : std::exception {
    const char *what() const noexcept override { return nullptr; }
};

template <class Thrown>
auto thrower(Thrown thrown)
{
    return [thrown](mcp::call &) -> mcp::status { throw thrown; };
}

void a_tool_that_throws_tells_the_model()
{
    test::client client;
    client.tool("runtime", thrower(std::runtime_error("it broke")));
    client.tool("derived", thrower(std::bad_alloc()));
    client.tool("number", thrower(7));
    client.tool("unreadable", thrower(unreadable()));
    client.tool("speechless", thrower(speechless()));
    client.tool("text", [](mcp::call &) -> std::string { throw std::runtime_error("no text"); });
    client.tool("nothing", [](mcp::call &) { throw std::runtime_error("nothing"); });
    client.tool("absent", std::function<void(mcp::call &)>());
    client.tool("value", [](mcp::call &call) {
        return std::string(call.arg_str("missing").value());
    });

    const auto failure = [](std::string_view text) {
        return R"({"content":[{"type":"text","text":)" + mcp::json_quote(text)
            + R"(}],"isError":true})";
    };
    CHECK_PART(client.call("runtime"), failure("it broke"));
    CHECK_PART(client.call("derived"), failure(std::bad_alloc().what()));
    CHECK_PART(client.call("number"), failure("the handler threw"));
    CHECK_PART(client.call("unreadable"), failure("the handler threw"));
    CHECK_PART(client.call("speechless"), failure("the handler threw"));
    CHECK_PART(client.call("text"), failure("no text"));
    CHECK_PART(client.call("nothing"), failure("nothing"));
    CHECK_PART(client.call("absent"), R"("isError":true)");
    CHECK_PART(client.call("value"), R"("isError":true)");
}

void a_tool_that_has_answered_and_throws_has_answered()
{
    test::client client;
    client.tool("late", [](mcp::call &call) {
        call.reply_text("answered");
        throw std::runtime_error("too late");
    });
    const std::string said = client.call("late");
    CHECK_PART(said, R"("text":"answered")");
    CHECK(said.find("too late") == std::string::npos);
}

void a_tool_that_keeps_its_call_and_throws_has_failed()
{
    test::client client;
    mcp::held_call held;
    client.tool("kept", [&held](mcp::call &call) {
        held = call.retain();
        throw std::runtime_error("it broke");
    });
    CHECK_PART(client.call("kept"), "it broke");
    CHECK_STATUS(held.reply_text("done"), MCP_E_ANSWERED);
}

void what_is_no_tool_and_throws_is_an_internal_error()
{
    test::client client;
    mcp::server &server = client.server;
    server.register_resource("test://r", "r", nullptr, thrower(std::runtime_error("disk")));
    server.register_prompt("p", nullptr, nullptr, thrower(std::runtime_error("disk")));
    server.register_method("test/m", thrower(std::runtime_error("disk")));
    const std::string read = client.request("resources/read", R"({"uri":"test://r"})");
    CHECK_PART(read, R"("error":{"code":-32603)");
    CHECK_PART(read, "disk");
    CHECK(read.find("ool") == std::string::npos);
    CHECK_PART(client.request("prompts/get", R"({"name":"p"})"), "disk");
    CHECK_PART(client.request("test/m", "{}"), "disk");
}

void what_hooks_throw_is_dropped()
{
    int seen = 0;
    test::client client;
    mcp::server &server = client.server;
    CHECK_STATUS(server.set_observer([&seen](const mcp::event &) { seen++; throw 1; }), MCP_OK);
    CHECK_PART(client.request("ping"), R"("result":{})");
    CHECK(std::exchange(seen, 0) > 0);
    CHECK_STATUS(server.set_observer(nullptr), MCP_OK);

    CHECK_STATUS(server.set_error_hook([&seen](mcp::failure &) { seen++; throw 2; }), MCP_OK);
    CHECK_PART(client.request("test/unknown"), R"("error":{"code":-32601)");
    CHECK(std::exchange(seen, 0) == 1);

    CHECK_STATUS(client.session.set_wake([&seen] { seen++; throw 3; }), MCP_OK);
    CHECK_PART(client.request("ping"), R"("result":{})");
    CHECK(std::exchange(seen, 0) == 1);
    CHECK_STATUS(client.session.set_wake(nullptr), MCP_OK);

    mcp::held_call held;
    client.tool("held", [&](mcp::call &call) {
        CHECK_STATUS(call.on_cancel([&seen] { seen++; throw 4; }), MCP_OK);
        held = call.retain();
    });
    client.call("held");
    client.cancel();
    CHECK(std::exchange(seen, 0) == 1);
    CHECK(held.cancelled());

    CHECK_STATUS(server.set_wake([&seen] { seen++; throw 5; }), MCP_OK);
    CHECK_STATUS(server.set(MCP_OPT_DISPATCH, MCP_DISPATCH_QUEUED), MCP_OK);
    client.call("held");
    CHECK(std::exchange(seen, 0) == 1);
}

void a_clock_that_throws_reads_as_zero()
{
    test::client client;
    const auto no_time = [](int32_t) -> int64_t { throw std::runtime_error("no time"); };
    CHECK_STATUS(client.server.set_clock(no_time), MCP_OK);
    CHECK_PART(client.request("ping"), R"("result":{})");
    CHECK_STATUS(client.server.tick(), MCP_OK);
}

// A seal or an entropy that throws cannot ask; the client gets an error.
void a_question_that_cannot_be_sealed_is_an_error()
{
    const char modern[] = R"({"name":"ask","arguments":{},"_meta":{)"
        R"("io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
        R"("io.modelcontextprotocol/clientCapabilities":{"roots":{}}}})";
    const auto ask = [](mcp::call &call) -> mcp::status {
        return call.ask("where", "roots/list") ? call.reply_text("asked") : MCP_PENDING;
    };
    int ran = 0;
    test::client sealed(nullptr);
    sealed.server.register_tool("ask", nullptr, nullptr, ask);
    sealed.server.set_seal([&ran](bool, std::string_view, mcp::buffer &) { ran++; throw 1; });
    CHECK_PART(sealed.request("tools/call", modern), "rror");
    CHECK(ran == 1);
    test::client random(nullptr);
    random.server.register_tool("ask", nullptr, nullptr, ask);
    random.server.set_entropy([&ran](uint8_t *, size_t) { ran++; throw 1; });
    CHECK_PART(random.request("tools/call", modern), "rror");
    CHECK(ran >= 2);
}

struct throws_at_the_end {
    explicit throws_at_the_end(int *destroyed) : destroyed_(destroyed) {}
    throws_at_the_end(throws_at_the_end &&other) noexcept
        : destroyed_(std::exchange(other.destroyed_, nullptr))
    {
    }
    ~throws_at_the_end() noexcept(false)
    {
        if (destroyed_ && ++*destroyed_) throw 1;
    }
    void operator()(mcp::call &) const {}

private:
    int *destroyed_;
};

void what_a_destructor_throws_is_dropped()
{
    int destroyed = 0;
    mcp::server server("test", "1.0");
    CHECK_STATUS(server.register_method("test/m", throws_at_the_end(&destroyed)), MCP_OK);
    CHECK(destroyed == 0);
    CHECK_STATUS(server.unregister(MCP_METHOD, "test/m"), MCP_OK);
    CHECK(destroyed == 1);
}

struct throws_when_moved {
    explicit throws_when_moved(std::shared_ptr<int> seen) : seen_(std::move(seen)) {}
    throws_when_moved(const throws_when_moved &other) : seen_(other.seen_)
    {
        throw std::runtime_error("stay");
    }
    void operator()(mcp::call &) const {}

private:
    std::shared_ptr<int> seen_;
};

void what_moving_a_callable_throws_reaches_the_caller()
{
    const auto seen = std::make_shared<int>(0);
    mcp::server server("test", "1.0");
    bool caught = false;
    try {
        server.register_tool("t", nullptr, nullptr, throws_when_moved(seen));
    } catch (const std::runtime_error &error) {
        caught = error.what() == "stay"sv;
    }
    CHECK(caught);
    CHECK(seen.use_count() == 1);
    CHECK_STATUS(server.unregister(MCP_TOOL, "t"), MCP_E_NOT_FOUND);
}

} // namespace

int main()
{
    a_tool_that_throws_tells_the_model();
    a_tool_that_has_answered_and_throws_has_answered();
    a_tool_that_keeps_its_call_and_throws_has_failed();
    what_is_no_tool_and_throws_is_an_internal_error();
    what_hooks_throw_is_dropped();
    a_clock_that_throws_reads_as_zero();
    a_question_that_cannot_be_sealed_is_an_error();
    what_a_destructor_throws_is_dropped();
    what_moving_a_callable_throws_reaches_the_caller();
    return test::report();
}
