// mcplite.hpp - mcplite for C++17: handles that free themselves, any callable as a handler.
//
//   #include <mcplite.hpp>
//
//   int main()
//   {
//       mcp::server server("hello", "1.0");
//       server.register_tool("greet", "Greets someone by name.",
//           R"({"type": "object", "required": ["name"],
//               "properties": {"name": {"type": "string", "maxLength": 40}}})",
//           [](mcp::call &call) {
//               return "Hello, " + std::string(call.arg_str("name").value_or("you")) + "!";
//           });
//       return server.serve_stdio();
//   }
//
// This is mcplite.h with the same names, rules and constants. That header says what each function
// does; this one says what is different in C++:
//
//   mcp::server, mcp::session  own their object: movable, not copyable. An empty one (moved from
//                              or never made) answers MCP_E_INVALID to everything.
//   mcp::call                  what a handler gets, by reference, until it returns.
//   mcp::held_call             a call that you hold for longer, on any thread; from call.retain().
//   mcp::status                mcp_status: MCP_OK is 0, errors are negative. Nothing here throws,
//                              except what the standard library throws when memory runs out.
//
// Callables are moved into the library and destroyed there exactly once, after their last run, also
// if the function that takes them fails. With exceptions on, one that leaves a handler becomes an
// error answer that says what(); one that leaves another callable is dropped. None crosses into C.
// All of it works with -fno-exceptions and -fno-rtti.
#ifndef MCPLITE_HPP
#define MCPLITE_HPP

#include <mcplite.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#if defined(__cpp_exceptions)
# include <exception>
#endif

namespace mcp {

using status = mcp_status;
using optional_text = std::optional<std::string_view>;

// What a status means, for people.
inline std::string_view status_text(status value) { return mcp_status_str(value); }

// The version of the library that runs, which may be newer than this header.
inline std::string_view version() { return mcp_version(); }

// A parameter that C wants with a NUL at its end: a literal or std::string as it is, a string_view
// copied, nullptr where there may be none. With a NUL inside it becomes a text that C refuses, so
// that nothing is ever cut short.
class cstr {
public:
    cstr(std::nullptr_t) noexcept {}
    cstr(const char *text) noexcept : text_(text) {}
    cstr(const std::string &text) noexcept : text_(whole(text)) {}
    cstr(std::string_view text) : copy_(text), text_(whole(copy_)) {}
    cstr(const cstr &) = delete;
    cstr &operator=(const cstr &) = delete;

    operator const char *() const noexcept { return text_; }

private:
    static const char *whole(const std::string &text) noexcept
    {
        constexpr const char *not_utf8 = "\xff";
        return text.find('\0') == std::string::npos ? text.c_str() : not_utf8;
    }

    std::string copy_;
    const char *text_ = nullptr;
};

namespace detail {

// The text that a C function returns, with its length in an out-parameter.
template <class Function, class... Arguments>
optional_text text_of(Function function, const Arguments &...arguments)
{
    size_t length = 0;
    const char *text = function(arguments..., &length);
    return text ? optional_text(std::in_place, text, length) : std::nullopt;
}

inline std::string_view or_empty(const char *text) noexcept { return text ? text : ""; }

// What C reads only with a fallback is there if two different fallbacks do not change it.
template <class Value, class Read>
std::optional<Value> unless_absent(Read read)
{
    const Value found = read(Value(0));
    if (found == Value(0) && read(Value(1)) != Value(0)) return std::nullopt;
    return found;
}

// Files that are built with and without exceptions may be linked into one program: this parameter
// of what runs callables keeps the two kinds apart.
#if defined(__cpp_exceptions)
using build = struct with_exceptions;
#else
using build = struct without_exceptions;
#endif

template <class Result, class Body>
Result contained(Result fallback, Body body) noexcept
{
#if defined(__cpp_exceptions)
    try {
        return body();
    } catch (...) {
        return fallback;
    }
#else
    static_cast<void>(fallback);
    return body();
#endif
}

// Runs a callable that returns a status, or nothing for MCP_OK.
template <class Build, class F, class... Arguments>
status outcome(F &callable, Arguments &&...arguments)
{
    if constexpr (std::is_void_v<std::invoke_result_t<F &, Arguments...>>) {
        callable(std::forward<Arguments>(arguments)...);
        return MCP_OK;
    } else {
        return callable(std::forward<Arguments>(arguments)...);
    }
}

template <class T, class Build>
void destroy(void *data) noexcept
{
    contained(0, [data] { return delete static_cast<T *>(data), 0; });
}

// A callable on its way into C, where it is a function, its user_data and how to destroy that.
// Thunk<F, build>::run is the function; it finds the callable behind user_data.
template <class Function, template <class, class> class Thunk>
class callback {
public:
    callback(std::nullptr_t) noexcept {}

