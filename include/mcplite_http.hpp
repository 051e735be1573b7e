// mcplite_http.hpp - MCP over HTTP, for C++17: mcplite.hpp and the chapters on HTTP of mcplite.h.
//
//   mcp::server server("hello", "1.0");
//   mcp::http http(server, "/mcp");
//   return http.serve("127.0.0.1:8080");
//
// Or hand the requests of your own HTTP server to an mcp::exchange, one each, and send what it says.
#ifndef MCPLITE_HTTP_HPP
#define MCPLITE_HTTP_HPP

#include "mcplite.hpp"

namespace mcp {

// One HTTP request and its perhaps endless response. Letting go of it before it is finished means
// that the client is gone.
class exchange {
public:
    // Takes over an exchange of yours.
    explicit exchange(mcp_exchange *owned) noexcept : raw_(owned) {}
    mcp_exchange *raw() const noexcept { return raw_.get(); }

    // The request: headers, pieces of the body, the end. Handlers run in end().
    status header(std::string_view name, std::string_view value)
    { return mcp_exchange_header(raw(), name.data(), name.size(), value.data(), value.size()); }
    status body(std::string_view piece)
    { return mcp_exchange_body(raw(), piece.data(), piece.size()); }
    status end() { return mcp_exchange_end(raw()); }

    // The response: 0 until it is settled.
    [[nodiscard]] int32_t http_status() const { return mcp_exchange_status(raw()); }
    // Calls `take` with the name and the value of each header.
    template <class Take>
    void response_headers(Take take) const
    {
        const char *name = nullptr;
        const char *value = nullptr;
        for (size_t i = 0; mcp_exchange_response_header(raw(), i, &name, &value) == MCP_OK; i++)
            take(std::string_view(name), std::string_view(value));
    }
    // The next bytes of the body, until the next poll(); nullopt: none now.
    [[nodiscard]] optional_text poll() { return detail::text_of(mcp_exchange_poll, raw()); }
    [[nodiscard]] bool finished() const { return mcp_exchange_finished(raw()) != 0; }
    // Events, to be passed on one by one, as opposed to a body that is there as a whole.
    [[nodiscard]] bool is_stream() const { return mcp_exchange_is_stream(raw()) != 0; }
    // Told on any thread when the head, bytes of the body, or the end are there.
    status set_wake(wake function) { return function.give_to(mcp_exchange_set_wake, raw()); }

    // A value for handlers, as call.context<T>(); before end().
    template <class T, class Build = detail::build>
    status set_context(T value)
    { return mcp_exchange_set_context(raw(), new T(std::move(value)), &detail::destroy<T, Build>); }
    // Who the client is, as you have found out; before end().
    status set_principal(const cstr &name) { return mcp_exchange_set_principal(raw(), name); }
    [[nodiscard]] optional_text request_header(const cstr &name) const
    { return detail::text_of(mcp_exchange_request_header, raw(), name); }

private:
    struct releaser {
        void operator()(mcp_exchange *raw) const noexcept { mcp_exchange_free(raw); }
    };
    std::unique_ptr<mcp_exchange, releaser> raw_;
};

// A request about which you decide, until you return.
class http_request {
public:
    explicit http_request(mcp_exchange *raw) noexcept : raw_(raw) {}
    http_request(const http_request &) = delete;
    http_request &operator=(const http_request &) = delete;

    [[nodiscard]] optional_text header(const cstr &name) const
    { return detail::text_of(mcp_exchange_request_header, raw_, name); }
    // MCP_EXCHANGE_METHOD or MCP_EXCHANGE_PATH.
    [[nodiscard]] optional_text info(int32_t what) const
    { return detail::text_of(mcp_exchange_info, raw_, what); }
    status set_principal(const cstr &name) { return mcp_exchange_set_principal(raw_, name); }
    // Further parameters of WWW-Authenticate, such as scope="files:read".
    status set_challenge(const cstr &parameters)
    { return mcp_exchange_set_challenge(raw_, parameters); }

private:
    mcp_exchange *raw_;
};

namespace detail {

template <class F, class Build>
struct authorize_thunk {
    static int32_t run(void *data, mcp_exchange *raw) noexcept
    {
        http_request request(raw);
        return contained<int32_t>(403, [&] { return (*static_cast<F *>(data))(request); });
    }
};

} // namespace detail

// (mcp::http_request &), 0 to let it go on, 401 or 403; an exception is 403.
using authorize = detail::callback<mcp_authorize, detail::authorize_thunk>;

// Servers at their paths. The servers may go first; requests are refused then.
class http {
public:
    http(const server &of, const cstr &path) : raw_(mcp_http_new(of.raw(), path)) {}
    explicit operator bool() const noexcept { return raw_ != nullptr; }
    mcp_http *raw() const noexcept { return raw_.get(); }

    status mount(const cstr &path, const server &other)
    { return mcp_http_mount(raw(), path, other.raw()); }
    status unmount(const cstr &path) { return mcp_http_unmount(raw(), path); }
    // MCP_HTTP_... that are numbers, and those that are texts.
    status set(int32_t option, int64_t value) { return mcp_http_set_int(raw(), option, value); }
    status set(int32_t option, const cstr &value) { return mcp_http_set_str(raw(), option, value); }
    status set_authorize(authorize decide)
    { return decide.give_to(mcp_http_set_authorize, raw()); }

    // A request arrives.
    [[nodiscard]] exchange open(const cstr &method, std::string_view target)
    { return exchange(mcp_http_open(raw(), method, target.data(), target.size())); }
    // Serves until the first server shuts down.
    [[nodiscard]] status serve(const cstr &address) { return mcp_serve_http(raw(), address); }

private:
    struct releaser {
        void operator()(mcp_http *raw) const noexcept { mcp_http_free(raw); }
    };
    std::unique_ptr<mcp_http, releaser> raw_;
};

} // namespace mcp

#endif // MCPLITE_HTTP_HPP
