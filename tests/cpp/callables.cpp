// What becomes of callables that are given to the library, and of handles that move.
#include "support/check.hpp"

#include <functional>

using std::string_view_literals::operator""sv;

namespace {

// Each copy or move of it that lives is one more use of this.
using witness = std::shared_ptr<int>;

witness make_witness() { return std::make_shared<int>(0); }

const char ping[] = R"({"jsonrpc":"2.0","id":1,"method":"ping"})";

std::string say_ping(mcp::session &session)
{
    CHECK_STATUS(session.handle_message(ping), MCP_OK);
    return test::drain(session);
}

void a_handler_lives_until_nobody_can_run_it()
{
    const witness seen = make_witness();
    {
        mcp::server server("callables", "1.0");
        CHECK_STATUS(server.register_tool("t", nullptr, nullptr, [seen](mcp::call &) {}), MCP_OK);
        CHECK(seen.use_count() == 2);
        CHECK_STATUS(server.register_definition(MCP_TOOL | MCP_REPLACE, R"({"name":"t"})",
                                                [seen](mcp::call &) { return "t"; }), MCP_OK);
        CHECK(seen.use_count() == 2);
        CHECK_STATUS(server.unregister(MCP_TOOL, "t"), MCP_OK);
        CHECK(seen.use_count() == 1);
        CHECK_STATUS(server.register_method("test/m", [seen](mcp::call &) {}), MCP_OK);
        CHECK(seen.use_count() == 2);
    }
    CHECK(seen.use_count() == 1);
}

void a_refused_registration_destroys_its_callable_once()
{
    const witness seen = make_witness();
    const auto handler = [seen](mcp::call &) {};
    mcp::server server("callables", "1.0");
    CHECK(server.register_tool("", nullptr, nullptr, handler) < 0);
    CHECK(server.register_tool("t", nullptr, "{", handler) < 0);
    CHECK(server.register_resource("", "r", nullptr, handler) < 0);
    CHECK(server.register_template("test://{", "r", nullptr, handler) < 0);
    CHECK(server.register_prompt("p", nullptr, "{", handler) < 0);
    CHECK(server.register_completion(MCP_TOOL, "t", "a", handler) < 0);
    CHECK(server.register_method("", handler) < 0);
    CHECK(server.register_definition(MCP_TOOL, "{}", handler) < 0);
    CHECK(seen.use_count() == 2);

    // An empty server refuses everything.
    mcp::server taken = std::move(server);
    CHECK_STATUS(server.register_tool("t", nullptr, nullptr, handler), MCP_E_INVALID);
    CHECK_STATUS(server.set_wake([seen] {}), MCP_E_INVALID);
    CHECK_STATUS(server.set_observer([seen](const mcp::event &) {}), MCP_E_INVALID);
    CHECK_STATUS(server.set_error_hook([seen](mcp::failure &) {}), MCP_E_INVALID);
    CHECK_STATUS(server.set_clock([seen](int32_t) -> int64_t { return 0; }), MCP_E_INVALID);
    CHECK_STATUS(server.set_entropy([seen](uint8_t *, size_t) {}), MCP_E_INVALID);
    CHECK_STATUS(server.set_seal([seen](bool, std::string_view, mcp::buffer &) {}), MCP_E_INVALID);
    mcp::session session(server);
    CHECK(!session);
    CHECK_STATUS(session.set_wake([seen] {}), MCP_E_INVALID);
    CHECK_STATUS(session.set_context(seen), MCP_E_INVALID);
    mcp::held_call call;
    CHECK_STATUS(call.on_cancel([seen] {}), MCP_E_INVALID);
    CHECK(seen.use_count() == 2);
}

void hooks_are_destroyed_when_they_are_replaced_and_at_the_end()
{
    const witness seen = make_witness();
    {
        mcp::server server("callables", "1.0");
        mcp::session session(server);
        for (int round = 0; round < 2; round++) {
            CHECK_STATUS(server.set_wake([seen] {}), MCP_OK);
            CHECK_STATUS(server.set_observer([seen](const mcp::event &) {}), MCP_OK);
            CHECK_STATUS(server.set_error_hook([seen](mcp::failure &) {}), MCP_OK);
            CHECK_STATUS(server.set_clock([seen](int32_t) -> int64_t { return 1; }), MCP_OK);
            CHECK_STATUS(server.set_entropy([seen](uint8_t *, size_t) { return MCP_OK; }), MCP_OK);
            CHECK_STATUS(server.set_seal([seen](bool, std::string_view, mcp::buffer &) {}), MCP_OK);
            CHECK_STATUS(session.set_wake([seen] {}), MCP_OK);
            CHECK_STATUS(session.set_context(seen), MCP_OK);
            CHECK(seen.use_count() == 9);
        }
        CHECK_STATUS(server.set_wake(nullptr), MCP_OK);
        CHECK_STATUS(server.set_observer(nullptr), MCP_OK);
        CHECK_STATUS(session.set_wake(nullptr), MCP_OK);
        CHECK_STATUS(session.set_context(nullptr), MCP_OK);
        CHECK(seen.use_count() == 5);
    }
    CHECK(seen.use_count() == 1);
}

// Counts what a callable cannot tell of itself.
struct move_only {
    explicit move_only(int *destroyed) : destroyed_(destroyed) {}
    move_only(move_only &&other) noexcept : destroyed_(std::exchange(other.destroyed_, nullptr)) {}
    move_only &operator=(move_only &&) = delete;
    ~move_only()
    {
        if (destroyed_) ++*destroyed_;
    }
    std::string operator()(mcp::call &call)
    {
        return std::string(*call.name()) + std::to_string(++runs_);
    }

private:
    int *destroyed_;
    int runs_ = 0;
};

std::string function(mcp::call &) { return "function"; }

void any_callable_will_do()
{
    int destroyed = 0;
    {
        test::client client;
        client.tool("object", move_only(&destroyed));
        client.tool("function", function);
        client.tool("pointer", &function);
        client.tool("std", std::function<std::string(mcp::call &)>(function));
        auto owned = std::make_unique<std::string>("owned");
        client.tool("lambda", [text = std::move(owned)](mcp::call &) -> const std::string & {
            return *text;
        });
        move_only here(nullptr);
        client.tool("reference", std::ref(here));
        mcp::handler prepared = [](mcp::call &) { return "prepared"sv; };
        client.tool("prepared", std::move(prepared));

        CHECK_PART(client.call("object"), R"("text":"object1")");
        CHECK_PART(client.call("object"), R"("text":"object2")");
        CHECK_PART(client.call("function"), R"("text":"function")");
        CHECK_PART(client.call("pointer"), R"("text":"function")");
        CHECK_PART(client.call("std"), R"("text":"function")");
        CHECK_PART(client.call("lambda"), R"("text":"owned")");
        CHECK_PART(client.call("reference"), R"("text":"reference1")");
        CHECK_PART(client.call("prepared"), R"("text":"prepared")");
        CHECK(destroyed == 0);
    }
    CHECK(destroyed == 1);
}

void a_callable_that_is_not_given_away_destroys_itself()
{
    const witness seen = make_witness();
    {
        mcp::handler first = [seen](mcp::call &) {};
        CHECK(seen.use_count() == 2);
        const mcp::handler second = std::move(first);
        CHECK(seen.use_count() == 2);
    }
    CHECK(seen.use_count() == 1);
}

void handles_move_and_change_hands()
{
    mcp::server first("callables", "1.0");
    mcp::server second = std::move(first);
    CHECK(!first);
    CHECK(second);
    CHECK_STATUS(first.tick(), MCP_E_INVALID);
    first = std::move(second);
    CHECK(first && !second);

    mcp::session session(first);
    mcp::session moved = std::move(session);
    CHECK(!session && moved);
    CHECK_STATUS(session.handle_message(ping), MCP_E_INVALID);
    CHECK(!session.poll());
    CHECK(session.finished());
    CHECK_PART(say_ping(moved), R"("result":{})");

    mcp::session adopted(moved.detach());
    CHECK(!moved);
    CHECK_PART(say_ping(adopted), R"("result":{})");
    const mcp::server held(first.detach());
    CHECK(!first && held);
    CHECK_PART(say_ping(adopted), R"("result":{})");
}

void a_session_outlives_its_server()
{
    auto server = std::make_unique<mcp::server>("callables", "1.0");
    mcp::session session(*server);
    CHECK_STATUS(session.handle_message(ping), MCP_OK);
    server.reset();
    CHECK_STATUS(session.handle_message(ping), MCP_E_CLOSED);
}

} // namespace

int main()
{
    a_handler_lives_until_nobody_can_run_it();
    a_refused_registration_destroys_its_callable_once();
    hooks_are_destroyed_when_they_are_replaced_and_at_the_end();
    any_callable_will_do();
    a_callable_that_is_not_given_away_destroys_itself();
    handles_move_and_change_hands();
    a_session_outlives_its_server();
    return test::report();
}
