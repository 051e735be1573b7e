/* Memory runs out at the n-th allocation, for every n: the library must answer with an error or stop
 * the process with SIGABRT, as the language's runtime does. It must not go on with something broken.
 *
 * The program brings its own malloc, which fails once when told to; each try is a child process. */
#define _GNU_SOURCE
#include "check.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

/* Allocations until one fails; 0 means that none does. */
static long until_failure;
static long allocations;

static int fails_now(void)
{
    allocations++;
    return until_failure > 0 && --until_failure == 0;
}

void *malloc(size_t size) { return fails_now() ? NULL : __libc_malloc(size); }
void *calloc(size_t count, size_t size) { return fails_now() ? NULL : __libc_calloc(count, size); }
void *realloc(void *old, size_t size) { return fails_now() ? NULL : __libc_realloc(old, size); }
void *aligned_alloc(size_t alignment, size_t size) { return fails_now() ? NULL : __libc_memalign(alignment, size); }

int posix_memalign(void **out, size_t alignment, size_t size)
{
    void *got = fails_now() ? NULL : __libc_memalign(alignment, size);
    if (!got) return 12; /* ENOMEM */
    *out = got;
    return 0;
}

static int destroyed;
static void count_destroy(void *unused) { (void)unused; destroyed++; }

static mcp_status answer(void *unused, mcp_call *call)
{
    mcp_status status;
    (void)unused;
    mcp_progress(call, 1, 2, "half");
    mcp_log(call, MCP_LOG_ERROR, "oom", MCP_LIT("a line"));
    status = mcp_add_text(call, mcp_arg_str(call, "text", NULL), MCP_Z);
    if (status == MCP_OK) status = mcp_put_num(call, "number", mcp_arg_num(call, "number", 1));
    return status == MCP_OK ? mcp_reply(call) : status;
}

/* Whole frames only. */
static int frames_are_whole(mcp_session *session)
{
    const char *out;
    size_t length;
    while ((out = mcp_session_poll(session, &length)) != NULL) {
        if (strlen(out) != length + 1 || out[0] != '{' || out[length - 1] != '}') return 0;
    }
    return 1;
}

static const char *const messages[] = {
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-11-25\","
    "\"capabilities\":{\"elicitation\":{}},\"clientInfo\":{\"name\":\"oom\",\"version\":\"1\"}}}",
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}",
    "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\"}",
    "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/call\",\"params\":{\"name\":\"answer\",\"arguments\":"
    "{\"text\":\"a \\u00e9 text\",\"number\":2.5},\"_meta\":{\"progressToken\":7}}}",
    "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"tools/call\",\"params\":{\"name\":\"answer\",\"arguments\":{\"text\":5}}}",
    "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"resources/read\",\"params\":{\"uri\":\"test://fixed\"}}",
    "{\"jsonrpc\":\"2.0\",\"id\":6,\"method\":\"nonsense\"}",
    "not JSON",
};

/* A small life of a server. Returns 0 if everything that was said was whole. */
static int live(void)
{
    mcp_server *server = mcp_server_new("oom", "1");
    mcp_session *session;
    size_t i;
    int whole = 1;
    if (!server) return 0;
    destroyed = 0;
    mcp_register_tool(server, "answer", "Answers.", "{\"type\":\"object\",\"required\":[\"text\"],\"properties\":"
                      "{\"text\":{\"type\":\"string\",\"pattern\":\"^[a-z\\u00e9 ]+$\"}}}", answer, &destroyed, count_destroy);
    mcp_register_static(server, "test://fixed", "fixed", "text/plain", "bytes", 5);
    session = mcp_session_new(server);
    if (session) {
        for (i = 0; i < sizeof messages / sizeof messages[0]; i++) {
            mcp_handle_message(session, messages[i], strlen(messages[i]));
            if (!frames_are_whole(session)) whole = 0;
        }
    }
    mcp_session_free(session);
    mcp_server_free(server);
    return whole && destroyed == 1 ? 0 : 1;
}

int main(void)
{
    const struct rlimit no_core = {0, 0};
    long total, n, aborted = 0, survived = 0;
    setrlimit(RLIMIT_CORE, &no_core);
    /* Looking up names for a backtrace takes longer than everything else here. */
    setenv("RUST_BACKTRACE", "0", 1);
    CHECK(live() == 0);
    allocations = 0;
    CHECK(live() == 0);
    total = allocations;
    CHECK(total > 0);
    for (n = 1; n <= total; n++) {
        int status = -1;
        pid_t child = fork();
        if (child == 0) {
            /* What the runtime says about an abort is not news. */
            if (!freopen("/dev/null", "w", stderr)) _exit(2);
            alarm(30);
            until_failure = n;
            _exit(live());
        }
        CHECK(waitpid(child, &status, 0) == child);
        if (WIFEXITED(status) && WEXITSTATUS(status) == 0) survived++;
        else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT) aborted++;
        else {
            fprintf(stderr, "allocation %ld of %ld failed: status %#x\n", n, total, (unsigned)status);
            CHECK(!"an error or an abort");
        }
    }
    printf("%ld allocations: %ld failures survived, %ld aborted\n", total, survived, aborted);
    return check_report();
}
