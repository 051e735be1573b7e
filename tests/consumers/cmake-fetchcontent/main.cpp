// A program in C++ that takes calls out of the queue instead of being called.
#include <mcplite.hpp>

#include <iostream>
#include <string>

static const char call_roll[] =
    R"({"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"roll","arguments":{"sides":6},)"
    R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
    R"("io.modelcontextprotocol/clientInfo":{"name":"fetchcontent","version":"1"},)"
    R"("io.modelcontextprotocol/clientCapabilities":{}}}})";

int main()
{
    mcp::server server("fetchcontent", "1.0");
    if (server.set(MCP_OPT_DISPATCH, MCP_DISPATCH_QUEUED) != MCP_OK
        || server.register_tool("roll", "Rolls a die.", nullptr, [](mcp::call &call) {
               return "1 of " + std::to_string(call.arg_int("sides", 0));
           }) != MCP_OK) {
        return 1;
    }
    mcp::session session(server);
    if (session.handle_message(call_roll) != MCP_OK || session.poll() || server.run() != 1) {
        return 1;
    }
    const std::string answer(session.poll().value_or("no answer"));
    std::cout << answer << '\n';
    return answer.find("\"text\":\"1 of 6\"") != std::string::npos ? 0 : 1;
}
