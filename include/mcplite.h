/* mcplite.h - a complete MCP server that lives inside your program.
 *
 *   #include <mcplite.h>
 *   #include <stdio.h>
 *
 *   static mcp_status greet(void *unused, mcp_call *call)
 *   {
 *       const char *name = mcp_arg_str(call, "name", NULL);
 *       char text[200];
 *       (void)unused;
 *       snprintf(text, sizeof text, "Hello, %s!", name ? name : "you");
 *       return mcp_reply_text(call, text, MCP_Z);
 *   }
 *
 *   int main(void)
 *   {
 *       mcp_server *server = mcp_server_new("hello", "1.0");
 *       mcp_register_tool(server, "greet", "Greets someone by name.",
 *           MCP_JSON({"type": "object", "required": ["name"],
 *                     "properties": {"name": {"type": "string", "maxLength": 40}}}),
 *           greet, NULL, NULL);
 *       mcp_status status = mcp_serve_stdio(server);
 *       if (status != MCP_OK) fprintf(stderr, "hello: %s\n", mcp_status_str(status));
 *       mcp_server_free(server);
 *       return status == MCP_OK ? 0 : 1;
 *   }
 *
 *   cc hello.c $(pkg-config --cflags --libs mcplite)
 *
 * That is a server on standard input and output. Without mcp_serve_stdio(), the same library is bytes in,
 * bytes out: no thread, socket, signal handler or global state that you did not ask for. Feed a session
 * messages with mcp_handle_message() or bytes with mcp_session_receive(), and take output with
 * mcp_session_poll() until there is none. It speaks all revisions of the protocol from 2024-11-05 to
 * 2026-07-28 on every connection, and one handler serves them all.
 *
 * This file is generated: edit ffi/src and ffi/header, then run `make update-header`.
 *
 * OBJECTS
 *   mcp_server    what is offered: tools, resources, prompts, policy    you free it
 *   mcp_session   one duplex pipe: stdio, a socket, memory              you free it
 *   mcp_http      an HTTP endpoint: servers at paths, legacy sessions   you free it
 *   mcp_exchange  one HTTP request and its perhaps endless response     you free it
 *   mcp_call      one attempt at answering one request                  shared: retain, release
 *
 * TEXT AND BYTES
 *   (a) What you write in your source (names, URIs, keys, descriptions, schemas) is NUL-terminated.
 *   (b) What your program computes (answers, JSON, bytes) is pointer and length. If it is NUL-terminated,
 *       pass MCP_Z as the length; MCP_LIT("x") expands to both.
 *   (c) What came from a peer (messages, stream bytes) is pointer and exact length. MCP_Z is refused there:
 *       (size_t)-1 is also what an unchecked failed read() turns into.
 *   (d) NULL with length 0 is empty; NULL with another length, or a length above PTRDIFF_MAX, is
 *       MCP_E_INVALID. Everything is copied or finished with before the function returns.
 *   (e) Text that comes back is a pointer and an optional size_t *out_len: UTF-8, NUL-terminated unless said
 *       otherwise; NULL means absent. With out_len NULL, a text that contains a NUL counts as absent, so that
 *       nothing is ever cut short. No memory of the library is yours to free.
 *
 * CALLS AND THEIR LIFETIME (the one rule)
 *   A call is open while somebody holds it. The library holds it while the handler runs; you may hold it for
 *   longer with mcp_call_retain(), on any thread, until mcp_call_release(). When the last holder lets go and
 *   nobody has answered, the client gets "internal error".
 *   - Answer at most once. A second answer is MCP_E_ANSWERED and sends nothing.
 *   - Cancelled, timed out, client gone, session or server freed: the handle stays valid until you release it;
 *     answering is MCP_E_CANCELLED and sends nothing, readers still work.
 *   - Pointers read from a call live as long as somebody holds it: until the handler returns, or until your
 *     mcp_call_release().
 *   - Asking the client ends an attempt; the next attempt is a new mcp_call.
 *
 * THREADS
 *   Every function may be called from any thread at any time, on any object that has not been freed, also from
 *   inside callbacks. No lock is held while your code runs. Only the two ends of a session, and those of an
 *   exchange, belong to one thread at a time, see there. Free an object once, when nobody else is about to use
 *   its handle; inside a callback that runs below it is fine: it closes at once and goes away when the outermost
 *   call returns. After fork() the child may use what was idle; what another thread was using at that moment it
 *   must not touch. A thread must not be cancelled (pthread_cancel) while it is in the library: that would unwind
 *   frames that cannot be unwound, and ends the process by abort().
 *
 * WHERE YOUR CODE RUNS
 *   handler, on_cancel      in the feeding call; with MCP_DISPATCH_QUEUED only in mcp_server_run(); while
 *                           a function mcp_serve_...() runs, handlers on its threads
 *   hooks                   in the call that needs them; from inside no message can be fed (MCP_E_BUSY)
 *   wake, observer, destroy on any thread that uses the library; a wake never runs concurrently with itself
 *   Callbacks come as (function, user_data, destroy). destroy may be NULL; it runs exactly once, after the last
 *   run of the function has returned: on replacement, on free, and also when the registering function fails.
 *   user_data must live until then, NOT merely until the free function returns.
 *   From inside a handler everything may be called, except that mcp_session_receive() and mcp_session_end() of
 *   the session that is in them, and messages nested deeper than 8, are MCP_E_BUSY, and serving is MCP_E_STATE.
 *   A callback must return. A C++ exception that leaves it ends the process by abort(). A longjmp() out of it is
 *   undefined: it leaves the library in the middle of its work, with objects that are never usable again.
 *
 * ERRORS
 *   mcp_status is 0 for ok, positive for "nothing wrong, nothing done", negative for an error. What a client
 *   does wrong is answered to the client and is MCP_OK here. On an error nothing was done; out-parameters are
 *   zeroed first. mcp_server_last_error() has the detail, as one line of text.
 *   A defect of the library is MCP_E_PANIC: the request is answered with an error, the smallest object that is
 *   concerned is poisoned (MCP_E_POISONED), and can still be drained and freed. If the system has no memory
 *   left, the process ends by abort(); MCP_LIMIT_MEMORY_BYTES is the bound that is refused politely.
 *
 * VERSIONING
 *   Functions, constants and the public structs only ever grow, at their ends; within one MCP_ABI_VERSION a
 *   program never has to be compiled again. There is no option struct: options are numbers, and a library that
 *   does not know one says MCP_E_UNSUPPORTED.
 */
#ifndef MCPLITE_H
#define MCPLITE_H

#include <stddef.h>
#include <stdint.h>

#ifndef MCP_API
# if defined(_WIN32) && defined(MCP_SHARED)
#  define MCP_API __declspec(dllimport)
# else
#  define MCP_API
# endif
#endif

/** The version of this header. mcp_version() is that of the library. */
#define MCP_VERSION_MAJOR 0
#define MCP_VERSION_MINOR 1
#define MCP_VERSION_PATCH 0
#define MCP_VERSION_STRING "0.1.0"
#define MCP_VERSION_NUMBER (MCP_VERSION_MAJOR * 1000000 + MCP_VERSION_MINOR * 1000 + MCP_VERSION_PATCH)
/** Whether this header is of that version or newer, for #if. */
#define MCP_AT_LEAST(major, minor, patch) \
    (MCP_VERSION_NUMBER >= (major) * 1000000 + (minor) * 1000 + (patch))

/** As a length: "NUL-terminated, measure it". */
#define MCP_Z ((size_t)-1)
/** A string literal as pointer and length. */
#define MCP_LIT(literal) ("" literal), (sizeof(literal) - 1)
#if (defined(__cplusplus) && __cplusplus >= 201103L) || (defined(__STDC_VERSION__) && __STDC_VERSION__ >= 199901L)
/** JSON written as JSON, without a backslash before each quote: MCP_JSON({"type": "object"}). */
# define MCP_JSON(...) #__VA_ARGS__
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mcp_server mcp_server;
typedef struct mcp_session mcp_session;
typedef struct mcp_http mcp_http;
typedef struct mcp_exchange mcp_exchange;
typedef struct mcp_call mcp_call;
typedef struct mcp_failure mcp_failure;
typedef struct mcp_buf mcp_buf;

/* Version ----------------------------------------------------------------------------------------
 *
 * Which library this is.
 */

/**
 * The ABI that this header describes; also the number in the name of the shared library. It changes only
 * when a program would have to be compiled again.
 */
#define MCP_ABI_VERSION 0

/**
 * The version of the library at run time, as MCP_VERSION_STRING is at compile time.
 *
 * Returns: a text that lives for ever.
 * Threads: any. Since: 0.1.0
 */
MCP_API const char *mcp_version(void);

/**
 * The version of the library at run time, as MCP_VERSION_NUMBER is at compile time.
 *
 * Returns: major * 1000000 + minor * 1000 + patch.
 * Threads: any. Since: 0.1.0
 */
MCP_API int32_t mcp_version_number(void);

/**
 * The ABI of the library at run time. A program that loads the library itself compares it with
 * MCP_ABI_VERSION; for others the linker does.
 *
 * Returns: the number.
 * Threads: any. Since: 0.1.0
 */
MCP_API int32_t mcp_abi_version(void);

/* Status -----------------------------------------------------------------------------------------
 *
 * What functions return: 0 is success, positive is "nothing wrong, nothing done", negative an error.
 */

/** It was done. */
#define MCP_OK 0
/** There is nothing (more) to do. */
#define MCP_DONE 1
/** From a handler: I asked the client; run me again when it has answered. */
#define MCP_PENDING 2
/** A bad argument: NULL, a length, an enumerator, or something that this kind of call does not have. */
#define MCP_E_INVALID (-1)
/** Over the server's memory cap, MCP_LIMIT_MEMORY_BYTES. */
#define MCP_E_NOMEM (-2)
/** Text is not UTF-8. */
#define MCP_E_UTF8 (-3)
/** Text given as JSON is not, or not of the type that is needed. */
#define MCP_E_JSON (-4)
/** A schema, template or definition cannot be used. */
#define MCP_E_SCHEMA (-5)
/** A name or URI is not allowed. */
#define MCP_E_NAME (-6)
/** There is one of that name already. */
#define MCP_E_EXISTS (-7)
/** There is none of that name. */
#define MCP_E_NOT_FOUND (-8)
/** A limit has been reached. */
#define MCP_E_LIMIT (-9)
/** This end is in use by another thread or an outer frame, or frames are nested too deeply. */
#define MCP_E_BUSY (-10)
/** Too late or too early for this. */
#define MCP_E_STATE (-11)
/** Not in this build, or unknown to this version. */
#define MCP_E_UNSUPPORTED (-12)
/** The buffer is too small; *out_len says how long the text is. */
#define MCP_E_BUFFER (-13)
/** Structured content does not fit the tool's output schema; the call is still open. */
#define MCP_E_OUTPUT (-14)
/** The session or server is closed. */
#define MCP_E_CLOSED (-20)
/** Nobody waits for this answer any more. */
#define MCP_E_CANCELLED (-21)
/** Already answered, or the attempt ended by asking. */
#define MCP_E_ANSWERED (-22)
/** Reading, writing, binding or accepting failed; serve functions only. */
#define MCP_E_IO (-30)
/** A defect of mcplite; the object is poisoned. */
#define MCP_E_PANIC (-90)
/** Used after MCP_E_PANIC: output can still be taken and the object freed, nothing else. */
#define MCP_E_POISONED (-91)

/** What most functions return. */
typedef int32_t mcp_status;

/**
 * A status in a few words, for people. The detail is in mcp_server_last_error().
 *
 * Returns: a text that lives for ever; "unknown status" for other numbers, never NULL.
 * Threads: any. Since: 0.1.0
 */
MCP_API const char *mcp_status_str(mcp_status status);

/* Server -----------------------------------------------------------------------------------------
 *
 * What is offered, and policy: shared by every session, changeable at any time and from any thread.
 */