    template <class F, class Build = build, class T = std::decay_t<F>,
              class = std::enable_if_t<!std::is_same_v<T, callback>>>
    callback(F &&callable)
        : function_(&Thunk<T, Build>::run),
          data_(new T(std::forward<F>(callable))),
          destroy_(&detail::destroy<T, Build>)
    {
    }

    callback(callback &&other) noexcept
        : function_(other.function_),
          data_(std::exchange(other.data_, nullptr)),
          destroy_(other.destroy_)
    {
    }

    callback &operator=(callback &&) = delete;

    ~callback()
    {
        if (data_) destroy_(data_);
    }

    // Calls a C function that takes the triple last, and owns it from then on even if it fails.
    template <class Taker, class... Arguments>
    status give_to(Taker taker, const Arguments &...arguments)
    { return taker(arguments..., function_, std::exchange(data_, nullptr), destroy_); }

private:
    Function function_ = nullptr;
    void *data_ = nullptr;
    mcp_destroy destroy_ = nullptr;
};

template <class F, class Build>
struct handler_thunk {
    static mcp_status run(void *data, mcp_call *raw) noexcept;
};

template <class F, class Build>
struct wake_thunk {
    static void run(void *data) noexcept
    {
        contained(0, [data] { return (*static_cast<F *>(data))(), 0; });
    }
};

} // namespace detail

// What answers calls: anything that can be called with a `mcp::call &`. It returns a status (what
// reply() and its like return), or nothing, or the text to reply with. With nullptr in its place,
// you take the calls from server.next_call().
using handler = detail::callback<mcp_handler, detail::handler_thunk>;

// What is told that something happened: anything that can be called without arguments.
using wake = detail::callback<mcp_wake, detail::wake_thunk>;

class held_call;

// One attempt at answering one request, as its handler sees it. What is read from it lives until
// the handler returns, or as long as a held_call holds it.
class call {
public:
    explicit call(mcp_call *raw) noexcept : raw_(raw) {}
    call(const call &) = delete;
    call &operator=(const call &) = delete;
    mcp_call *raw() const noexcept { return raw_; }

    // Arguments of a tool or prompt, variables of a template, params of a method. The path is the
    // name of a member, or a JSON Pointer with its '/'. Absent or of another type: nullopt.
    [[nodiscard]] optional_text arg_str(const cstr &path) const
    { return detail::text_of(mcp_arg_str, raw_, path); }
    [[nodiscard]] std::optional<int64_t> arg_int(const cstr &path) const
    { return detail::unless_absent<int64_t>([&](int64_t other) { return arg_int(path, other); }); }
    [[nodiscard]] std::optional<double> arg_num(const cstr &path) const
    { return detail::unless_absent<double>([&](double other) { return arg_num(path, other); }); }
    [[nodiscard]] std::optional<bool> arg_bool(const cstr &path) const
    { return detail::unless_absent<bool>([&](bool other) { return arg_bool(path, other); }); }
    // The same, with what to use instead.
    [[nodiscard]] int64_t arg_int(const cstr &path, int64_t fallback) const
    { return mcp_arg_int(raw_, path, fallback); }
    [[nodiscard]] double arg_num(const cstr &path, double fallback) const
    { return mcp_arg_num(raw_, path, fallback); }
    [[nodiscard]] bool arg_bool(const cstr &path, bool fallback) const
    { return mcp_arg_bool(raw_, path, fallback) != 0; }
    // Any of them as JSON text; "" is all.
    [[nodiscard]] optional_text arg_json(const cstr &path = "") const
    { return detail::text_of(mcp_arg_json, raw_, path); }

    // What else is known: MCP_INFO_METHOD and its like.
    [[nodiscard]] optional_text info(int32_t what) const
    { return detail::text_of(mcp_call_info, raw_, what); }
    // A header of the HTTP request that the call came with.
    [[nodiscard]] optional_text header(const cstr &field) const
    { return detail::text_of(mcp_call_header, raw_, field); }
    // The name of the tool or prompt, or the URI.
    [[nodiscard]] optional_text name() const { return info(MCP_INFO_NAME); }
    // What the attempt before this one gave to set_state().
    [[nodiscard]] optional_text state() const { return info(MCP_INFO_STATE); }
    // What session.set_context() was given, which must have been a T; nullptr: nothing.
    template <class T>
    [[nodiscard]] T *context() const { return static_cast<T *>(mcp_call_context(raw_)); }

