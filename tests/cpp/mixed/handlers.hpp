// The same type of callable from two files, one with exceptions on, one without.
#ifndef TESTS_CPP_MIXED_HANDLERS_HPP
#define TESTS_CPP_MIXED_HANDLERS_HPP

#include <mcplite.hpp>

#include <functional>

using text_function = std::function<std::string(mcp::call &)>;

mcp::status register_with_exceptions(mcp::server &server);
mcp::status register_without_exceptions(mcp::server &server);

#endif