/** Detail of a failure, copied out. It never grows. */
typedef struct mcp_error {
  /** The status that was returned. */
  mcp_status status;
  /** Byte offset in the text given, or -1. */
  int32_t offset;
  /** One line, NUL-terminated, cut at a character if it is long. */
  char text[248];
} mcp_error;

/** Told that something is there: see mcp_session_set_wake(), mcp_server_set_wake(), mcp_call_on_cancel(). */
typedef void (*mcp_wake)(void *user_data);

/**
 * Gets rid of user_data. Runs exactly once, after the last run of the function that was registered with
 * it: on replacement, on free, and also when the registering function fails. It may run on any thread that
 * uses the library; from inside of it no message can be fed and no handler run.
 */
typedef void (*mcp_destroy)(void *user_data);

/**
 * A server that offers nothing yet, with the system's clock and entropy.
 *
 * Returns: the server; NULL if name or version is NULL, empty or not UTF-8.
 * Ownership: yours, until mcp_server_free(). name and version are copied.
 * Threads: any. Since: 0.1.0
 */
MCP_API mcp_server *mcp_server_new(const char *name, const char *version);

/**
 * Closes every session and forgets what was registered. Handlers that run already go on; no other starts.
 * Handles of sessions and calls stay valid, closed, and are still yours to free. Inside a callback that
 * runs below it, it closes at once and goes away when the outermost call returns. NULL is allowed.
 *
 * Ownership: the server is not yours any more.
 * Threads: any, once. Since: 0.1.0
 */
MCP_API void mcp_server_free(mcp_server *server);

/**
 * Ends listen streams properly, refuses new calls, and lets open ones finish: sessions become finished,
 * and serve functions return once open calls are answered or MCP_OPT_GRACE_MS is over. Not for signal
 * handlers.
 *
 * Returns: MCP_OK.
 * Threads: any. Since: 0.1.0
 */
MCP_API mcp_status mcp_server_shutdown(mcp_server *server);

/**
 * Copies out the detail of what was last refused on this server, its sessions or its calls, by any thread.
 *
 * Returns: MCP_OK; MCP_DONE, with an empty text, if nothing has been refused yet; MCP_E_INVALID.
 * Threads: any. Since: 0.1.0
 */
MCP_API mcp_status mcp_server_last_error(const mcp_server *server, mcp_error *out_error);

/**
 * Queued dispatch (MCP_OPT_DISPATCH): runs up to max_calls waiting handlers on this thread, 0 for all that
 * wait now. Several threads may do so: a worker pool.
 *
 * Returns: how many ran; MCP_E_BUSY when nested too deeply or inside a hook, MCP_E_INVALID.
 * Threads: any, also several at once and from inside handlers. Since: 0.1.0
 */
MCP_API int32_t mcp_server_run(mcp_server *server, int32_t max_calls);

/**
 * Takes the next call whose item was registered with a NULL handler: for hosts that want no callbacks.
 * mcp_call_user_data() says which item it is.
 *
 * Returns: the call; NULL when none waits.
 * Ownership: yours, until mcp_call_release().
 * Threads: any, also several at once. Since: 0.1.0
 */
MCP_API mcp_call *mcp_server_next_call(mcp_server *server);

/**
 * Sets who is told that calls wait for mcp_server_run() or mcp_server_next_call(), or that
 * mcp_server_timeout() got shorter. It never runs concurrently with itself. A NULL wake takes it away.
 *
 * Returns: MCP_OK.
 * Ownership: destroy runs exactly once, after the last run of the old wake, also on failure.
 * Threads: any. Since: 0.1.0
 */
MCP_API mcp_status mcp_server_set_wake(mcp_server *server, mcp_wake wake, void *user_data,
        mcp_destroy destroy);

/**
 * In how many milliseconds mcp_server_tick() has something to do. Made to be the timeout of poll().
 *
 * Returns: milliseconds; -1 for never, and for NULL.
 * Threads: any. Since: 0.1.0
 */
MCP_API int32_t mcp_server_timeout(const mcp_server *server);

/**
 * Does what time has come for: answers calls whose deadline has passed. Nobody else does.
 *
 * Returns: MCP_OK.
 * Threads: any. Since: 0.1.0
 */
MCP_API mcp_status mcp_server_tick(mcp_server *server);

/**
 * Bytes that the engine holds for this server, as counted against MCP_LIMIT_MEMORY_BYTES.
 *
 * Returns: the number; 0 for NULL.
 * Threads: any. Since: 0.1.0
 */
MCP_API int64_t mcp_server_memory_used(const mcp_server *server);

/* What is offered --------------------------------------------------------------------------------
 *
 * Tools, resources, templates, prompts, completions and methods. All may come and go while connections
 * are live: whoever watches is told, in the way of its revision.
 *
 * A handler is told its user_data and the call. It returns MCP_OK when it has answered or retained the
 * call, MCP_PENDING when it has asked the client, or a negative status: then the call fails, if it is still
 * open. So `return mcp_reply_text(...)` is always right. With a NULL handler the calls wait for
 * mcp_server_next_call(). It must return: neither longjmp() nor a C++ exception may leave it.
 */

/** A tool, known by its name. */
#define MCP_TOOL 1
/** A resource, known by its URI. */
#define MCP_RESOURCE 2
/** A resource template, known by its URI template. */
#define MCP_TEMPLATE 3
/** A prompt, known by its name. */
#define MCP_PROMPT 4
/** Completion of an argument of a prompt or a variable of a template. */
#define MCP_COMPLETION 5
/** A method of your own. */
#define MCP_METHOD 6
/** Or'ed to a kind: takes the place of one of that name; calls in flight finish on the old one. */
#define MCP_REPLACE 256
/** Or'ed to a kind: works, but is not listed. */
#define MCP_HIDDEN 512
/** Or'ed to MCP_TOOL: keeps a name outside A-Z a-z 0-9 _ - . as a gateway must. */
#define MCP_ANY_NAME 1024
/**
 * Or'ed to MCP_TOOL: you enforce the schema yourself, so that a pattern which cannot be used here, such as
 * one with look-around, is left to you. Everything else of the schema is still validated here.
 */
#define MCP_HOST_ENFORCES 2048
/** Or'ed to MCP_TOOL: lists the schemas as they are and validates nothing, as a gateway wants it. */
#define MCP_UNVALIDATED 4096
/** How long a call may take; -1 leaves it to the server. */
#define MCP_ITEM_DEADLINE_MS 1
/** Whether arguments that do not fit are tried again with "5" as 5: 0, 1, or -1 for as the server. */
#define MCP_ITEM_COERCE 2
/** For how long a result may be kept; -1 leaves the hints to the server. */
#define MCP_ITEM_CACHE_TTL_MS 3
/** Who may share it: MCP_CACHE_PRIVATE or MCP_CACHE_PUBLIC. */
#define MCP_ITEM_CACHE_SCOPE 4
/** Whether it is left out of lists: 0 or 1. */
#define MCP_ITEM_HIDDEN 5

/** Answers calls of one registered item. */
typedef mcp_status (*mcp_handler)(void *user_data, mcp_call *call);

/**
 * Registers a tool. description and input_schema (JSON Schema; none: an object of anything) may be NULL.
 * Arguments are validated before the handler runs.
 *
 * Returns: MCP_OK; MCP_E_NAME, MCP_E_SCHEMA with the place and the reason in mcp_server_last_error(),
 * MCP_E_JSON, MCP_E_EXISTS, MCP_E_NOMEM, MCP_E_UTF8, MCP_E_INVALID.
 * Ownership: texts are copied; destroy runs exactly once, also on failure.
 * Threads: any. Since: 0.1.0
 */
MCP_API mcp_status mcp_register_tool(mcp_server *server, const char *name, const char *description,
        const char *input_schema, mcp_handler handler, void *user_data, mcp_destroy destroy);

/**
 * Registers a resource whose contents the handler gives. mime_type may be NULL.
 *
 * Returns: MCP_OK; MCP_E_NAME for a URI that is not absolute, MCP_E_SCHEMA for an empty name,
 * MCP_E_EXISTS, MCP_E_NOMEM, MCP_E_UTF8, MCP_E_INVALID.
 * Ownership: texts are copied; destroy runs exactly once, also on failure.
 * Threads: any. Since: 0.1.0
 */
MCP_API mcp_status mcp_register_resource(mcp_server *server, const char *uri, const char *name,
        const char *mime_type, mcp_handler handler, void *user_data, mcp_destroy destroy);

/**
 * Registers a resource that never changes; sent as text if its type is textual and its bytes are UTF-8.
 *
 * Returns: as mcp_register_resource().
 * Ownership: texts and bytes are copied.
 * Threads: any. Since: 0.1.0
 */
MCP_API mcp_status mcp_register_static(mcp_server *server, const char *uri, const char *name, const
        char *mime_type, const void *data, size_t len);

/**
 * Registers resources whose URIs follow a template of RFC 6570; the handler reads its variables as
 * arguments and the URI as MCP_INFO_NAME. mime_type may be NULL.
 *
 * Returns: MCP_OK; MCP_E_SCHEMA for a template that cannot be used or an empty name, MCP_E_EXISTS,
 * MCP_E_NOMEM, MCP_E_UTF8, MCP_E_INVALID.
 * Ownership: texts are copied; destroy runs exactly once, also on failure.
 * Threads: any. Since: 0.1.0
 */
MCP_API mcp_status mcp_register_template(mcp_server *server, const char *uri_template, const char
        *name, const char *mime_type, mcp_handler handler, void *user_data, mcp_destroy destroy);

/**
 * Registers a prompt. description may be NULL; arguments is a JSON array of the specification's
 * PromptArgument, or NULL.
 *
 * Returns: MCP_OK; MCP_E_NAME, MCP_E_SCHEMA, MCP_E_JSON, MCP_E_EXISTS, MCP_E_NOMEM, MCP_E_UTF8,
 * MCP_E_INVALID.
 * Ownership: texts are copied; destroy runs exactly once, also on failure.
 * Threads: any. Since: 0.1.0
 */
MCP_API mcp_status mcp_register_prompt(mcp_server *server, const char *name, const char
        *description, const char *arguments, mcp_handler handler, void *user_data, mcp_destroy
        destroy);

/**
 * Registers suggestions for one argument of a prompt (kind MCP_PROMPT) or one variable of a template
 * (kind MCP_TEMPLATE). The handler reads "value", and the other arguments so far as "/arguments/NAME", and
 * adds one mcp_add_text() for each suggestion.
 *
 * Returns: MCP_OK; MCP_E_EXISTS, MCP_E_NOMEM, MCP_E_UTF8, MCP_E_INVALID.
 * Ownership: texts are copied; destroy runs exactly once, also on failure.
 * Threads: any. Since: 0.1.0
 */
MCP_API mcp_status mcp_register_completion(mcp_server *server, int32_t kind, const char *name, const
        char *argument, mcp_handler handler, void *user_data, mcp_destroy destroy);

/**
 * Registers a request or notification of your own; "*" takes all that nobody else does. The handler reads
 * the params as arguments and answers with mcp_reply_result().
 *
 * Returns: MCP_OK; MCP_E_NAME for a method that the engine answers itself, MCP_E_EXISTS, MCP_E_NOMEM,
 * MCP_E_UTF8, MCP_E_INVALID.
 * Ownership: texts are copied; destroy runs exactly once, also on failure.
 * Threads: any. Since: 0.1.0
 */
MCP_API mcp_status mcp_register_method(mcp_server *server, const char *method, mcp_handler handler,
        void *user_data, mcp_destroy destroy);

/**
 * Registers what the short forms cannot say. kind is MCP_TOOL, MCP_RESOURCE, MCP_TEMPLATE or MCP_PROMPT,
 * perhaps with flags or'ed to it; definition is the specification's own object as JSON, with title,
 * outputSchema, annotations, icons, _meta and so on.
 *
 * Returns: MCP_OK; MCP_E_JSON, MCP_E_SCHEMA, MCP_E_NAME, MCP_E_EXISTS, MCP_E_NOMEM, MCP_E_UTF8,
 * MCP_E_INVALID.
 * Ownership: the definition is copied; destroy runs exactly once, also on failure.
 * Threads: any. Since: 0.1.0
 */