    // The answers; each ends the call. This one sends what was added and put before.
    status reply() { return mcp_reply(raw_); }
    status reply_text(std::string_view text)
    { return mcp_reply_text(raw_, text.data(), text.size()); }
    // The structured content of a tool.
    status reply_json(std::string_view json)
    { return mcp_reply_json(raw_, json.data(), json.size()); }
    // The whole result object.
    status reply_result(std::string_view json)
    { return mcp_reply_result(raw_, json.data(), json.size()); }
    // A code of your own; data is JSON, or empty for none.
    status reply_error(int32_t code, const cstr &message, std::string_view data = {})
    { return mcp_reply_error(raw_, code, message, data.data(), data.size()); }
    // A failure that the model shall read, or one of another MCP_KIND_....
    status fail(std::string_view text) { return fail(MCP_KIND_TOOL_FAILED, text); }
    status fail(int32_t kind, std::string_view text)
    { return mcp_fail(raw_, kind, text.data(), text.size()); }

    // The pieces of an answer: content blocks of tools and prompts, contents of resources, values
    // of completions.
    status add_text(std::string_view text) { return mcp_add_text(raw_, text.data(), text.size()); }
    // Of resources, nullptr is the type that was registered.
    status add_media(const cstr &mime_type, std::string_view bytes)
    { return mcp_add_media(raw_, mime_type, bytes.data(), bytes.size()); }
    // A resource with its contents.
    status add_resource(const cstr &uri, const cstr &name, const cstr &mime_type,
                        std::string_view bytes)
    {
        const char *data = bytes.empty() ? "" : bytes.data();
        return mcp_add_resource(raw_, uri, name, mime_type, data, bytes.size());
    }
    // A link to a resource.
    status add_link(const cstr &uri, const cstr &name, const cstr &mime_type = nullptr)
    { return mcp_add_resource(raw_, uri, name, mime_type, nullptr, 0); }
    // Any block, as the specification writes it.
    status add_json(std::string_view block)
    { return mcp_add_json(raw_, block.data(), block.size()); }

    // A member of a tool's structured content: a text, any kind of number, true or false, or null.
    status put(const cstr &key, std::string_view text)
    { return mcp_put_str(raw_, key, text.data(), text.size()); }
    status put(const cstr &key, std::nullptr_t) { return put_json(key, "null"); }
    template <class T,
              class = std::enable_if_t<std::is_arithmetic_v<T> && !std::is_same_v<T, char>>>
    status put(const cstr &key, T value)
    {
        if constexpr (std::is_same_v<T, bool>) {
            return mcp_put_bool(raw_, key, value);
        } else if constexpr (std::is_floating_point_v<T>) {
            return mcp_put_num(raw_, key, static_cast<double>(value));
        } else if constexpr (std::is_unsigned_v<T> && sizeof(T) >= sizeof(int64_t)) {
            return put_json(key, std::to_string(value));
        } else {
            return mcp_put_int(raw_, key, value);
        }
    }
    status put_json(const cstr &key, std::string_view json)
    { return mcp_put_json(raw_, key, json.data(), json.size()); }

    // What belongs to an answer besides its pieces.
    status set_structured(std::string_view json) { return set(MCP_SET_STRUCTURED, json); }
    status set_meta(std::string_view json) { return set(MCP_SET_META, json); }
    // Prompts: "user" or "assistant", for the messages that follow.
    status set_role(std::string_view role) { return set(MCP_SET_ROLE, role); }
    status set_description(std::string_view text) { return set(MCP_SET_DESCRIPTION, text); }
    // Completions: how many values there are, and whether there are more than were added.
    status set_total(int64_t total) { return set(MCP_SET_TOTAL, std::to_string(total)); }
    status set_has_more(bool more) { return set(MCP_SET_HAS_MORE, more ? "true" : "false"); }
    // What the next attempt finds in state(), if this one asks.
    status set_state(std::string_view state) { return set(MCP_SET_STATE, state); }
    // What goes with fail(): JSON, and where it happened.
    status set_error_data(std::string_view json) { return set(MCP_SET_ERROR_DATA, json); }
    status set_stacktrace(std::string_view text) { return set(MCP_SET_STACKTRACE, text); }

