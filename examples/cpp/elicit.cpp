// elicit: one handler that asks the user, whatever revision the client speaks. Before 2026-07-28
// the library sends elicitation/create and waits; from then on the call ends as "input required",
// and the client calls again with the answers. Either way the handler runs from the top at each
// attempt and finds the answers that are there.
//
// Build:  c++ -std=c++17 elicit.cpp $(pkg-config --cflags --libs mcplite) -o elicit
// Try:    ./elicit in an MCP client that supports elicitation; ask it to book a seat.
#include <mcplite.hpp>

#include <atomic>

namespace {

bool is_accepted(std::string_view answer)
{
    return mcp::json_str(answer, "action") == "accept";
}

mcp::status book(mcp::call &call, std::atomic<int> &next_hold)
{
    // Optional: without this, a client that cannot ask gets an error that names what it lacks.
    if (!call.can_ask("elicitation/create"))
        return call.fail("Your client cannot ask its user.");

    // What must happen once is done in the first attempt. The others learn of it through the
    // state and not through memory: they may reach another process.
    std::string hold(call.state().value_or(""));
    if (hold.empty()) {
        hold = "hold-" + std::to_string(next_hold++);
        call.set_state(hold);
    }

    // Two questions in one round: ask both, then give up the attempt once.
    const auto when = call.ask("when", "elicitation/create",
        R"({"message": "Which day?",
            "requestedSchema": {"type": "object", "required": ["date"], "properties": {
                "date": {"type": "string", "format": "date", "maxLength": 10}}}})");
    const auto which = call.ask("which", "elicitation/create",
        R"({"message": "Window or aisle?",
            "requestedSchema": {"type": "object", "required": ["seat"], "properties": {
                "seat": {"type": "string", "enum": ["window", "aisle"]}}}})");
    if (!when || !which) return MCP_PENDING;
    if (!is_accepted(*when) || !is_accepted(*which))
        return call.reply_text("Not booked: the user did not say when and where.");

    // What the user accepted fits the schema of the question, or it would be asked again.
    const std::string date = mcp::json_str(*when, "/content/date").value_or("");
    const std::string seat = mcp::json_str(*which, "/content/seat").value_or("");

    // A question that repeats an answer is a second round, and its text must be quoted: a date
    // like `"}` would change the question otherwise.
    const auto sure = call.ask("sure", "elicitation/create",
        R"({"requestedSchema": {"type": "object", "properties": {}}, "message": )"
        + mcp::json_quote("Book the " + seat + " seat for " + date + "?") + "}");
    if (!sure) return MCP_PENDING;
    if (!is_accepted(*sure)) return call.reply_text("Not booked: the user was not sure.");
    return call.reply_text("Booked " + hold + ": the " + seat + " seat for " + date + ".");
}

} // namespace

int main()
{
    std::atomic<int> next_hold = 1; // before the server: handlers that refer to it go first
    mcp::server server("elicit", "1.0");
    server.register_tool("book", "Books a seat for a day that the user chooses.", nullptr,
                         [&](mcp::call &call) { return book(call, next_hold); });
    return server.serve_stdio();
}