MCP_API mcp_status mcp_register(mcp_server *server, int32_t kind, const char *definition,
        mcp_handler handler, void *user_data, mcp_destroy destroy);

/**
 * Removes an item by its kind and its name, URI, URI template or method. Calls in flight finish. For
 * completions there is mcp_unregister_completion().
 *
 * Returns: MCP_OK; MCP_E_NOT_FOUND, MCP_E_UTF8, MCP_E_INVALID.
 * Ownership: destroy of the item runs, if no call is in flight.
 * Threads: any. Since: 0.1.0
 */
MCP_API mcp_status mcp_unregister(mcp_server *server, int32_t kind, const char *name);

/**
 * Removes a completion, by what it was registered with.
 *
 * Returns: MCP_OK; MCP_E_NOT_FOUND, MCP_E_UTF8, MCP_E_INVALID.
 * Ownership: as mcp_unregister().
 * Threads: any. Since: 0.1.0
 */
MCP_API mcp_status mcp_unregister_completion(mcp_server *server, int32_t kind, const char *name,
        const char *argument);

/**
 * Sets the policy of one registered item; nothing of it is part of its definition. kind and name as in
 * mcp_unregister().
 *
 * Returns: MCP_OK; MCP_E_NOT_FOUND, MCP_E_INVALID for a value that makes no sense, MCP_E_UNSUPPORTED for
 * an unknown option.
 * Threads: any. Since: 0.1.0
 */
MCP_API mcp_status mcp_item_set_int(mcp_server *server, int32_t kind, const char *name, int32_t
        option, int64_t value);

/* Telling of changes -----------------------------------------------------------------------------
 *
 * Telling clients of changes, each in the way of its revision, and once for a burst of them.
 */

/**
 * Tells everybody who watches it that a resource has changed.
 *
 * Returns: MCP_OK; MCP_E_UTF8, MCP_E_INVALID.
 * Threads: any. Since: 0.1.0
 */
MCP_API mcp_status mcp_notify_resource_updated(mcp_server *server, const char *uri);

/**
 * Tells everybody who watches it that a list has changed. Registering does so by itself; this is for hosts
 * that answer list requests with handlers of their own.
 *
 * Returns: MCP_OK; MCP_E_INVALID for a kind without a list.
 * Threads: any. Since: 0.1.0
 */
MCP_API mcp_status mcp_notify_list_changed(mcp_server *server, int32_t kind);

/**
 * Tells the client that was sent to a page by this elicitationId that the user is done there.
 *
 * Returns: MCP_OK; MCP_E_NOT_FOUND if no client was sent there; MCP_E_UTF8, MCP_E_INVALID.
 * Threads: any. Since: 0.1.0
 */
MCP_API mcp_status mcp_notify_elicitation_complete(mcp_server *server, const char *elicitation_id);

/* Serving: the comfortable way -------------------------------------------------------------------
 *
 * Blocking loops for hosts that have none of their own. They start MCP_OPT_WORKERS threads that run handlers
 * and, while they have none to run, read, feed and write; and a thread that does the latter when handlers
 * take long. All of them are gone when the function returns, except one
 * whose handler does not return. Pings, lists and cancellations are answered while handlers work. If
 * MCP_OPT_DISPATCH is queued, handlers are left to mcp_server_run() on threads of your own.
 */

/**
 * Serves one client on standard input and output until the input ends or mcp_server_shutdown(). Meanwhile
 * what the program itself prints to standard output goes to standard error, so that it cannot spoil the
 * protocol (what stdio still buffers when this returns goes to standard output: flush it before). At the end of input open calls have MCP_OPT_GRACE_MS to finish, then they are cancelled; with
 * MCP_OPT_WORKERS 0 a handler that blocks keeps this function from returning until it returns.
 *
 * Returns: MCP_OK at the end; the status of the first registration that was refused, if one was, without
 * serving; MCP_E_STATE inside a handler, MCP_E_BUSY if another thread serves standard input, MCP_E_IO,
 * MCP_E_CLOSED if the server is freed meanwhile, MCP_E_UNSUPPORTED in builds without serve.
 * Threads: any that is not inside a callback. Since: 0.1.0
 */
MCP_API mcp_status mcp_serve_stdio(mcp_server *server);

/**
 * Serves clients on a socket until mcp_server_shutdown(), each connection framed as on standard input and
 * output. address is the path of a Unix socket ("/run/user/1000/app.sock", "./app.sock"), which only you
 * can connect to and which replaces a stale one; or a loopback address ("127.0.0.1:7000", "[::1]:0").
 * MCP_EVENT_LISTENING tells the observer the address, with the port that was chosen for port 0.
 *
 * Returns: as mcp_serve_stdio(); MCP_E_INVALID for an address that cannot be used, MCP_E_EXISTS if
 * somebody listens there already.
 * Ownership: the address is copied.
 * Threads: any that is not inside a callback. Since: 0.1.0
 */
MCP_API mcp_status mcp_serve_socket(mcp_server *server, const char *address);

/**
 * Serves an endpoint over HTTP until mcp_server_shutdown() of the server that was there first. address is
 * where to listen: "127.0.0.1:8080", "localhost:0", "[::1]:0", "0.0.0.0:80" if you mean it, or the path of a
 * Unix socket. MCP_EVENT_LISTENING tells the observer the URL without a path, with the port that was chosen for
 * port 0; or the path of the socket.
 * MCP_OPT_WORKERS and MCP_OPT_GRACE_MS are those of the first server. TLS is for a proxy in front.
 *
 * Returns: as mcp_serve_socket().
 * Ownership: the address is copied.
 * Threads: any that is not inside a callback. Since: 0.1.0
 */
MCP_API mcp_status mcp_serve_http(mcp_http *http, const char *address);

/* Session: one duplex pipe -----------------------------------------------------------------------
 *
 * One duplex pipe: stdio, a socket, a WebSocket, two threads of one process. Messages or raw bytes in,
 * messages or raw bytes out.
 *
 * Two ends of a session belong to one thread at a time. The byte end is mcp_session_receive() and
 * mcp_session_end(): concurrent or nested use is MCP_E_BUSY. The output end is mcp_session_poll(),
 * mcp_session_peek() and mcp_session_consume(): its pointers live until the next call of the same end,
 * whatever other threads feed, answer or notify meanwhile. mcp_handle_message() is not an end: any number
 * of threads, also from inside a handler, to a depth of 8.
 */

/**
 * A new session of the server.
 *
 * Returns: the session; NULL if the server is NULL, closed, shutting down, or out of memory.
 * Ownership: yours, until mcp_session_free().
 * Threads: any. Since: 0.1.0
 */
MCP_API mcp_session *mcp_session_new(mcp_server *server);

/**
 * Closes the session: cancels its open calls (their on_cancel runs, where handlers run) and discards its
 * output. Inside a
 * callback that runs below it, it closes at once and goes away when the outermost call returns. NULL is
 * allowed.
 *
 * Ownership: the session is not yours any more. Calls that you retained still are.
 * Threads: any, once. Since: 0.1.0
 */
MCP_API void mcp_session_free(mcp_session *session);

/**
 * Takes one whole message without framing; a newline at its end is harmless. What is wrong with it is
 * answered to the client and is MCP_OK here. Handlers run in here unless dispatch is queued.
 *
 * Returns: MCP_OK; MCP_E_LIMIT while output is full: take output, then try again; MCP_E_STATE after
 * mcp_session_end(); MCP_E_CLOSED, MCP_E_BUSY when nested too deeply or inside a hook, MCP_E_INVALID for
 * MCP_Z.
 * Ownership: the message is copied or finished with.
 * Threads: any, also several at once and from inside handlers. Since: 0.1.0
 */
MCP_API mcp_status mcp_handle_message(mcp_session *session, const char *message, size_t len);

/**
 * Takes bytes of a stream whose messages end with newlines.
 *
 * With out_used it stops after at most one message, so that you can mind a budget, and says how many bytes
 * it took; offer the rest again. With out_used NULL it takes everything, and cannot push back: if nobody
 * takes the output, the session closes.
 *
 * Returns: MCP_OK; with out_used, MCP_E_LIMIT and nothing taken while output is full: take output, then
 * offer the bytes again; MCP_E_STATE after mcp_session_end(); MCP_E_BUSY, MCP_E_CLOSED.
 * Ownership: the bytes are copied or finished with.
 * Threads: one at a time (the byte end). Since: 0.1.0
 */
MCP_API mcp_status mcp_session_receive(mcp_session *session, const void *data, size_t len, size_t
        *out_used);

/**
 * The input has ended; a last line without a newline counts. Output and open calls go on.
 *
 * Returns: MCP_OK, also when it had ended before; MCP_E_BUSY.
 * Threads: one at a time (the byte end). Since: 0.1.0
 */
MCP_API mcp_status mcp_session_end(mcp_session *session);

/**
 * The next message.
 *
 * Returns: its JSON text, which has *out_len bytes and no newline; a newline and a NUL follow, so that
 * fputs() writes one frame of stdio. NULL when there is none, or while bytes that mcp_session_peek() has
 * shown are not consumed.
 * Valid until: the next call of the output end, or mcp_session_free().
 * Threads: one at a time (the output end). Since: 0.1.0
 */
MCP_API const char *mcp_session_poll(mcp_session *session, size_t *out_len);

/**
 * The same output as a stream of bytes in which each message ends with a newline: for writing to
 * something that may take only a part. Shows what is there; mcp_session_consume() takes it.
 *
 * Returns: the bytes, *out_len of them, without a NUL; NULL when there are none. out_len must not be NULL.
 * Valid until: the next call of the output end, or mcp_session_free().
 * Threads: one at a time (the output end). Since: 0.1.0
 */
MCP_API const char *mcp_session_peek(mcp_session *session, size_t *out_len);

/**
 * So many of the bytes that mcp_session_peek() has shown were written. Until then they count as waiting
 * output, against the limits and in mcp_session_finished().
 *
 * Returns: MCP_OK; MCP_E_INVALID for more than was shown; MCP_E_BUSY.
 * Threads: one at a time (the output end). Since: 0.1.0
 */
MCP_API mcp_status mcp_session_consume(mcp_session *session, size_t len);

/**
 * Sets who is told that there is output: once when output appears after all of it was taken or none was
 * found, on whatever thread made it, also in the middle of mcp_handle_message(); and when the session becomes
 * finished, unless that is because you have just taken its last output. It never runs concurrently with itself, so that it may signal
 * your loop or take the output right there. A NULL wake takes it away.
 *
 * Returns: MCP_OK.
 * Ownership: destroy runs exactly once, after the last run of the old wake, also on failure.
 * Threads: any. Since: 0.1.0
 */
MCP_API mcp_status mcp_session_set_wake(mcp_session *session, mcp_wake wake, void *user_data,
        mcp_destroy destroy);

/**
 * Attaches something of yours that handlers find with mcp_call_context(), for messages handed in from now
 * on; calls keep what they started with. NULL for nothing.
 *
 * Returns: MCP_OK.
 * Ownership: destroy runs exactly once, after the last call that has it, also on failure.
 * Threads: any. Since: 0.1.0
 */
MCP_API mcp_status mcp_session_set_context(mcp_session *session, void *context, mcp_destroy
        destroy);

/**
 * Says who the client is (MCP_INFO_PRINCIPAL), for messages handed in from now on. What it is asked can be
 * answered by the same principal only. NULL for nobody.
 *
 * Returns: MCP_OK; MCP_E_UTF8.
 * Ownership: the text is copied.
 * Threads: any. Since: 0.1.0
 */
MCP_API mcp_status mcp_session_set_principal(mcp_session *session, const char *principal);

/**
 * Sends a notification of your own. params is a JSON object, NULL and 0 for none.
 *
 * Returns: MCP_OK; MCP_E_JSON, MCP_E_UTF8, MCP_E_LIMIT while output is full, MCP_E_CLOSED.
 * Ownership: method and params are copied.
 * Threads: any. Since: 0.1.0
 */