    // Told to clients that want to know, else dropped. A total below 0 is unknown.
    status progress(double progress, double total = -1, const cstr &message = nullptr)
    { return mcp_progress(raw_, progress, total, message); }
    // The level is MCP_LOG_INFO or its like; with | MCP_LOG_JSON the text is any JSON value.
    status log(int32_t level, std::string_view text, const cstr &logger = nullptr)
    { return mcp_log(raw_, level, logger, text.data(), text.size()); }

    // The client's answer to a question. While it is nullopt return MCP_PENDING: the handler runs
    // again from the top when there is one. Ask everything that you can before you return.
    [[nodiscard]] optional_text ask(const cstr &key, const cstr &method,
                                    std::string_view params = {})
    { return detail::text_of(mcp_ask, raw_, key, method, params.data(), params.size()); }
    // Whether this client can be asked that, for handlers that can do without.
    [[nodiscard]] bool can_ask(const cstr &method, std::string_view params = {}) const
    { return mcp_can_ask(raw_, method, params.data(), params.size()) != 0; }
    // Held calls: instead of returning MCP_PENDING.
    status reply_asked() { return mcp_reply_asked(raw_); }

    // Whether nobody waits for the answer any more; cheap enough to ask in a loop.
    [[nodiscard]] bool cancelled() const { return mcp_call_cancelled(raw_) != 0; }
    // Runs at most once, at once if the call is cancelled already. A second replaces the first.
    status on_cancel(wake function) { return function.give_to(mcp_call_on_cancel, raw_); }
    // -1: none.
    status set_deadline(int64_t ms_from_now) { return mcp_call_set_deadline(raw_, ms_from_now); }
    // Over HTTP: hangs up, and lets the client come back for the answer.
    status close_stream() { return mcp_call_close_stream(raw_); }
    // Holds the call beyond the end of its handler. Before another thread sees it.
    [[nodiscard]] held_call retain() const;

private:
    friend class held_call;

    status set(int32_t what, std::string_view value)
    { return mcp_reply_set(raw_, what, value.data(), value.size()); }

    mcp_call *raw_;
};

// A call that any thread may answer, as long as this handle lives. If the last handle goes and
// nobody has answered, the engine answers with an error.
class held_call : public call {
public:
    held_call() noexcept : call(nullptr) {}
    // Takes over a reference of yours.
    explicit held_call(mcp_call *owned) noexcept : call(owned) {}
    held_call(held_call &&other) noexcept : call(other.detach()) {}
    held_call &operator=(held_call &&other) noexcept
    {
        mcp_call_release(std::exchange(raw_, other.detach()));
        return *this;
    }
    ~held_call() { mcp_call_release(raw_); }

    explicit operator bool() const noexcept { return raw_ != nullptr; }
    // Lets go now.
    void reset() noexcept { mcp_call_release(detach()); }
    // Hands the reference to you.
    [[nodiscard]] mcp_call *detach() noexcept { return std::exchange(raw_, nullptr); }
};

inline held_call call::retain() const { return held_call(mcp_call_retain(raw_)); }

namespace detail {

template <class Build, class F>
status answer(F &callable, call &attempt)
{
    static_assert(std::is_invocable_v<F &, mcp::call &>, "a handler takes a `mcp::call &`");
    using result = std::invoke_result_t<F &, mcp::call &>;
    if constexpr (std::is_void_v<result> || std::is_same_v<result, status>) {
        return outcome<Build>(callable, attempt);
    } else if constexpr (std::is_convertible_v<result, const char *>) {
        return mcp_reply_text(attempt.raw(), callable(attempt), MCP_Z);
    } else {
        static_assert(std::is_convertible_v<result, std::string_view>,
                      "a handler returns a mcp::status, nothing, or a text");
        const auto &text = callable(attempt);
        return attempt.reply_text(text);
    }
}

#if defined(__cpp_exceptions)
inline status fail_thrown(call &attempt, const char *what) noexcept
{
    const bool is_tool = attempt.info(MCP_INFO_METHOD) == std::string_view("tools/call");
    const int32_t kind = is_tool ? MCP_KIND_TOOL_FAILED : MCP_KIND_INTERNAL;
    const status result = mcp_fail(attempt.raw(), kind, what, MCP_Z);
    // A text that cannot be sent must not keep the error from being told.
    const bool is_refused = result == MCP_E_UTF8 || result == MCP_E_INVALID;
    return is_refused ? attempt.fail(kind, "the handler threw") : result;
}
#endif

template <class F, class Build>
mcp_status handler_thunk<F, Build>::run(void *data, mcp_call *raw) noexcept
{
    F &callable = *static_cast<F *>(data);
    call attempt(raw);
#if defined(__cpp_exceptions)
    try {
        return answer<Build>(callable, attempt);
    } catch (const std::exception &error) {
        return fail_thrown(attempt, error.what());
    } catch (...) {
        return fail_thrown(attempt, "the handler threw");
    }
#else
    return answer<Build>(callable, attempt);
#endif
}

} // namespace detail

// Something that happened, for an observer, until it returns. Texts that do not apply are empty.
class event {
public:
    explicit event(const mcp_event *raw) noexcept : raw_(raw) {}
    event(const event &) = delete;
    event &operator=(const event &) = delete;

