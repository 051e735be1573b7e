/* mcplite.h - a complete MCP server that lives inside your program.
 *
@HELLO@
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
#define MCP_VERSION_MAJOR @MAJOR@
#define MCP_VERSION_MINOR @MINOR@
#define MCP_VERSION_PATCH @PATCH@
#define MCP_VERSION_STRING "@MAJOR@.@MINOR@.@PATCH@"
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