MCP_API mcp_status mcp_session_notify(mcp_session *session, const char *method, const char *params,
        size_t params_len);

/**
 * Whether the session has nothing more to do: its input has ended (or it is closed, or the server shuts
 * down), every call is answered and all output taken. One question, so that there is no race.
 *
 * Returns: 1 or 0; 1 for NULL.
 * Threads: any. Since: 0.1.0
 */
MCP_API int32_t mcp_session_finished(const mcp_session *session);

/**
 * How many requests of the client wait for an answer.
 *
 * Returns: the number; 0 for NULL.
 * Threads: any. Since: 0.1.0
 */
MCP_API int32_t mcp_session_open_calls(const mcp_session *session);

/* HTTP: an endpoint ------------------------------------------------------------------------------
 *
 * MCP over HTTP without the socket: give the library requests of whatever HTTP server you have, and send
 * what it answers. mcp_serve_http() is for hosts that have none.
 *
 * An endpoint serves every revision. Sessions, streams and their resumption are for clients before
 * 2026-07-28, which has none of that. Unless told otherwise, only requests to this machine by one of its own
 * names (localhost, 127.0.0.1, [::1]) come in, and of pages only its own: a web page must not be able to use
 * a local server behind its user's back.
 */

/** Bytes of a body; default 4 MiB. */
#define MCP_HTTP_MAX_BODY 1
/** Sessions of clients before 2026-07-28 at a time; default 1024. */
#define MCP_HTTP_MAX_SESSIONS 2
/** After how many milliseconds without a request or stream a session ends; 0 for never; default 1800000. */
#define MCP_HTTP_SESSION_IDLE_MS 3
/** After how many milliseconds of silence a stream says that it is still there; 0 for never; default 15000. */
#define MCP_HTTP_KEEPALIVE_MS 4
/** Bytes of messages kept for each session, for clients that lost their connection; default 262144. */
#define MCP_HTTP_REPLAY_BYTES 5
/** In how many milliseconds a client is to come back whose stream was closed; default 1000. */
#define MCP_HTTP_RETRY_MS 6
/**
 * Whether clients before 2026-07-28 are served without sessions, each request for itself: they cannot be
 * asked or told of changes; default 0.
 */
#define MCP_HTTP_STATELESS 7
/** mcp_serve_http(): connections at a time; default 1024. */
#define MCP_HTTP_MAX_CONNECTIONS 8
/**
 * mcp_serve_http(): how long the head of a request may take, in milliseconds; 0, here and below, for as long as
 * it likes; default 10000.
 */
#define MCP_HTTP_HEADER_TIMEOUT_MS 9
/** mcp_serve_http(): how long the body of a request may take; default 30000. */
#define MCP_HTTP_BODY_TIMEOUT_MS 10
/** mcp_serve_http(): how long a connection may be without a request; default 60000. */
#define MCP_HTTP_IDLE_TIMEOUT_MS 11
/** mcp_serve_http(): how long a client may take no output while there is some; default 30000. */
#define MCP_HTTP_WRITE_TIMEOUT_MS 12
/** Headers of a request; default 100, at most 16384. */
#define MCP_HTTP_MAX_HEADERS 13
/** Bytes of them; default 32768, at most 1048576. */
#define MCP_HTTP_MAX_HEADER_BYTES 14
/** Requests of one server that wait for the rest of their answer, streams included; default 4096. */
#define MCP_HTTP_MAX_EXCHANGES 15
/**
 * A name by which requests may address the server (Host): "example.org", "example.org:8443", or "*" for
 * all. The first one takes the place of the names of this machine, the others are added.
 */
#define MCP_HTTP_ALLOW_HOST 100
/** A page that may send requests (Origin): "https://example.org", or "*" for all. As above. */
#define MCP_HTTP_ALLOW_ORIGIN 101
/** A page whose scripts may read the answers too (CORS), or "*" for all; added. */
#define MCP_HTTP_CORS_ORIGIN 102
/**
 * The metadata of this protected resource (RFC 9728): a JSON object with at least resource, the URL of the
 * endpoint. Served under /.well-known/oauth-protected-resource, and named to clients that lack authorisation.
 */
#define MCP_HTTP_RESOURCE_METADATA 103
/** The path of the stream of 2024-11-05. With MCP_HTTP_SSE_POST_PATH it turns that transport on. */
#define MCP_HTTP_SSE_PATH 104
/** The path that clients of 2024-11-05 post to. */
#define MCP_HTTP_SSE_POST_PATH 105

/**
 * Decides about a request when its headers are complete: read them with mcp_exchange_request_header(), say
 * who it is with mcp_exchange_set_principal(), and return 0; or return 401 or 403. The exchange is yours
 * until you return, and nothing else can be done with it. Whatever else you return is 403. While
 * mcp_serve_http() runs, it runs on the thread that serves everybody, so that it should be quick.
 */
typedef int32_t (*mcp_authorize)(void *user_data, mcp_exchange *exchange);

/**
 * An endpoint with the server at a path, such as "/mcp".
 *
 * Returns: the endpoint; NULL if server or path is NULL, the path does not start with a slash, or in builds
 * without exchange, the smallest.
 * Ownership: yours, until mcp_http_free(). The server may be freed before or after.
 * Threads: any. Since: 0.1.0
 */
MCP_API mcp_http *mcp_http_new(mcp_server *server, const char *path);

/**
 * Ends all sessions of the endpoint and takes no more requests. Exchanges are still yours to free, and go on.
 * NULL is allowed.
 *
 * Ownership: the endpoint is not yours any more.
 * Threads: any, once. Since: 0.1.0
 */
MCP_API void mcp_http_free(mcp_http *http);

/**
 * Puts another server at another path of the endpoint, such as "/mcp/other".
 *
 * Returns: MCP_OK; MCP_E_EXISTS if there is one at that path, MCP_E_NAME for a path that cannot be one.
 * Ownership: the path is copied; the server may be freed before or after the endpoint.
 * Threads: any. Since: 0.1.0
 */
MCP_API mcp_status mcp_http_mount(mcp_http *http, const char *path, mcp_server *server);

/**
 * Takes the server at a path away again; its sessions end. The one that was there first stays.
 *
 * Returns: MCP_OK; MCP_E_NOT_FOUND.
 * Threads: any. Since: 0.1.0
 */
MCP_API mcp_status mcp_http_unmount(mcp_http *http, const char *path);

/**
 * Sets an option that is a number: MCP_HTTP_MAX_BODY and those that follow it.
 *
 * Returns: MCP_OK; MCP_E_INVALID for a value that makes no sense, MCP_E_UNSUPPORTED for an unknown option.
 * Threads: any. Since: 0.1.0
 */
MCP_API mcp_status mcp_http_set_int(mcp_http *http, int32_t option, int64_t value);

/**
 * Sets an option that is a text: MCP_HTTP_ALLOW_HOST and those that follow it. Hosts and origins are lists,
 * to which each call adds one. NULL empties a list, or takes a text away.
 *
 * Returns: MCP_OK; MCP_E_INVALID or MCP_E_NAME for a text that makes no sense, MCP_E_JSON, MCP_E_UTF8,
 * MCP_E_UNSUPPORTED for an unknown option.
 * Ownership: the text is copied.
 * Threads: any. Since: 0.1.0
 */
MCP_API mcp_status mcp_http_set_str(mcp_http *http, int32_t option, const char *value);

/**
 * Sets who decides about requests. A NULL function takes it away: then all that come in may go on.
 *
 * Returns: MCP_OK.
 * Ownership: destroy runs exactly once, after the last run of the old function, also on failure.
 * Threads: any. Since: 0.1.0
 */
MCP_API mcp_status mcp_http_set_authorize(mcp_http *http, mcp_authorize authorize, void *user_data,
        mcp_destroy destroy);

/* HTTP: one request and its response -------------------------------------------------------------
 *
 * One HTTP request and its perhaps endless response. Hand in what your HTTP server gives you: open, header
 * after header, the body by pieces, end. The response may be there early, when the request is refused: look
 * at mcp_exchange_status() after each step. Then send status, headers and what mcp_exchange_poll() gives,
 * until mcp_exchange_finished(); a wake says when there is more. Have mcp_server_timeout() and
 * mcp_server_tick() run as for sessions: they keep streams alive and end sessions that nobody uses.
 *
 * Two ends of an exchange belong to one thread at a time: mcp_exchange_header(), mcp_exchange_body() and
 * mcp_exchange_end(); and mcp_exchange_poll(). Concurrent use is MCP_E_BUSY.
 */

/** The method of the request. */
#define MCP_EXCHANGE_METHOD 1
/** The path of the request, without the query. */
#define MCP_EXCHANGE_PATH 2

/**
 * A request arrives. target is what stands in the request line: the path, with the query if there is one.
 *
 * Returns: the exchange; NULL if http or method is NULL, the endpoint or its server is closed, or there is no
 * memory. NULL may be used like any exchange: its response is an empty 503, and finished.
 * Ownership: yours, until mcp_exchange_free(). The texts are copied.
 * Threads: any. Since: 0.1.0
 */
MCP_API mcp_exchange *mcp_http_open(mcp_http *http, const char *method, const char *target, size_t
        target_len);

/**
 * Takes one header of the request. What is wrong with it is said in the response.
 *
 * Returns: MCP_OK, also when the response is settled already; MCP_E_STATE after the first piece of the body;
 * MCP_E_BUSY.
 * Ownership: name and value are copied; lengths may be MCP_Z.
 * Threads: one at a time (the request end). Since: 0.1.0
 */
MCP_API mcp_status mcp_exchange_header(mcp_exchange *exchange, const char *name, size_t name_len,
        const char *value, size_t value_len);

/**
 * Takes a piece of the body, which may be empty: the headers are complete. The authorising function runs in
 * here.
 *
 * Returns: MCP_OK, also when the response is settled already and nothing more is kept; MCP_E_STATE after
 * mcp_exchange_end(); MCP_E_BUSY, MCP_E_INVALID for MCP_Z.
 * Ownership: the bytes are copied.
 * Threads: one at a time (the request end). Since: 0.1.0
 */
MCP_API mcp_status mcp_exchange_body(mcp_exchange *exchange, const void *data, size_t len);

/**
 * The request is complete. Handlers run in here unless dispatch is queued.
 *
 * Returns: MCP_OK; MCP_E_STATE when it was called before; MCP_E_BUSY when nested too deeply or inside a hook.
 * Threads: one at a time (the request end). Since: 0.1.0
 */
MCP_API mcp_status mcp_exchange_end(mcp_exchange *exchange);

/**
 * The status of the response.
 *
 * Returns: 0 until the head is settled, then the HTTP status; 503 for NULL.
 * Threads: any. Since: 0.1.0
 */
MCP_API int32_t mcp_exchange_status(const mcp_exchange *exchange);

/**
 * A header of the response, by its number from 0 on. There is no Content-Length among them, no Date and no
 * Connection: those are your HTTP server's.
 *
 * Returns: MCP_OK; MCP_DONE when there are no more, or the head is not settled.
 * Valid until: mcp_exchange_free().
 * Threads: any. Since: 0.1.0
 */
MCP_API mcp_status mcp_exchange_response_header(const mcp_exchange *exchange, size_t index, const
        char **out_name, const char **out_value);

/**
 * The next bytes of the response's body: all of a JSON body, or events of a stream.
 *
 * Returns: the bytes, *out_len of them, and a NUL behind them; NULL when there are none now. out_len must not
 * be NULL.
 * Valid until: the next mcp_exchange_poll() of this exchange, or mcp_exchange_free().
 * Threads: one at a time. Since: 0.1.0
 */
MCP_API const char *mcp_exchange_poll(mcp_exchange *exchange, size_t *out_len);

/**
 * Whether all of the response was taken and nothing will come.
 *
 * Returns: 1 or 0; 1 for NULL.
 * Threads: any. Since: 0.1.0
 */
MCP_API int32_t mcp_exchange_finished(const mcp_exchange *exchange);