    int32_t kind() const { return raw_->kind; }       // MCP_EVENT_...
    int32_t outcome() const { return raw_->outcome; } // MCP_OUTCOME_...
    int32_t code() const { return raw_->code; }
    int64_t time_ms() const { return raw_->time_ms; }
    int64_t duration_us() const { return raw_->duration_us; }
    std::string_view method() const { return detail::or_empty(raw_->method); }
    std::string_view name() const { return detail::or_empty(raw_->name); }
    std::string_view id() const { return detail::or_empty(raw_->id); }
    std::string_view traceparent() const { return detail::or_empty(raw_->traceparent); }
    std::string_view text() const { return detail::or_empty(raw_->text); }

private:
    const mcp_event *raw_;
};

// An error on its way to the client, for an error hook, until it returns.
class failure {
public:
    explicit failure(mcp_failure *raw) noexcept : raw_(raw) {}
    failure(const failure &) = delete;
    failure &operator=(const failure &) = delete;

    int32_t kind() const { return mcp_failure_kind(raw_); } // 0: a handler's own code
    int32_t code() const { return mcp_failure_code(raw_); }
    // MCP_INFO_MESSAGE, _DATA, _METHOD, _NAME, _ID or _REVISION.
    optional_text info(int32_t what) const { return detail::text_of(mcp_failure_info, raw_, what); }
    status set_code(int32_t code, int32_t form = MCP_FORM_ERROR)
    { return mcp_failure_set_code(raw_, code, form); }
    status set_message(std::string_view text) { return set(MCP_INFO_MESSAGE, text); }
    status set_data(std::string_view json) { return set(MCP_INFO_DATA, json); }

private:
    status set(int32_t what, std::string_view value)
    { return mcp_failure_set(raw_, what, value.data(), value.size()); }

    mcp_failure *raw_;
};

// Where a seal writes its bytes.
class buffer {
public:
    explicit buffer(mcp_buf *raw) noexcept : raw_(raw) {}
    buffer(const buffer &) = delete;
    buffer &operator=(const buffer &) = delete;

