// A program in C++ whose handler is a lambda.
#include <mcplite.hpp>

#include <iostream>
#include <string>
#include <string_view>

static std::string ask(mcp::session &session, std::string_view message)
{
    if (session.handle_message(message) != MCP_OK) {
        return "refused";
    }
    return std::string(session.poll().value_or("no answer"));
}

int main()
{
    int calls = 0;
    mcp::server server("find-package", "1.0");
    const mcp::status registered =
        server.register_tool("shout", "Says it louder.", nullptr, [&calls](mcp::call &call) {
            ++calls;
            return std::string(call.arg_str("text").value_or("")) + "!";
        });
    mcp::session session(server);
    ask(session, R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{)"
                 R"("protocolVersion":"2025-11-25","capabilities":{},)"
                 R"("clientInfo":{"name":"find-package","version":"1"}}})");
    const std::string answer = ask(session, R"({"jsonrpc":"2.0","id":2,"method":"tools/call",)"
                                            R"("params":{"name":"shout","arguments":{"text":"land ahoy"}}})");
    std::cout << answer << '\n';
    const bool heard = answer.find("\"text\":\"land ahoy!\"") != std::string::npos;
    return registered == MCP_OK && calls == 1 && heard ? 0 : 1;
}