/**
 * Whether the response is a stream of events, to be passed on piece by piece, as opposed to a body that is
 * there as a whole.
 *
 * Returns: 1 or 0; 0 until the head is settled, and for NULL.
 * Threads: any. Since: 0.1.0
 */
MCP_API int32_t mcp_exchange_is_stream(const mcp_exchange *exchange);

/**
 * Sets who is told that the head, bytes of the body, or the end have appeared, on whatever thread made them.
 * It never runs concurrently with itself, so that it may signal your loop or poll right there. A NULL wake
 * takes it away.
 *
 * Returns: MCP_OK.
 * Ownership: destroy runs exactly once, after the last run of the old wake, also on failure.
 * Threads: any. Since: 0.1.0
 */
MCP_API mcp_status mcp_exchange_set_wake(mcp_exchange *exchange, mcp_wake wake, void *user_data,
        mcp_destroy destroy);

/**
 * Attaches something of yours that handlers find with mcp_call_context(); before mcp_exchange_end().
 *
 * Returns: MCP_OK.
 * Ownership: destroy runs exactly once, after the last call that has it, also on failure.
 * Threads: any. Since: 0.1.0
 */
MCP_API mcp_status mcp_exchange_set_context(mcp_exchange *exchange, void *context, mcp_destroy
        destroy);

/**
 * Says who the client is (MCP_INFO_PRINCIPAL); before mcp_exchange_end(), or in the authorising function. A
 * session can be used, and what is asked answered, by the same principal only. NULL for nobody.
 *
 * Returns: MCP_OK; MCP_E_UTF8.
 * Ownership: the text is copied.
 * Threads: any. Since: 0.1.0
 */
MCP_API mcp_status mcp_exchange_set_principal(mcp_exchange *exchange, const char *principal);

/**
 * Adds parameters to the challenge (WWW-Authenticate) that a client gets whom the authorising function
 * refuses, such as "scope=\"files:read\"".
 *
 * Returns: MCP_OK; MCP_E_INVALID for what cannot stand in a header.
 * Ownership: the text is copied.
 * Threads: any. Since: 0.1.0
 */
MCP_API mcp_status mcp_exchange_set_challenge(mcp_exchange *exchange, const char *parameters);

/**
 * The first header of the request that has this name, in whatever case.
 *
 * Returns: its value, NUL-terminated; NULL if there is none.
 * Valid until: mcp_exchange_free(), or the authorising function returns.
 * Threads: any. Since: 0.1.0
 */
MCP_API const char *mcp_exchange_request_header(const mcp_exchange *exchange, const char *name,
        size_t *out_len);

/**
 * What the request line says; what is one of MCP_EXCHANGE_...
 *
 * Returns: the text, NUL-terminated; NULL if there is none.
 * Valid until: mcp_exchange_free(), or the authorising function returns.
 * Threads: any. Since: 0.1.0
 */
MCP_API const char *mcp_exchange_info(const mcp_exchange *exchange, int32_t what, size_t *out_len);

/**
 * Lets go of an exchange. Before it is finished this means that the client is gone: what it asked for by
 * 2026-07-28 is cancelled, older requests go on, and their streams wait for the client to come back. NULL is
 * allowed.
 *
 * Ownership: the exchange is not yours any more.
 * Threads: any, once. Since: 0.1.0
 */
MCP_API void mcp_exchange_free(mcp_exchange *exchange);

/* Call: reading ----------------------------------------------------------------------------------
 *
 * One attempt at answering one request.
 *
 * A call is open while somebody holds it: the engine while the handler runs, the host for longer with
 * mcp_call_retain(), on any thread, until mcp_call_release(). Pointers read from a call live as long as
 * somebody holds it. After the call is answered, cancelled or timed out, or its session or server freed,
 * readers still work until the last holder lets go.
 */

/** The method, such as tools/call. */
#define MCP_INFO_METHOD 1
/** The tool, the prompt or the URI; for completions the prompt or template. */
#define MCP_INFO_NAME 2
/** JSON text of the request's id; NULL for a notification. */
#define MCP_INFO_ID 3
/** JSON text of _meta. */
#define MCP_INFO_META 4
/** The revision in which the answer is written, such as 2026-07-28. */
#define MCP_INFO_REVISION 5
/** JSON text of what the client says it is. */
#define MCP_INFO_CLIENT 6
/** JSON text of what the client says it can do. */
#define MCP_INFO_CLIENT_CAPABILITIES 7
/** Who asks, as mcp_session_set_principal() said. */
#define MCP_INFO_PRINCIPAL 8
/** The W3C traceparent that came with the request. */
#define MCP_INFO_TRACEPARENT 9
/** The W3C tracestate that came with the request. */
#define MCP_INFO_TRACESTATE 10
/** The W3C baggage that came with the request. */
#define MCP_INFO_BAGGAGE 11
/** Why the call was cancelled, if somebody said. */
#define MCP_INFO_CANCEL_REASON 12
/** What an earlier attempt kept with MCP_SET_STATE. */
#define MCP_INFO_STATE 13
/** Of an error on its way out only, see mcp_failure_info(): its message. */
#define MCP_INFO_MESSAGE 14
/** Of an error on its way out only, see mcp_failure_info(): JSON text of its data. */
#define MCP_INFO_DATA 15
/** The id of the HTTP session that the call belongs to (before 2026-07-28). It is a secret of the client's. */
#define MCP_INFO_SESSION_ID 16

/**
 * Holds the call for longer than the handler runs. Do it before another thread can see the call.
 *
 * Returns: its argument; NULL for NULL.
 * Ownership: one mcp_call_release() is yours to make.
 * Threads: any that holds the call. Since: 0.1.0
 */
MCP_API mcp_call *mcp_call_retain(mcp_call *call);

/**
 * Lets the call go, once for each mcp_call_retain() and for what mcp_server_next_call() gave. If nobody
 * holds it any more and nobody has answered, the client gets an internal error. NULL is allowed.
 *
 * Ownership: the call is not yours any more. One release too many is undefined, as with free().
 * Threads: any. Since: 0.1.0
 */
MCP_API void mcp_call_release(mcp_call *call);

/**
 * An argument that is a text: of a tool or prompt, a variable of a template, a member of the params of a
 * custom method. `path` is a member name, or a JSON Pointer if it starts with '/'.
 *
 * Returns: the decoded text, NUL-terminated; NULL if it is absent or not a string. With out_len NULL, a
 * text that contains a NUL counts as absent, so that nothing is ever cut short.
 * Valid until: the last holder lets go of the call.
 * Threads: any that holds the call. Since: 0.1.0
 */
MCP_API const char *mcp_arg_str(mcp_call *call, const char *path, size_t *out_len);

/**
 * An argument that is an integer; 5.0 is one.
 *
 * Returns: the value; fallback if it is absent, of another type, or does not fit.
 * Threads: any that holds the call. Since: 0.1.0
 */
MCP_API int64_t mcp_arg_int(mcp_call *call, const char *path, int64_t fallback);

/**
 * An argument that is a number. No locale can change how it is read.
 *
 * Returns: the value; fallback if it is absent, of another type, or not finite.
 * Threads: any that holds the call. Since: 0.1.0
 */
MCP_API double mcp_arg_num(mcp_call *call, const char *path, double fallback);

/**
 * An argument that is true or false.
 *
 * Returns: 1 or 0; fallback if it is absent or of another type.
 * Threads: any that holds the call. Since: 0.1.0
 */
MCP_API int32_t mcp_arg_bool(mcp_call *call, const char *path, int32_t fallback);

/**
 * The JSON text of an argument, as the client wrote it; the empty path is all arguments.
 *
 * Returns: the text, NUL-terminated; NULL if it is absent.
 * Valid until: the last holder lets go of the call.
 * Threads: any that holds the call. Since: 0.1.0
 */
MCP_API const char *mcp_arg_json(mcp_call *call, const char *path, size_t *out_len);

/**
 * What is known of the call; what is one of MCP_INFO_...
 *
 * Returns: the text, NUL-terminated; NULL if there is none.
 * Valid until: the last holder lets go of the call.
 * Threads: any that holds the call. Since: 0.1.0
 */
MCP_API const char *mcp_call_info(mcp_call *call, int32_t what, size_t *out_len);

/**
 * The first header of that name, in whatever case, of the HTTP request that the call came with.
 *
 * Returns: its value, NUL-terminated; NULL if there is none, or the call did not come over HTTP.
 * Valid until: the last holder lets go of the call.
 * Threads: any that holds the call. Since: 0.1.0
 */
MCP_API const char *mcp_call_header(const mcp_call *call, const char *name, size_t *out_len);

/**
 * What mcp_session_set_context() or mcp_exchange_set_context() had attached when the message came.
 *
 * Returns: the pointer; NULL if there is none.
 * Valid until: its destroy runs, which is not before the last holder lets go of the call.
 * Threads: any that holds the call. Since: 0.1.0
 */
MCP_API void *mcp_call_context(const mcp_call *call);

/**
 * The user_data with which the item was registered; for mcp_server_next_call().
 *
 * Returns: the pointer.
 * Valid until: its destroy runs, which is not before the last holder lets go of the call.
 * Threads: any that holds the call. Since: 0.1.0
 */
MCP_API void *mcp_call_user_data(const mcp_call *call);

/**
 * Whether nobody waits for the answer any more: cancelled, timed out, client gone, session or server
 * freed. Cheap: ask it in a loop.
 *
 * Returns: 1 or 0; 1 for NULL.
 * Threads: any that holds the call. Since: 0.1.0
 */
MCP_API int32_t mcp_call_cancelled(const mcp_call *call);

/**
 * Runs function when the call is cancelled; at once, in here, if it is already. It runs at most once, and not at
 * all if the call is answered. A call that is cancelled while it waits for its handler never reaches it. One for each call: a second takes the place of the first.
 *
 * Returns: MCP_OK; MCP_E_INVALID for a NULL function.
 * Ownership: destroy runs exactly once, also on failure.
 * Threads: any that holds the call. It runs where handlers run. Since: 0.1.0
 */
MCP_API mcp_status mcp_call_on_cancel(mcp_call *call, mcp_wake function, void *user_data,
        mcp_destroy destroy);

/**
 * Moves the deadline of the call; -1 takes it away. When it passes, mcp_server_tick() answers "timed out"
 * and cancels the call.
 *
 * Returns: MCP_OK; MCP_E_INVALID for a notification; MCP_E_ANSWERED, MCP_E_CANCELLED.
 * Threads: any that holds the call. Since: 0.1.0
 */
MCP_API mcp_status mcp_call_set_deadline(mcp_call *call, int64_t ms_from_now);

/* Call: answering --------------------------------------------------------------------------------
 *
 * Answering a call. It is answered at most once: a second answer is MCP_E_ANSWERED, one after cancel,
 * timeout or free MCP_E_CANCELLED, and neither sends anything.
 */

/** JSON: the whole structured content of a tool. */
#define MCP_SET_STRUCTURED 1
/** A JSON object: _meta of the result. */
#define MCP_SET_META 2
/** "user" or "assistant": who speaks in the prompt messages that are added from now on. */
#define MCP_SET_ROLE 3
/** A number: how many values a completion has in all. */
#define MCP_SET_TOTAL 4
/** "true" or "false": whether a completion has more values than were added. */
#define MCP_SET_HAS_MORE 5
/** Text: the description of a prompt result. */
#define MCP_SET_DESCRIPTION 6
/** Text: what the next attempt finds in MCP_INFO_STATE. */
#define MCP_SET_STATE 7
/** JSON: the data of an error, for mcp_fail(). */
#define MCP_SET_ERROR_DATA 8
/** Text: the stack trace of an error, for mcp_fail(); leaves the process only with MCP_OPT_STACKTRACE. */
#define MCP_SET_STACKTRACE 9
/** Levels of log messages, as syslog has them. */
#define MCP_LOG_DEBUG 0
/** See MCP_LOG_DEBUG. */
#define MCP_LOG_INFO 1
/** See MCP_LOG_DEBUG. */
#define MCP_LOG_NOTICE 2
/** See MCP_LOG_DEBUG. */
#define MCP_LOG_WARNING 3
/** See MCP_LOG_DEBUG. */
#define MCP_LOG_ERROR 4
/** See MCP_LOG_DEBUG. */
#define MCP_LOG_CRITICAL 5
/** See MCP_LOG_DEBUG. */
#define MCP_LOG_ALERT 6
/** See MCP_LOG_DEBUG. */
#define MCP_LOG_EMERGENCY 7
/** Or'ed to a level: the text is any JSON value instead of plain text. */
#define MCP_LOG_JSON 256