    status append(std::string_view bytes)
    { return mcp_buf_append(raw_, bytes.data(), bytes.size()); }

private:
    mcp_buf *raw_;
};

namespace detail {

template <class F, class Build>
struct observer_thunk {
    static void run(void *data, const mcp_event *raw) noexcept
    {
        const event happened(raw);
        contained(0, [&] { return (*static_cast<F *>(data))(happened), 0; });
    }
};

template <class F, class Build>
struct error_hook_thunk {
    static void run(void *data, mcp_failure *raw) noexcept
    {
        failure outgoing(raw);
        contained(0, [&] { return (*static_cast<F *>(data))(outgoing), 0; });
    }
};

template <class F, class Build>
struct seal_thunk {
    static mcp_status run(void *data, int32_t open, const uint8_t *in, size_t length,
                          mcp_buf *raw) noexcept
    {
        F &callable = *static_cast<F *>(data);
        const std::string_view bytes(reinterpret_cast<const char *>(in), length);
        buffer out(raw);
        return contained<status>(MCP_E_STATE, [&] {
            return outcome<Build>(callable, open != 0, bytes, out);
        });
    }
};

template <class F, class Build>
struct clock_thunk {
    static int64_t run(void *data, int32_t which) noexcept
    { return contained<int64_t>(0, [=] { return (*static_cast<F *>(data))(which); }); }
};

template <class F, class Build>
struct entropy_thunk {
    static mcp_status run(void *data, uint8_t *out, size_t length) noexcept
    {
        F &callable = *static_cast<F *>(data);
        return contained<status>(MCP_E_STATE, [&] {
            return outcome<Build>(callable, out, length);
        });
    }
};

struct releaser {
    void operator()(mcp_server *raw) const noexcept { mcp_server_free(raw); }
    void operator()(mcp_session *raw) const noexcept { mcp_session_free(raw); }
};

} // namespace detail

// The other callables: what they are called with, and what they return.
// (const mcp::event &)
using observer = detail::callback<mcp_observer, detail::observer_thunk>;
// (mcp::failure &)
using error_hook = detail::callback<mcp_error_hook, detail::error_hook_thunk>;
// (bool open, std::string_view in, mcp::buffer &out), a status or nothing
using seal = detail::callback<mcp_seal, detail::seal_thunk>;
// (int32_t which), the int64_t microseconds; an exception reads as 0
using clock = detail::callback<mcp_clock, detail::clock_thunk>;
// (uint8_t *out, size_t length), a status or nothing
using entropy = detail::callback<mcp_entropy, detail::entropy_thunk>;

// What is offered. Every thread may use it at any time, also inside handlers.
class server {
public:
    // Empty if the name or the version is empty or not UTF-8.
    server(const cstr &name, const cstr &version) : raw_(mcp_server_new(name, version)) {}
    // Takes over a server of yours.
    explicit server(mcp_server *owned) noexcept : raw_(owned) {}
    explicit operator bool() const noexcept { return raw_ != nullptr; }
    mcp_server *raw() const noexcept { return raw_.get(); }
    // Hands the server to you.
    [[nodiscard]] mcp_server *detach() noexcept { return raw_.release(); }

    // Its description, and the JSON Schema of its arguments, may be nullptr.
    status register_tool(const cstr &name, const cstr &description, const cstr &input_schema,
                         handler answer)
    { return answer.give_to(mcp_register_tool, raw(), name, description, input_schema); }
    // Read by its handler each time; the MIME type may be nullptr.
    status register_resource(const cstr &uri, const cstr &name, const cstr &mime_type,
                             handler answer)
    { return answer.give_to(mcp_register_resource, raw(), uri, name, mime_type); }
    // A resource that does not change; the bytes are copied.
    status register_static(const cstr &uri, const cstr &name, const cstr &mime_type,
                           std::string_view bytes)
    { return mcp_register_static(raw(), uri, name, mime_type, bytes.data(), bytes.size()); }
    // All resources of a form such as "log:///{day}"; arg_str("day") is the variable.
    status register_template(const cstr &uri_template, const cstr &name, const cstr &mime_type,
                             handler answer)
    { return answer.give_to(mcp_register_template, raw(), uri_template, name, mime_type); }
    // Its arguments are a JSON array of the specification's PromptArgument, or nullptr.
    status register_prompt(const cstr &name, const cstr &description, const cstr &arguments,
                           handler answer)
    { return answer.give_to(mcp_register_prompt, raw(), name, description, arguments); }
    // For an argument of a MCP_PROMPT or MCP_TEMPLATE: arg_str("value") is what there is so far,
    // and each add_text() is a proposal.
    status register_completion(int32_t kind, const cstr &name, const cstr &argument,
                               handler answer)
    { return answer.give_to(mcp_register_completion, raw(), kind, name, argument); }
    // A method of your own; "*" is for all that nobody knows.
    status register_method(const cstr &method, handler answer)
    { return answer.give_to(mcp_register_method, raw(), method); }
    // Anything as the specification's own object; MCP_REPLACE and its like go with the kind.
    status register_definition(int32_t kind, const cstr &definition, handler answer)
    { return answer.give_to(mcp_register, raw(), kind, definition); }
    // Calls in flight finish, then the handler is destroyed.
    status unregister(int32_t kind, const cstr &name) { return mcp_unregister(raw(), kind, name); }
    status unregister_completion(int32_t kind, const cstr &name, const cstr &argument)
    { return mcp_unregister_completion(raw(), kind, name, argument); }
    // MCP_ITEM_..., for one item.
    status set_item(int32_t kind, const cstr &name, int32_t option, int64_t value)
    { return mcp_item_set_int(raw(), kind, name, option, value); }

    // These block. The address is such as "/run/x.sock", "127.0.0.1:7000" or "[::1]:0".
    [[nodiscard]] status serve_stdio() { return mcp_serve_stdio(raw()); }
    [[nodiscard]] status serve_socket(const cstr &address)
    { return mcp_serve_socket(raw(), address); }
    // Takes no new calls and makes those return; from any thread.
    status shutdown() { return mcp_server_shutdown(raw()); }

