// hello_by_hand: the tool of hello.cpp without serve_stdio(). A line is a message: read one, hand
// it in, write what came out. The transport is yours; a socket or a WebSocket looks the same.
//
// Build:  c++ -std=c++17 hello_by_hand.cpp $(pkg-config --cflags --libs mcplite) -o hello_by_hand
// Try:    echo '{"jsonrpc":"2.0","id":1,"method":"ping"}' | ./hello_by_hand
#include <mcplite.hpp>

#include <iostream>

int main()
{
    mcp::server server("hello_by_hand", "1.0");
    mcp::session session(server);
    mcp::status status = server.register_tool("greet", "Greets someone by name.",
        R"({"type": "object", "required": ["name"],
            "properties": {"name": {"type": "string", "maxLength": 40}}})",
        [](mcp::call &call) {
            return "Hello, " + std::string(call.arg_str("name").value_or("you")) + "!";
        });

    // What a client does wrong is answered on the wire, and is MCP_OK here.
    std::string line;
    while (status == MCP_OK && std::cout && std::getline(std::cin, line)) {
        status = session.handle_message(line); // runs the handler
        while (const auto message = session.poll()) std::cout << *message << '\n';
        std::cout.flush(); // the client waits for it
    }
    if (status != MCP_OK) {
        std::cerr << mcp::status_text(status) << ": " << server.last_error().text << '\n';
        return 1;
    }
    return 0;
}