/**
 * Answers with what has been added.
 *
 * Returns: MCP_OK; MCP_E_OUTPUT, and the call stays open, if a tool's structured content does not fit
 * its output schema; MCP_E_ANSWERED, MCP_E_CANCELLED.
 * Threads: any that holds the call. Since: 0.1.0
 */
MCP_API mcp_status mcp_reply(mcp_call *call);

/**
 * Adds text and answers: mcp_add_text() and mcp_reply() in one.
 *
 * Returns: MCP_OK; MCP_E_UTF8, MCP_E_OUTPUT, MCP_E_LIMIT for more than an answer has room for (twice
 * MCP_LIMIT_OUTPUT_BYTES), MCP_E_ANSWERED, MCP_E_CANCELLED.
 * Ownership: the text is copied.
 * Threads: any that holds the call. Since: 0.1.0
 */
MCP_API mcp_status mcp_reply_text(mcp_call *call, const char *text, size_t len);

/**
 * Answers a tool call with structured content, and with its text unless content has been added.
 *
 * Returns: MCP_OK; MCP_E_INVALID if it is no tool call; MCP_E_JSON, MCP_E_OUTPUT, MCP_E_LIMIT,
 * MCP_E_ANSWERED, MCP_E_CANCELLED.
 * Ownership: the JSON is copied.
 * Threads: any that holds the call. Since: 0.1.0
 */
MCP_API mcp_status mcp_reply_json(mcp_call *call, const char *json, size_t len);

/**
 * Answers with a whole result object, as the specification writes it. What has been added is dropped.
 *
 * Returns: MCP_OK; MCP_E_JSON, MCP_E_SCHEMA if it is not a result of this method, MCP_E_OUTPUT, MCP_E_LIMIT,
 * MCP_E_ANSWERED, MCP_E_CANCELLED.
 * Ownership: the JSON is copied.
 * Threads: any that holds the call. Since: 0.1.0
 */
MCP_API mcp_status mcp_reply_result(mcp_call *call, const char *json, size_t len);

/**
 * Answers with a JSON-RPC error of your own code. data is JSON, or NULL and 0 for none; what is not JSON
 * is sent as a text.
 *
 * Returns: MCP_OK; MCP_E_UTF8, MCP_E_ANSWERED, MCP_E_CANCELLED.
 * Ownership: message and data are copied.
 * Threads: any that holds the call. Since: 0.1.0
 */
MCP_API mcp_status mcp_reply_error(mcp_call *call, int32_t code, const char *message, const char
        *data, size_t data_len);

/**
 * Answers with an error by its kind, one of MCP_KIND_...: the error table decides on code and form.
 * MCP_KIND_TOOL_FAILED is what a model should read. MCP_SET_ERROR_DATA and MCP_SET_STACKTRACE go along if
 * they were set.
 *
 * Returns: MCP_OK; MCP_E_INVALID for an unknown kind; MCP_E_UTF8, MCP_E_ANSWERED, MCP_E_CANCELLED.
 * Ownership: the text is copied.
 * Threads: any that holds the call. Since: 0.1.0
 */
MCP_API mcp_status mcp_fail(mcp_call *call, int32_t kind, const char *text, size_t len);

/**
 * Adds text: a content block of a tool or prompt, the contents of a resource, or one value of a
 * completion.
 *
 * Returns: MCP_OK; MCP_E_UTF8, MCP_E_LIMIT, MCP_E_ANSWERED, MCP_E_CANCELLED.
 * Ownership: the text is copied.
 * Threads: any that holds the call. Since: 0.1.0
 */
MCP_API mcp_status mcp_add_text(mcp_call *call, const char *text, size_t len);

/**
 * Adds an image or sound, or the bytes of a resource. For a resource mime_type may be NULL: as it was
 * registered.
 *
 * Returns: MCP_OK; MCP_E_INVALID where the method has no such content; MCP_E_LIMIT,
 * MCP_E_ANSWERED, MCP_E_CANCELLED.
 * Ownership: the bytes are copied.
 * Threads: any that holds the call. Since: 0.1.0
 */
MCP_API mcp_status mcp_add_media(mcp_call *call, const char *mime_type, const void *data, size_t
        len);

/**
 * Adds an embedded resource; with data NULL and len 0 a link to one, which needs a name. While a resource
 * is read: the contents of a further URI. mime_type may be NULL.
 *
 * Returns: MCP_OK; MCP_E_INVALID where the method has no such content; MCP_E_LIMIT,
 * MCP_E_ANSWERED, MCP_E_CANCELLED.
 * Ownership: everything is copied.
 * Threads: any that holds the call. Since: 0.1.0
 */
MCP_API mcp_status mcp_add_resource(mcp_call *call, const char *uri, const char *name, const char
        *mime_type, const void *data, size_t len);

/**
 * Adds a block as the specification writes it: content of a tool or prompt, contents of a resource.
 *
 * Returns: MCP_OK; MCP_E_JSON, MCP_E_SCHEMA if it is no such block; MCP_E_LIMIT, MCP_E_ANSWERED,
 * MCP_E_CANCELLED.
 * Ownership: the JSON is copied.
 * Threads: any that holds the call. Since: 0.1.0
 */
MCP_API mcp_status mcp_add_json(mcp_call *call, const char *block, size_t len);

/**
 * Sets one member of a tool's structured content to a text; then mcp_reply(). Quotes and escapes.
 *
 * Returns: MCP_OK; MCP_E_INVALID if it is no tool call; MCP_E_UTF8, MCP_E_EXISTS, MCP_E_LIMIT,
 * MCP_E_ANSWERED, MCP_E_CANCELLED.
 * Ownership: key and text are copied.
 * Threads: any that holds the call. Since: 0.1.0
 */
MCP_API mcp_status mcp_put_str(mcp_call *call, const char *key, const char *text, size_t len);

/**
 * Sets one member of a tool's structured content to an integer.
 *
 * Returns: as mcp_put_str().
 * Threads: any that holds the call. Since: 0.1.0
 */
MCP_API mcp_status mcp_put_int(mcp_call *call, const char *key, int64_t value);

/**
 * Sets one member of a tool's structured content to a number. No locale can change how it is written.
 *
 * Returns: as mcp_put_str(); MCP_E_INVALID for infinities and NaN too.
 * Threads: any that holds the call. Since: 0.1.0
 */
MCP_API mcp_status mcp_put_num(mcp_call *call, const char *key, double value);

/**
 * Sets one member of a tool's structured content to false (0) or true.
 *
 * Returns: as mcp_put_str().
 * Threads: any that holds the call. Since: 0.1.0
 */
MCP_API mcp_status mcp_put_bool(mcp_call *call, const char *key, int32_t value);

/**
 * Sets one member of a tool's structured content to a JSON value.
 *
 * Returns: as mcp_put_str(); MCP_E_JSON.
 * Ownership: key and JSON are copied.
 * Threads: any that holds the call. Since: 0.1.0
 */
MCP_API mcp_status mcp_put_json(mcp_call *call, const char *key, const char *json, size_t len);

/**
 * Sets a part of the answer; what is one of MCP_SET_...
 *
 * Returns: MCP_OK; MCP_E_INVALID where the method has no such part, or for a value that makes no sense;
 * MCP_E_UTF8, MCP_E_JSON, MCP_E_LIMIT, MCP_E_UNSUPPORTED for an unknown number; MCP_E_ANSWERED,
 * MCP_E_CANCELLED.
 * Ownership: the value is copied.
 * Threads: any that holds the call. Since: 0.1.0
 */
MCP_API mcp_status mcp_reply_set(mcp_call *call, int32_t what, const char *value, size_t len);

/**
 * Tells how far the work has come; dropped unless the client asked for it. progress must grow from one
 * report to the next. total below 0: unknown. message may be NULL.
 *
 * Returns: MCP_OK, also when dropped; MCP_E_INVALID if it does not grow or is not finite; MCP_E_UTF8,
 * MCP_E_LIMIT, MCP_E_ANSWERED, MCP_E_CANCELLED.
 * Ownership: the message is copied.
 * Threads: any that holds the call. Since: 0.1.0
 */
MCP_API mcp_status mcp_progress(mcp_call *call, double progress, double total, const char *message);

/**
 * Ends the connection on which the client waits for the answer, and lets it come back for the rest after
 * MCP_HTTP_RETRY_MS: for calls that take long.
 *
 * Returns: MCP_OK; MCP_E_STATE, and nothing happens, where the client could not come back: it can over HTTP,
 * in a session of 2025-11-25. MCP_E_ANSWERED, MCP_E_CANCELLED.
 * Threads: any that holds the call. Since: 0.1.0
 */
MCP_API mcp_status mcp_call_close_stream(mcp_call *call);

/**
 * Sends a log message; dropped unless the client wants messages of this level. logger may be NULL.
 * Logging is deprecated in 2026-07-28, and served there for requests that ask for it.
 *
 * Returns: MCP_OK, also when dropped; MCP_E_INVALID for an unknown level; MCP_E_UTF8, MCP_E_JSON,
 * MCP_E_LIMIT, MCP_E_ANSWERED, MCP_E_CANCELLED.
 * Ownership: everything is copied.
 * Threads: any that holds the call. Since: 0.1.0
 */
MCP_API mcp_status mcp_log(mcp_call *call, int32_t level, const char *logger, const char *text,
        size_t len);

/* Asking the client ------------------------------------------------------------------------------
 *
 * Asking the client: the user, its model, or the client itself, the same in every revision.
 *
 *   const char *answer = mcp_ask(call, "when", "elicitation/create", MCP_JSON({...}), MCP_Z, &len);
 *   if (!answer) return MCP_PENDING;
 *
 * The handler runs again from the top when the client has answered: after its response, or in 2026-07-28
 * after its retry. Each run is a new mcp_call; what must survive goes into MCP_SET_STATE, which is sealed
 * when it leaves the process. Ask for several keys, then return MCP_PENDING once. A client that cannot be
 * asked, or is asked too often, gets the error that says so; to do without, look at mcp_can_ask().
 * Answers that do not fit their question are asked for again.
 */

/**
 * Asks the client. key names the question within the call; method is elicitation/create,
 * sampling/createMessage or roots/list; params is JSON as the newest revision writes it, NULL and 0 for
 * none.
 *
 * Returns: the JSON text of the client's result; NULL if there is no answer yet or the question cannot be
 * asked: return MCP_PENDING, and the engine does what is right.
 * Valid until: the last holder lets go of the call.
 * Threads: any that holds the call. Since: 0.1.0
 */
MCP_API const char *mcp_ask(mcp_call *call, const char *key, const char *method, const char *params,
        size_t params_len, size_t *out_len);

/**
 * Whether the client can be asked this. params is the question, NULL and 0 for its plain form.
 *
 * Returns: 1 or 0.
 * Threads: any that holds the call. Since: 0.1.0
 */
MCP_API int32_t mcp_can_ask(mcp_call *call, const char *method, const char *params, size_t
        params_len);

/**
 * Ends the attempt of a retained call that has asked, as returning MCP_PENDING does in a handler.
 *
 * Returns: MCP_OK; MCP_E_STATE if nothing has been asked; MCP_E_ANSWERED, MCP_E_CANCELLED.
 * Threads: any that holds the call. Since: 0.1.0
 */
MCP_API mcp_status mcp_reply_asked(mcp_call *call);

/* Small JSON help --------------------------------------------------------------------------------
 *
 * Enough JSON for a host without a parser of its own: to read what mcp_ask() and mcp_arg_json() give, and
 * to write questions and results. It is read as far as needed: what follows is not judged. A
 * buffer to write to must not overlap what is read. A path is a member name, or a JSON Pointer if it starts with '/'; the
 * empty path is the whole.
 */

