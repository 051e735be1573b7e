// Calls that are answered after their handler, by any thread: held, cancelled, queued, taken, late.
#include "support/check.hpp"

#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

using std::string_view_literals::operator""sv;

namespace {

// A client with a tool that keeps its call here.
struct keeper : test::client {
    keeper()
    {
        tool("keep", [this](mcp::call &call) { held = call.retain(); });
    }

    mcp::held_call held;
};

void a_held_call_is_answered_after_its_handler()
{
    keeper client;
    CHECK(client.call("keep", R"({"text":"kept"})").empty());
    CHECK(client.session.open_calls() == 1);
    const auto text = client.held.arg_str("text");
    CHECK(text == "kept"sv);
    CHECK_STATUS(client.held.reply_text("later"), MCP_OK);
    CHECK(text == "kept"sv);
    CHECK_STATUS(client.held.reply_text("again"), MCP_E_ANSWERED);
    CHECK(client.session.open_calls() == 0);
    CHECK_PART(test::drain(client.session), R"("text":"later")");
}

void held_calls_move()
{
    keeper client;
    client.call("keep");
    mcp::held_call moved = std::move(client.held);
    CHECK(moved && !client.held);
    CHECK_STATUS(client.held.reply_text("nobody"), MCP_E_INVALID);
    CHECK(!client.held.arg_str("text"));
    CHECK(!client.held.retain());
    mcp::held_call &same = moved;
    moved = std::move(same);
    CHECK(moved);
    mcp::held_call second = moved.retain();
    moved.reset();
    CHECK(!moved);
    CHECK(test::drain(client.session).empty());
    mcp::held_call adopted(second.detach());
    CHECK(!second && adopted);
    CHECK_STATUS(adopted.reply_text("moved"), MCP_OK);
    CHECK_PART(test::drain(client.session), R"("text":"moved")");
}

void the_last_handle_that_goes_without_an_answer_makes_an_error()
{
    keeper client;
    client.call("keep");
    client.held.reset();
    CHECK_PART(test::drain(client.session), "rror");
    client.call("keep");
    client.held = {};
    CHECK_PART(test::drain(client.session), "rror");
}

void a_thread_answers_with_progress_and_logs()
{
    keeper client;
    CHECK_PART(client.request("logging/setLevel", R"({"level":"info"})"), R"("result")");
    client.request("tools/call", R"({"name":"keep","arguments":{},"_meta":{"progressToken":"p"}})");
    std::thread([call = std::move(client.held)]() mutable {
        CHECK_STATUS(call.progress(1), MCP_OK);
        CHECK_STATUS(call.progress(2, 4, "half"), MCP_OK);
        CHECK_STATUS(call.log(MCP_LOG_DEBUG, "unheard"), MCP_OK);
        CHECK_STATUS(call.log(MCP_LOG_WARNING, "plain", "logger"), MCP_OK);
        CHECK_STATUS(call.log(MCP_LOG_INFO | MCP_LOG_JSON, R"({"n":1})"), MCP_OK);
        CHECK_STATUS(call.reply_text("threaded"), MCP_OK);
    }).join();
    const std::string said = test::drain(client.session);
    CHECK_PART(said, R"({"progressToken":"p","progress":1})");
    CHECK_PART(said, R"("progress":2,"total":4,"message":"half")");
    CHECK_PART(said, R"("level":"warning","logger":"logger","data":"plain")");
    CHECK_PART(said, R"("level":"info","data":{"n":1})");
    CHECK(said.find("unheard") == std::string::npos);
    CHECK_PART(said, R"("text":"threaded")");
}

void a_cancelled_call_says_so_once()
{
    keeper client;
    int cancelled = 0, replaced = 0;
    const auto seen = std::make_shared<int>(0);
    client.call("keep");
    CHECK_STATUS(client.held.on_cancel([&replaced, seen] { replaced++; }), MCP_OK);
    CHECK(seen.use_count() == 2);
    CHECK_STATUS(client.held.on_cancel([&cancelled, seen] { cancelled++; }), MCP_OK);
    CHECK(seen.use_count() == 2);
    CHECK(!client.held.cancelled());
    client.cancel();
    CHECK(client.held.cancelled());
    CHECK(cancelled == 1 && replaced == 0);
    CHECK_STATUS(client.held.reply_text("late"), MCP_E_CANCELLED);
    CHECK_STATUS(client.held.on_cancel([&cancelled, seen] { cancelled++; }), MCP_OK);
    CHECK(cancelled == 2);
    client.held.reset();
    CHECK(seen.use_count() == 1);
    CHECK(test::drain(client.session).empty());
}

void queued_handlers_run_where_the_host_says()
{
    test::client client;
    int woken = 0;
    std::thread::id ran_on;
    CHECK_STATUS(client.server.set(MCP_OPT_DISPATCH, MCP_DISPATCH_QUEUED), MCP_OK);
    CHECK_STATUS(client.server.set_wake([&woken] { woken++; }), MCP_OK);
    client.tool("where", [&ran_on](mcp::call &) {
        ran_on = std::this_thread::get_id();
        return "here";
    });
    CHECK(client.call("where").empty());
    CHECK(client.call("where").empty());
    CHECK(woken >= 1);
    CHECK(ran_on == std::thread::id());
    CHECK(client.server.run(1) == 1);
    CHECK(ran_on == std::this_thread::get_id());
    std::thread([&client] { CHECK(client.server.run() == 1); }).join();
    CHECK(ran_on != std::this_thread::get_id());
    CHECK(client.server.run() == 0);
    CHECK_PART(test::drain(client.session), R"("text":"here")");
}

void calls_without_a_handler_are_taken()
{
    test::client client;
    client.tool("taken", nullptr);
    CHECK(!client.server.next_call());
    CHECK(client.call("taken").empty());
    mcp::held_call call = client.server.next_call();
    CHECK(call);
    CHECK(call.name() == "taken"sv);
    CHECK(!client.server.next_call());
    CHECK_STATUS(call.reply_text("taken"), MCP_OK);
    CHECK_PART(test::drain(client.session), R"("text":"taken")");
}

void a_deadline_passes_by_the_hosts_clock()
{
    int64_t now_ms = 1000;
    keeper client;
    CHECK_STATUS(client.server.set_clock([&now_ms](int32_t) { return now_ms * 1000; }), MCP_OK);
    CHECK(client.server.timeout() == -1);
    CHECK_STATUS(client.server.set_item(MCP_TOOL, "keep", MCP_ITEM_DEADLINE_MS, 50), MCP_OK);
    client.call("keep");
    CHECK(client.server.timeout() == 50);
    CHECK_STATUS(client.held.set_deadline(80), MCP_OK);
    CHECK(client.server.timeout() == 80);
    now_ms += 79;
    CHECK_STATUS(client.server.tick(), MCP_OK);
    CHECK(!client.held.cancelled());
    now_ms += 1;
    CHECK_STATUS(client.server.tick(), MCP_OK);
    CHECK(client.held.cancelled());
    CHECK_PART(test::drain(client.session), "rror");
    CHECK_STATUS(client.held.reply_text("late"), MCP_E_CANCELLED);
}

// Workers answer while the client goes on asking; the wake drains, and says when all is done.
void workers_answer_everything_and_the_session_finishes()
{
    constexpr int calls = 50;
    const auto numbered = [](int n) { return R"({"n":)" + std::to_string(n) + "}"; };
    std::mutex mutex;
    std::condition_variable changed;
    std::vector<mcp::held_call> waiting;
    bool closed = false;
    std::string said;

    mcp::server server("later", "1.0");
    mcp::session session(server);
    server.register_method("test/work", [&](mcp::call &call) {
        const std::lock_guard lock(mutex);
        waiting.push_back(call.retain());
        changed.notify_all();
    });
    CHECK_STATUS(session.set_wake([&] {
        const std::string some = test::drain(session);
        const std::lock_guard lock(mutex);
        said += some;
        changed.notify_all();
    }), MCP_OK);

    std::vector<std::thread> workers;
    for (int i = 0; i < 3; i++) {
        workers.emplace_back([&] {
            for (;;) {
                mcp::held_call call;
                {
                    std::unique_lock lock(mutex);
                    changed.wait(lock, [&] { return closed || !waiting.empty(); });
                    if (waiting.empty()) return;
                    call = std::move(waiting.back());
                    waiting.pop_back();
                }
                CHECK_STATUS(call.reply_result(*call.arg_json()), MCP_OK);
            }
        });
    }
    const std::string hello = test::request(-1, "initialize",
        R"({"protocolVersion":"2025-06-18","capabilities":{},)"
        R"("clientInfo":{"name":"test","version":"1"}})");
    CHECK_STATUS(session.handle_message(hello), MCP_OK);
    for (int n = 0; n < calls; n++) {
        const std::string work = test::request(n, "test/work", numbered(n));
        CHECK_STATUS(session.handle_message(work), MCP_OK);
    }
    CHECK_STATUS(session.end(), MCP_OK);
    {
        std::unique_lock lock(mutex);
        changed.wait(lock, [&] { return session.finished(); });
        closed = true;
        changed.notify_all();
    }
    for (std::thread &worker : workers) worker.join();
    for (int n = 0; n < calls; n++)
        CHECK_PART(said, R"("id":)" + std::to_string(n) + R"(,"result":)" + numbered(n));
}

void a_held_call_outlives_session_and_server()
{
    mcp::held_call held;
    int cancelled = 0;
    {
        keeper client;
        client.call("keep", R"({"text":"kept"})");
        held = std::move(client.held);
        CHECK_STATUS(held.on_cancel([&cancelled] { cancelled++; }), MCP_OK);
    }
    CHECK(cancelled == 1);
    CHECK(held.cancelled());
    CHECK(held.arg_str("text") == "kept"sv);
    CHECK_STATUS(held.reply_text("late"), MCP_E_CANCELLED);
}

} // namespace

int main()
{
    a_held_call_is_answered_after_its_handler();
    held_calls_move();
    the_last_handle_that_goes_without_an_answer_makes_an_error();
    a_thread_answers_with_progress_and_logs();
    a_cancelled_call_says_so_once();
    queued_handlers_run_where_the_host_says();
    calls_without_a_handler_are_taken();
    a_deadline_passes_by_the_hosts_clock();
    workers_answer_everything_and_the_session_finishes();
    a_held_call_outlives_session_and_server();
    return test::report();
}