    // MCP_OPT_... and MCP_LIMIT_...: a number, or a text (nullptr: none).
    status set(int32_t option, int64_t value) { return mcp_server_set_int(raw(), option, value); }
    status set(int32_t option, const cstr &value)
    { return mcp_server_set_str(raw(), option, value); }

    // Why the last function failed that did, of this server, its sessions and their calls.
    [[nodiscard]] mcp_error last_error() const
    {
        mcp_error error = {};
        mcp_server_last_error(raw(), &error);
        return error;
    }
    [[nodiscard]] int64_t memory_used() const { return mcp_server_memory_used(raw()); }

    // Tells whoever wants to know. That a list has changed is told by itself when you register.
    status notify_resource_updated(const cstr &uri)
    { return mcp_notify_resource_updated(raw(), uri); }
    status notify_list_changed(int32_t kind) { return mcp_notify_list_changed(raw(), kind); }
    status notify_elicitation_complete(const cstr &elicitation_id)
    { return mcp_notify_elicitation_complete(raw(), elicitation_id); }

    // With MCP_DISPATCH_QUEUED, runs handlers that wait, on this thread; 0: all that wait now.
    // How many ran, or a negative status.
    int32_t run(int32_t max_calls = 0) { return mcp_server_run(raw(), max_calls); }
    // The next call of what has nullptr for a handler; empty if none waits.
    [[nodiscard]] held_call next_call() { return held_call(mcp_server_next_call(raw())); }
    // Told when calls wait for run() or next_call(), or timeout() got shorter. nullptr: nobody.
    status set_wake(wake function) { return function.give_to(mcp_server_set_wake, raw()); }
    // In how many milliseconds tick() has work to do, for poll(); -1: never.
    [[nodiscard]] int32_t timeout() const { return mcp_server_timeout(raw()); }
    status tick() { return mcp_server_tick(raw()); }

    // The code and the form of an MCP_KIND_....
    status set_error(int32_t kind, int32_t code, int32_t form = MCP_FORM_ERROR)
    { return mcp_server_set_error(raw(), kind, code, form); }
    // Sees every error before it goes out, and may change it.
    status set_error_hook(error_hook hook)
    { return hook.give_to(mcp_server_set_error_hook, raw()); }
    // Sees what happens, for logs and metrics.
    status set_observer(observer watch) { return watch.give_to(mcp_server_set_observer, raw()); }

    // Keys of 32 bytes, one after the other, for what clients carry between attempts: the first
    // seals, all open.
    status set_seal_keys(std::string_view keys)
    {
        if (keys.size() % 32 != 0) return MCP_E_INVALID;
        const auto *bytes = reinterpret_cast<const uint8_t *>(keys.data());
        return mcp_server_set_seal_keys(raw(), bytes, keys.size() / 32);
    }
    // A seal of your own instead of keys.
    status set_seal(seal function) { return function.give_to(mcp_server_set_seal, raw()); }
    // Time and randomness of your own, for tests; nullptr: the system's.
    status set_clock(clock function) { return function.give_to(mcp_server_set_clock, raw()); }
    status set_entropy(entropy function) { return function.give_to(mcp_server_set_entropy, raw()); }

private:
    std::unique_ptr<mcp_server, detail::releaser> raw_;
};

// One duplex pipe to a client. The server may go first; the session is closed then.
class session {
public:
    explicit session(const server &of) : raw_(mcp_session_new(of.raw())) {}
    // Takes over a session of yours.
    explicit session(mcp_session *owned) noexcept : raw_(owned) {}
    explicit operator bool() const noexcept { return raw_ != nullptr; }
    mcp_session *raw() const noexcept { return raw_.get(); }
    // Hands the session to you.
    [[nodiscard]] mcp_session *detach() noexcept { return raw_.release(); }

    // One message. What is wrong with it is told to the client, and MCP_OK here.
    [[nodiscard]] status handle_message(std::string_view message)
    { return mcp_handle_message(raw(), message.data(), message.size()); }
    // Bytes of a stream, in which a newline ends each message. With `used` it stops after one
    // message, and takes nothing while output is full: MCP_E_LIMIT.
    [[nodiscard]] status receive(std::string_view bytes)
    { return mcp_session_receive(raw(), bytes.data(), bytes.size(), nullptr); }
    [[nodiscard]] status receive(std::string_view bytes, size_t &used)
    { return mcp_session_receive(raw(), bytes.data(), bytes.size(), &used); }
    // There is no more input; calls and output go on.
    status end() { return mcp_session_end(raw()); }