/**
 * Finds a value in JSON text.
 *
 * Returns: a pointer into json, *out_len bytes, without a NUL; NULL if it is absent. out_len must not be
 * NULL.
 * Valid until: json goes away.
 * Threads: any. Since: 0.1.0
 */
MCP_API const char *mcp_json_find(const char *json, size_t len, const char *path, size_t *out_len);

/**
 * Decodes a string in JSON text into buf, with a NUL behind it.
 *
 * Returns: MCP_OK, and *out_len is its length without the NUL; MCP_E_NOT_FOUND if it is absent, MCP_E_JSON
 * if it is no string; MCP_E_BUFFER if cap is not above *out_len. With out_len NULL a text that contains a
 * NUL is MCP_E_INVALID. buf is empty after an error.
 * Threads: any. Since: 0.1.0
 */
MCP_API mcp_status mcp_json_str(const char *json, size_t len, const char *path, char *buf, size_t
        cap, size_t *out_len);

/**
 * Reads a number in JSON text. No locale can change how.
 *
 * Returns: MCP_OK; MCP_E_NOT_FOUND if it is absent, MCP_E_JSON if it is no finite number, MCP_E_INVALID.
 * *out_value is 0 after an error.
 * Threads: any. Since: 0.1.0
 */
MCP_API mcp_status mcp_json_num(const char *json, size_t len, const char *path, double *out_value);

/**
 * Reads an integer in JSON text; 5.0 is one.
 *
 * Returns: as mcp_json_num(); MCP_E_JSON also if it does not fit.
 * Threads: any. Since: 0.1.0
 */
MCP_API mcp_status mcp_json_int(const char *json, size_t len, const char *path, int64_t *out_value);

/**
 * Writes text as a JSON string, with its quotes and escapes, into buf, with a NUL behind it.
 *
 * Returns: MCP_OK, and *out_len is its length without the NUL; MCP_E_BUFFER if cap is not above *out_len;
 * MCP_E_UTF8, MCP_E_INVALID. buf is empty after an error.
 * Threads: any. Since: 0.1.0
 */
MCP_API mcp_status mcp_json_quote(const char *text, size_t len, char *buf, size_t cap, size_t
        *out_len);

/**
 * Writes a whole JSON-RPC response, for hosts that answer a message themselves. id is JSON text of a string
 * or number, NULL for none. With code 0 body is JSON, the result; with another code it is the message of an error.
 *
 * Returns: MCP_OK, and *out_len is its length without the NUL; MCP_E_BUFFER if cap is not above *out_len;
 * MCP_E_JSON, MCP_E_UTF8; MCP_E_INVALID for a result without an id. buf is empty after an error.
 * Threads: any. Since: 0.1.0
 */
MCP_API mcp_status mcp_make_response(const char *id, int32_t code, const char *body, size_t
        body_len, char *buf, size_t cap, size_t *out_len);

/**
 * Whether a message is a JSON-RPC notification: it has a method and no id.
 *
 * Returns: 1 or 0; 0 for what is not JSON.
 * Threads: any. Since: 0.1.0
 */
MCP_API int32_t mcp_is_notification(const char *message, size_t len);

/* Options and limits -----------------------------------------------------------------------------
 *
 * What can be set on a server, at any time. An option is a number with a value: there is no struct to
 * freeze, and a library that does not know one says MCP_E_UNSUPPORTED.
 */

/** Where handlers run: MCP_DISPATCH_INLINE, the default, or MCP_DISPATCH_QUEUED. */
#define MCP_OPT_DISPATCH 1
/** Codes and forms of errors: MCP_PRESET_SPEC, the default, MCP_PRESET_CLASSIC or MCP_PRESET_GATEWAY. */
#define MCP_OPT_ERROR_PRESET 2
/** Which revisions are served: a bit set of MCP_REV_...; default all. */
#define MCP_OPT_REVISIONS 3
/** Items per page of a list; 0, the default, for everything at once. */
#define MCP_OPT_PAGE_SIZE 4
/** For how many milliseconds results may be kept; default 0. */
#define MCP_OPT_CACHE_TTL_MS 5
/** Who may share them: MCP_CACHE_PRIVATE, the default, or MCP_CACHE_PUBLIC. */
#define MCP_OPT_CACHE_SCOPE 6
/** Whether tool arguments that do not fit are tried again with "5" as 5; default 0. */
#define MCP_OPT_COERCE 7
/** How long a call may take before it is answered with "timed out"; -1, the default, for ever. */
#define MCP_OPT_DEADLINE_MS 8
/** How long a client may take to answer a question; -1 for ever; default 600000. */
#define MCP_OPT_STATE_TTL_MS 9
/** Whether stack traces of failed tools leave the process; default 0. */
#define MCP_OPT_STACKTRACE 10
/** Serve functions: how many threads run handlers; 0 for the thread that called mcp_serve_...; default 1. */
#define MCP_OPT_WORKERS 11
/**
 * Serve functions: how long open calls may go on when the input has ended or the server shuts down;
 * default 5000.
 */
#define MCP_OPT_GRACE_MS 12
/** Whether clients may have log messages; default 1. */
#define MCP_OPT_LOGGING 13
/** Whether results say which server made them (2026-07-28); default 1. */
#define MCP_OPT_IDENTIFY 14
/** Capabilities to announce although nothing of the kind is registered yet: a bit set of MCP_DECLARE_... */
#define MCP_OPT_DECLARE 15
/** Bytes of one message; default 4 MiB. */
#define MCP_LIMIT_MESSAGE_BYTES 100
/**
 * Nested arrays and objects in a message or in JSON of yours; default 64, at most 512. A schema that refers
 * to itself takes about 0.4 KiB of stack for each level.
 */
#define MCP_LIMIT_NESTING 101
/** Requests of one session that wait for an answer; default 1024. */
#define MCP_LIMIT_OPEN_CALLS 102
/** Resources that one client, or one of its listen streams, may watch; default 1024. */
#define MCP_LIMIT_SUBSCRIPTIONS 103
/** Listen streams of one client; default 64. */
#define MCP_LIMIT_LISTEN_STREAMS 104
/**
 * Bytes of output that wait in one session before input is refused; default 16 MiB. Answers may come to
 * twice as much; beyond that the session closes.
 */
#define MCP_LIMIT_OUTPUT_BYTES 105
/** How often one request may ask its client; default 16. */
#define MCP_LIMIT_ASK_ROUNDS 106
/** Bytes of what is remembered of a request while its client is asked; default 64 KiB. */
#define MCP_LIMIT_STATE_BYTES 107
/** Bytes of a definition, schemas included; default 1 MiB. */
#define MCP_LIMIT_DEFINITION_BYTES 108
/** Steps of validating one value, beyond reading it once; default 1000000. */
#define MCP_LIMIT_SCHEMA_STEPS 109
/** Bytes of a tool or prompt name; default 128. */
#define MCP_LIMIT_NAME_BYTES 110
/** Bytes that the engine holds for the server, as it counts them; default 256 MiB. */
#define MCP_LIMIT_MEMORY_BYTES 111
/** Bytes of the JSON text of a request's id; default 1024. */
#define MCP_LIMIT_ID_BYTES 112
/** Messages in one batch; default 1024. */
#define MCP_LIMIT_BATCH_MESSAGES 113
/** Unreadable messages in a row that are answered; default 16. */
#define MCP_LIMIT_UNREADABLE_ANSWERS 114
/** Serve functions: connections of mcp_serve_socket() at a time; default 64. */
#define MCP_LIMIT_CONNECTIONS 115
/** Handlers run in the call that feeds the message. */
#define MCP_DISPATCH_INLINE 0
/** Handlers run only in mcp_server_run(): on a GUI thread, in a game frame, in a worker pool. */
#define MCP_DISPATCH_QUEUED 1
/** Error codes as each revision of the specification says. */
#define MCP_PRESET_SPEC 0
/** -32000 tool not found, -32001 tool execution failed, -32002 invalid tool params, -32003 not initialized. */
#define MCP_PRESET_CLASSIC 1
/** -32000 server error, -32001 resource not found, -32002 tool error, -32003 authorization. */
#define MCP_PRESET_GATEWAY 2
/** Only whoever asked may keep the result. */
#define MCP_CACHE_PRIVATE 0
/** Everybody may. */
#define MCP_CACHE_PUBLIC 1
/** Revision 2024-11-05. */
#define MCP_REV_2024_11_05 1
/** Revision 2025-03-26, which has batches. */
#define MCP_REV_2025_03_26 2
/** Revision 2025-06-18. */
#define MCP_REV_2025_06_18 4
/** Revision 2025-11-25. */
#define MCP_REV_2025_11_25 8
/** Revision 2026-07-28, which has no handshake. */
#define MCP_REV_2026_07_28 16
/** Announce tools. */
#define MCP_DECLARE_TOOLS 1
/** Announce resources. */
#define MCP_DECLARE_RESOURCES 2
/** Announce prompts. */
#define MCP_DECLARE_PROMPTS 4
/** Announce completions. */
#define MCP_DECLARE_COMPLETIONS 8
/** The server's name for people. */
#define MCP_OPT_TITLE 200
/** What the server is. */
#define MCP_OPT_DESCRIPTION 201
/** How a model should use this server. */
#define MCP_OPT_INSTRUCTIONS 202
/** Where to read more. */
#define MCP_OPT_WEBSITE_URL 203
/** Icons: a JSON array of the specification's Icon. */
#define MCP_OPT_ICONS 204
/** A JSON object, announced as capabilities.extensions. */
#define MCP_OPT_EXTENSIONS 205
/** A JSON object, announced as capabilities.experimental. */
#define MCP_OPT_EXPERIMENTAL 206

/**
 * Sets an option that is a number: MCP_OPT_... or MCP_LIMIT_... For switches 0 is off and 1 is on.
 *
 * Returns: MCP_OK; MCP_E_INVALID for a value that makes no sense, MCP_E_UNSUPPORTED for an unknown option.
 * Absurd limits are brought to what the engine can keep.
 * Threads: any. Since: 0.1.0
 */
MCP_API mcp_status mcp_server_set_int(mcp_server *server, int32_t option, int64_t value);

/**
 * Sets an option that is a text; NULL takes it away.
 *
 * Returns: MCP_OK; MCP_E_UTF8, MCP_E_JSON, MCP_E_INVALID for JSON of the wrong type, MCP_E_UNSUPPORTED for
 * an unknown option.
 * Ownership: the text is copied.
 * Threads: any. Since: 0.1.0
 */
MCP_API mcp_status mcp_server_set_str(mcp_server *server, int32_t option, const char *value);

/* Errors that clients see ------------------------------------------------------------------------
 *
 * Errors that clients get to see are kinds first, numbers second. A table turns a kind into a code and a
 * form, by revision and by what you choose.
 */

/** The message is not JSON. */
#define MCP_KIND_PARSE 1
/** The message is JSON but no JSON-RPC request. */
#define MCP_KIND_INVALID_REQUEST 2
/** No such method, or not in this revision. */
#define MCP_KIND_UNKNOWN_METHOD 3
/** The method's parameters are wrong. */
#define MCP_KIND_INVALID_PARAMS 4
/** The server failed. */
#define MCP_KIND_INTERNAL 5
/** A request before initialize, and without the _meta that would make it a modern one. */
#define MCP_KIND_NOT_INITIALIZED 6
/** No tool of that name. */
#define MCP_KIND_UNKNOWN_TOOL 7
/** The arguments do not fit the tool. */
#define MCP_KIND_INVALID_ARGUMENTS 8
/** The tool ran and failed; the text is for the model. */
#define MCP_KIND_TOOL_FAILED 9
/** The tool's result does not fit its output schema. */
#define MCP_KIND_INVALID_OUTPUT 10
/** No resource of that URI. */
#define MCP_KIND_RESOURCE_NOT_FOUND 11
/** No prompt of that name. */
#define MCP_KIND_UNKNOWN_PROMPT 12
/** The principal may not do this. */
#define MCP_KIND_NOT_AUTHORISED 13
/** The client lacks a capability that is needed. */
#define MCP_KIND_MISSING_CAPABILITY 14
/** A protocol version that is not served. */
#define MCP_KIND_UNSUPPORTED_REVISION 15
/** HTTP headers and body disagree. */
#define MCP_KIND_HEADER_MISMATCH 16
/** The deadline has passed. */
#define MCP_KIND_TIMEOUT 17
/** The request exceeds a limit. */
#define MCP_KIND_LIMIT 18
/**
 * The user must visit a page first; MCP_SET_ERROR_DATA is {"elicitations": [...]}, each with
 * elicitationId, url and message. An error in 2025-11-25, a question in 2026-07-28.
 */
