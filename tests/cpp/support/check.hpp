// What the C++ tests share: checks that say where they failed, and a client in a few lines.
// A test is a program: it ends with `return test::report();`.
#ifndef TESTS_CPP_CHECK_HPP
#define TESTS_CPP_CHECK_HPP

#include <mcplite.hpp>

#include <atomic>
#include <cstdio>

namespace test {

inline std::atomic<int> failures{0};

inline void failed(const char *file, int line, const char *what, const std::string &why = {})
{
    std::fprintf(stderr, "%s:%d: %s%s\n", file, line, what, why.c_str());
    failures++;
}

inline void check(const char *file, int line, const char *what, bool holds)
{
    if (!holds) failed(file, line, what);
}

inline void check_status(const char *file, int line, const char *what, mcp::status got,
                         mcp::status wanted)
{
    if (got == wanted) return;
    const std::string is(mcp::status_text(got)), should_be(mcp::status_text(wanted));
    failed(file, line, what, ": " + is + " instead of " + should_be);
}

inline void check_part(const char *file, int line, const char *what, const std::string &text,
                       std::string_view part)
{
    if (text.find(part) != std::string::npos) return;
    failed(file, line, what, ": " + text + "\n  lacks " + std::string(part));
}

inline int report()
{
    if (failures) std::fprintf(stderr, "%d checks failed\n", failures.load());
    return failures ? 1 : 0;
}

// Everything that comes out now, a line each.
inline std::string drain(mcp::session &session)
{
    std::string said;
    while (const auto message = session.poll()) said.append(*message).append("\n");
    return said;
}

inline std::string request(int id, std::string_view method, std::string_view params)
{
    std::string message = R"({"jsonrpc":"2.0","id":)" + std::to_string(id) + R"(,"method":)";
    message += mcp::json_quote(method);
    if (!params.empty()) message.append(R"(,"params":)").append(params);
    return message + "}";
}

} // namespace test

#define CHECK(condition) test::check(__FILE__, __LINE__, #condition, static_cast<bool>(condition))
#define CHECK_STATUS(status, wanted) test::check_status(__FILE__, __LINE__, #status, status, wanted)
// Whether the part stands in the text.
#define CHECK_PART(text, part) test::check_part(__FILE__, __LINE__, #text, text, part)

namespace test {

// A server and the client of one session.
class client {
public:
    // Shakes hands, unless there is no revision.
    explicit client(const char *revision = "2025-06-18")
    {
        if (revision) shake_hands(revision);
    }

    void shake_hands(const char *revision)
    {
        const std::string hello = request("initialize",
            R"({"protocolVersion":")" + std::string(revision) + R"(",)"
            R"("capabilities":{"elicitation":{"form":{},"url":{}}},)"
            R"("clientInfo":{"name":"test","version":"1"}})");
        CHECK_PART(hello, R"("protocolVersion")");
        say(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
    }

    // Offers a tool that takes anything.
    void tool(const mcp::cstr &name, mcp::handler answer)
    {
        CHECK_STATUS(server.register_tool(name, nullptr, nullptr, std::move(answer)), MCP_OK);
    }

    // Hands one message in, and gives what comes out.
    std::string say(std::string_view message)
    {
        CHECK_STATUS(session.handle_message(message), MCP_OK);
        return drain(session);
    }
    std::string request(std::string_view method, std::string_view params = "")
    {
        return say(test::request(++id, method, params));
    }
    std::string call(std::string_view tool, std::string_view arguments = "{}")
    {
        return request("tools/call", R"({"name":)" + mcp::json_quote(tool) + R"(,"arguments":)"
                                         + std::string(arguments) + "}");
    }
    // The client does not want the answer to its last request any more.
    std::string cancel()
    {
        return say(R"({"jsonrpc":"2.0","method":"notifications/cancelled",)"
                   R"("params":{"requestId":)" + std::to_string(id) + "}}");
    }

    mcp::server server{"test", "1.0"};
    mcp::session session{server};
    int id = 0;
};

} // namespace test

#endif
