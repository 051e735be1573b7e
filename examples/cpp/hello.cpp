// hello: one tool, served over standard input and output.
//
// Build:  c++ -std=c++17 hello.cpp $(pkg-config --cflags --libs mcplite) -o hello
// Try:    name ./hello as a server in an MCP client's settings, or pipe it a line:
//         echo '{"jsonrpc":"2.0","id":1,"method":"ping"}' | ./hello
#include <mcplite.hpp>

int main()
{
    mcp::server server("hello", "1.0");
    server.register_tool("greet", "Greets someone by name.",
        R"({"type": "object", "required": ["name"],
            "properties": {"name": {"type": "string", "maxLength": 40}}})",
        [](mcp::call &call) {
            return "Hello, " + std::string(call.arg_str("name").value_or("you")) + "!";
        });
    return server.serve_stdio(); // 0, or what went wrong, such as the first refused registration
}