#define MCP_KIND_URL_ELICITATION_REQUIRED 19
/** The client was asked, and did not answer. */
#define MCP_KIND_UNANSWERED 20
/** The requestState is not one that this server made for this request. */
#define MCP_KIND_BAD_STATE 21
/** A JSON-RPC error. */
#define MCP_FORM_ERROR 0
/** A tool result with isError, if the request is tools/call; else an error. */
#define MCP_FORM_TOOL_RESULT 1

/**
 * Sees every error before it leaves, and may change it with mcp_failure_set() and mcp_failure_set_code().
 * failure is valid until the hook returns. No message can be fed from inside.
 */
typedef void (*mcp_error_hook)(void *user_data, mcp_failure *failure);

/**
 * Sets your own code and form for a kind of error. In 2026-07-28 a code that the specification forbids
 * gives way to its own.
 *
 * Returns: MCP_OK; MCP_E_INVALID for an unknown kind or form.
 * Threads: any. Since: 0.1.0
 */
MCP_API mcp_status mcp_server_set_error(mcp_server *server, int32_t kind, int32_t code, int32_t
        form);

/**
 * Sets who has a last look at errors. A NULL hook takes it away.
 *
 * Returns: MCP_OK.
 * Ownership: destroy runs exactly once, after the last run of the old hook, also on failure.
 * Threads: any. The hook runs in the call that makes the error. Since: 0.1.0
 */
MCP_API mcp_status mcp_server_set_error_hook(mcp_server *server, mcp_error_hook hook, void
        *user_data, mcp_destroy destroy);

/**
 * What went wrong, one of MCP_KIND_...
 *
 * Returns: the kind; 0 if a handler gave a code of its own, and for NULL.
 * Threads: the one that runs the hook. Since: 0.1.0
 */
MCP_API int32_t mcp_failure_kind(const mcp_failure *failure);

/**
 * The JSON-RPC code.
 *
 * Returns: the code; 0 for NULL.
 * Threads: the one that runs the hook. Since: 0.1.0
 */
MCP_API int32_t mcp_failure_code(const mcp_failure *failure);

/**
 * What is known of the error: MCP_INFO_METHOD, MCP_INFO_NAME, MCP_INFO_ID, MCP_INFO_REVISION,
 * MCP_INFO_MESSAGE or MCP_INFO_DATA.
 *
 * Returns: the text, NUL-terminated; NULL if there is none.
 * Valid until: the hook returns.
 * Threads: the one that runs the hook. Since: 0.1.0
 */
MCP_API const char *mcp_failure_info(mcp_failure *failure, int32_t what, size_t *out_len);

/**
 * Changes the code and the form, MCP_FORM_ERROR or MCP_FORM_TOOL_RESULT.
 *
 * Returns: MCP_OK; MCP_E_INVALID for an unknown form.
 * Threads: the one that runs the hook. Since: 0.1.0
 */
MCP_API mcp_status mcp_failure_set_code(mcp_failure *failure, int32_t code, int32_t form);

/**
 * Changes the message (MCP_INFO_MESSAGE) or the data (MCP_INFO_DATA: JSON, NULL and 0 for none; what is
 * not JSON is sent as a text).
 *
 * Returns: MCP_OK; MCP_E_UTF8, MCP_E_INVALID.
 * Ownership: the value is copied.
 * Threads: the one that runs the hook. Since: 0.1.0
 */
MCP_API mcp_status mcp_failure_set(mcp_failure *failure, int32_t what, const char *value, size_t
        len);

/* Observation, time and entropy ------------------------------------------------------------------
 *
 * What you may plug in: an observer, a clock, a source of random bytes. They run in the middle of things:
 * from inside of them no message can be fed and no handler run (MCP_E_BUSY).
 */

/** A request has arrived: method, id, time_ms. */
#define MCP_EVENT_RECEIVED 1
/** A request is over: method, id, duration_us, outcome, code. */
#define MCP_EVENT_COMPLETED 2
/** A call of a tool is over: name, duration_us, outcome, code, traceparent. */
#define MCP_EVENT_TOOL 3
/** A session was made. */
#define MCP_EVENT_OPENED 4
/** A session was closed or freed. */
#define MCP_EVENT_CLOSED 5
/** A serve function listens; text is the address, for HTTP a URL without a path. */
#define MCP_EVENT_LISTENING 6
/** A mistake of the host's, such as a handler that returned without an answer; text says what. */
#define MCP_EVENT_DIAGNOSTIC 7
/**
 * An HTTP exchange is over: method and name (the path), code (the status; 0 if there was none), duration_us.
 * Neither headers nor the query are told: they may be secrets.
 */
#define MCP_EVENT_EXCHANGE 8
/** It ended with a result. */
#define MCP_OUTCOME_OK 0
/** With a JSON-RPC error; code is its code. */
#define MCP_OUTCOME_ERROR 1
/** With a tool result that says isError. */
#define MCP_OUTCOME_TOOL_ERROR 2
/** Cancelled, or the client is gone. */
#define MCP_OUTCOME_CANCELLED 3
/** The client is asked for more; another attempt follows. */
#define MCP_OUTCOME_ASKED 4
/** Microseconds since any fixed moment; never goes back. */
#define MCP_CLOCK_MONOTONIC 0
/** Microseconds since 1970: by it expires what clients carry between processes that share seal keys. */
#define MCP_CLOCK_UNIX 1

/**
 * Something that happened. Made by the library only; later versions may append members, and struct_size
 * says how many bytes there are. Texts are NULL where they do not apply, or contain a NUL character.
 */
typedef struct mcp_event {
  /** sizeof(mcp_event) of the library. */
  uint32_t struct_size;
  /** One of MCP_EVENT_... */
  int32_t kind;
  /** One of MCP_OUTCOME_... */
  int32_t outcome;
  /** The JSON-RPC code of an error. */
  int32_t code;
  /** When, by the monotonic clock. */
  int64_t time_ms;
  /** How long it took. */
  int64_t duration_us;
  /** The method. */
  const char *method;
  /** The tool. */
  const char *name;
  /** JSON text of the request's id. */
  const char *id;
  /** The W3C traceparent of the request. */
  const char *traceparent;
  /** See the kind. */
  const char *text;
} mcp_event;

/** Told what happens, on any thread that uses the library. event and its texts live until it returns. */
typedef void (*mcp_observer)(void *user_data, const mcp_event *event);

/** Tells the time; which is MCP_CLOCK_MONOTONIC or MCP_CLOCK_UNIX. */
typedef int64_t (*mcp_clock)(void *user_data, int32_t which);

/** Fills out with len bytes that nobody can guess. Returns MCP_OK, or a negative status if it cannot. */
typedef mcp_status (*mcp_entropy)(void *user_data, uint8_t *out, size_t len);

/**
 * Sets who is told what happens. A NULL observer takes it away.
 *
 * Returns: MCP_OK.
 * Ownership: destroy runs exactly once, after the last run of the old observer, also on failure.
 * Threads: any. Since: 0.1.0
 */
MCP_API mcp_status mcp_server_set_observer(mcp_server *server, mcp_observer observer, void
        *user_data, mcp_destroy destroy);

/**
 * Sets your clock, for tests and simulations. A NULL clock is the system's, which is the default.
 *
 * Returns: MCP_OK.
 * Ownership: destroy runs exactly once, after the last run of the old clock, also on failure.
 * Threads: any. Since: 0.1.0
 */
MCP_API mcp_status mcp_server_set_clock(mcp_server *server, mcp_clock clock, void *user_data,
        mcp_destroy destroy);

/**
 * Sets your source of random bytes. A NULL entropy is the system's, which is the default.
 *
 * Returns: MCP_OK.
 * Ownership: destroy runs exactly once, after the last run of the old source, also on failure.
 * Threads: any. Since: 0.1.0
 */
MCP_API mcp_status mcp_server_set_entropy(mcp_server *server, mcp_entropy entropy, void *user_data,
        mcp_destroy destroy);

/* Secrets ----------------------------------------------------------------------------------------
 *
 * What a client carries for the server between attempts (requestState, 2026-07-28) is sealed: it can
 * neither read nor change it, nor use it for another request or principal, nor for longer than
 * MCP_OPT_STATE_TTL_MS. By default the key is drawn for each server object: then what was sealed is refused
 * by other processes and after a restart, and the client has to start anew.
 */

/**
 * Seals in (open is 0) or opens it (open is 1) and appends the result to out with mcp_buf_append(). Returns
 * MCP_OK, or a negative status if it cannot, or if in is not what was sealed.
 */
typedef mcp_status (*mcp_seal)(void *user_data, int32_t open, const uint8_t *in, size_t in_len,
        mcp_buf *out);

/**
 * Sets keys of 32 bytes each, one behind the other: the first seals, all open, so that keys can be changed
 * without losing what is under way. Processes that serve the same clients must share them. No keys: one is
 * drawn, as by default.
 *
 * Returns: MCP_OK; MCP_E_INVALID.
 * Ownership: the keys are copied.
 * Threads: any. Since: 0.1.0
 */
MCP_API mcp_status mcp_server_set_seal_keys(mcp_server *server, const uint8_t *keys, size_t count);

/**
 * Sets your own way to seal, instead of the keys. A NULL seal goes back to those.
 *
 * Returns: MCP_OK.
 * Ownership: destroy runs exactly once, after the last run of the old seal, also on failure.
 * Threads: any. The seal runs in the call that needs it. Since: 0.1.0
 */
MCP_API mcp_status mcp_server_set_seal(mcp_server *server, mcp_seal seal, void *user_data,
        mcp_destroy destroy);

/**
 * Appends bytes to what a callback was given to write to.
 *
 * Returns: MCP_OK; MCP_E_INVALID.
 * Ownership: the bytes are copied.
 * Threads: the one that runs the callback, until it returns. Since: 0.1.0
 */
MCP_API mcp_status mcp_buf_append(mcp_buf *buf, const void *data, size_t len);

/* Allocator --------------------------------------------------------------------------------------
 *
 * Bringing your own allocator. Only a static library that was built with the feature host-allocator can:
 * an allocator is a matter of the whole program.
 */

/** Gives size bytes at an address that is a multiple of align, or NULL. */
typedef void *(*mcp_alloc)(size_t size, size_t align);

/** Makes memory smaller or larger and keeps its contents, or gives NULL and leaves it as it was. */
typedef void *(*mcp_resize)(void *memory, size_t old_size, size_t new_size, size_t align);

/** Takes memory back. */
typedef void (*mcp_release)(void *memory, size_t size, size_t align);

/**
 * Sets the allocator of the library, before any other function of it is used in the process. The three
 * functions may be called on any thread that uses the library. An allocator that gives NULL ends the
 * process: use MCP_LIMIT_MEMORY_BYTES for a bound that is refused politely.
 *
 * Returns: MCP_OK; MCP_E_INVALID for a NULL function, MCP_E_STATE if memory has been allocated already,
 * MCP_E_UNSUPPORTED in other builds.
 * Threads: one, before any other use. Since: 0.1.0
 */
MCP_API mcp_status mcp_set_allocator(mcp_alloc alloc, mcp_resize resize, mcp_release release);

#ifdef __cplusplus
}
#endif

#endif /* MCPLITE_H */