    // The next message, without a newline, until the next poll() or peek(); nullopt: none waits.
    [[nodiscard]] optional_text poll() { return detail::text_of(mcp_session_poll, raw()); }
    // The output as bytes with newlines, for short writes: write some of it, then consume() that.
    [[nodiscard]] optional_text peek() { return detail::text_of(mcp_session_peek, raw()); }
    status consume(size_t length) { return mcp_session_consume(raw(), length); }
    // Told on any thread when there is output after there was none, and when all is finished.
    status set_wake(wake function) { return function.give_to(mcp_session_set_wake, raw()); }
    // Input has ended, every call is answered, all output is taken.
    [[nodiscard]] bool finished() const { return mcp_session_finished(raw()) != 0; }
    [[nodiscard]] int32_t open_calls() const { return mcp_session_open_calls(raw()); }

    // A value for handlers, as call.context<T>(), from now on; destroyed after its last call.
    template <class T, class Build = detail::build>
    status set_context(T value)
    { return mcp_session_set_context(raw(), new T(std::move(value)), &detail::destroy<T, Build>); }
    status set_context(std::nullptr_t) { return mcp_session_set_context(raw(), nullptr, nullptr); }
    // Who the client is, as you have found out; nullptr: unknown.
    status set_principal(const cstr &name) { return mcp_session_set_principal(raw(), name); }
    // A notification of your own; params are JSON, or empty for none.
    status notify(const cstr &method, std::string_view params = {})
    { return mcp_session_notify(raw(), method, params.data(), params.size()); }

private:
    std::unique_ptr<mcp_session, detail::releaser> raw_;
};

namespace detail {

// The text that a C function writes into a buffer, which grows if it is too small.
template <class Write>
std::optional<std::string> written(size_t guess, Write write)
{
    std::string text(guess, '\0');
    size_t length = 0;
    status result = write(text.data(), text.size(), &length);
    if (result == MCP_E_BUFFER) {
        text.resize(length + 1);
        result = write(text.data(), text.size(), &length);
    }
    if (result != MCP_OK) return std::nullopt;
    text.resize(length);
    return text;
}

} // namespace detail

// A text as JSON, with its quotes; empty if it is not UTF-8.
[[nodiscard]] inline std::string json_quote(std::string_view text)
{
    auto quoted = detail::written(text.size() + 16, [&](char *out, size_t size, size_t *length) {
        return mcp_json_quote(text.data(), text.size(), out, size, length);
    });
    return quoted ? std::move(*quoted) : std::string();
}

// What stands at a path in a JSON text: as JSON, or as a decoded string or a number if it is one.
[[nodiscard]] inline optional_text json_find(std::string_view json, const cstr &path)
{ return detail::text_of(mcp_json_find, json.data(), json.size(), path); }
[[nodiscard]] inline std::optional<std::string> json_str(std::string_view json, const cstr &path)
{
    return detail::written(64, [&](char *out, size_t size, size_t *length) {
        return mcp_json_str(json.data(), json.size(), path, out, size, length);
    });
}
[[nodiscard]] inline std::optional<double> json_num(std::string_view json, const cstr &path)
{
    double value = 0;
    const status result = mcp_json_num(json.data(), json.size(), path, &value);
    return result == MCP_OK ? std::optional<double>(value) : std::nullopt;
}
[[nodiscard]] inline std::optional<int64_t> json_int(std::string_view json, const cstr &path)
{
    int64_t value = 0;
    const status result = mcp_json_int(json.data(), json.size(), path, &value);
    return result == MCP_OK ? std::optional<int64_t>(value) : std::nullopt;
}

// A response, for hosts that answer some messages themselves: for code 0 the body is the result, as
// JSON, else the error's message. The id is JSON, or nullptr for none.
[[nodiscard]] inline std::optional<std::string> make_response(const cstr &id, int32_t code,
                                                              std::string_view body)
{
    return detail::written(body.size() + 96, [&](char *out, size_t size, size_t *length) {
        return mcp_make_response(id, code, body.data(), body.size(), out, size, length);
    });
}

// Whether nobody waits for an answer to this message.
[[nodiscard]] inline bool is_notification(std::string_view message)
{ return mcp_is_notification(message.data(), message.size()) != 0; }

} // namespace mcp

#endif
