#include "handlers.hpp"

#include <stdexcept>

mcp::status register_with_exceptions(mcp::server &server)
{
    const text_function run = [](mcp::call &) -> std::string {
        throw std::runtime_error("caught");
    };
    return server.register_tool("with", nullptr, nullptr, run);
}
