/* What the process around the library may do to it: small stacks, fork, threads that come and go,
 * signals and locales. */
#define _POSIX_C_SOURCE 200809L
#define _DEFAULT_SOURCE
#include "echo.h"

#include <locale.h>
#include <malloc.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

/* Under a tool that fattens every frame a small stack proves nothing. */
static int stack_frames_are_fat(void)
{
    const char *mode = getenv("CHECK_MODE");
    return mode && strcmp(mode, "plain") != 0 && strcmp(mode, "valgrind") != 0;
}

/* What a thread needs at the default nesting limit, and at the highest there is. Code that is not
 * optimised takes several times as much. */
enum { DEFAULT_NESTING = 64, DEFAULT_STACK = 64 << 10, DEEPEST = 512, DEEPEST_STACK = 256 << 10, UNOPTIMISED = 6 };

static mcp_status return_deep(void *unused, mcp_call *call)
{
    size_t length;
    const char *json = mcp_arg_json(call, "", &length);
    (void)unused;
    CHECK_STATUS(mcp_put_json(call, "deep", json, length), MCP_OK);
    return mcp_reply(call);
}

/* A call whose arguments are nested so deep, and which must be answered whatever the limit says. */
static void call_deep(mcp_session *session, size_t depth, const char *part)
{
    static const char before[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"deep\",\"arguments\":";
    static const char open[] = "{\"a\":";
    char *message = malloc(sizeof before + depth * sizeof open + depth + 16);
    size_t used = sizeof before - 1, level;
    const char *out;
    memcpy(message, before, used);
    for (level = 0; level < depth; level++, used += sizeof open - 1) memcpy(message + used, open, sizeof open - 1);
    message[used++] = '1';
    memset(message + used, '}', depth + 2);
    CHECK_STATUS(mcp_handle_message(session, message, used + depth + 2), MCP_OK);
    out = mcp_session_poll(session, NULL);
    CHECK_PART(out, part);
    CHECK(mcp_session_poll(session, NULL) == NULL);
    free(message);
}

/* The schema refers to itself, so that validating goes as deep as reading. */
static void *deep_on_small_stack(void *limit)
{
    size_t nesting = (size_t)*(int *)limit;
    mcp_server *server = mcp_server_new("deep", "1");
    mcp_session *session = mcp_session_new(server);
    CHECK_STATUS(mcp_server_set_int(server, MCP_LIMIT_NESTING, (int64_t)nesting), MCP_OK);
    CHECK_STATUS(mcp_register_tool(server, "deep", NULL,
        "{\"type\":\"object\",\"additionalProperties\":{\"anyOf\":[{\"type\":\"integer\"},{\"$ref\":\"#\"}]}}",
        return_deep, NULL, NULL), MCP_OK);
    greet(session);
    call_deep(session, nesting / 2, "structuredContent");
    call_deep(session, nesting - 4, "\"id\":1");
    call_deep(session, nesting + 1, "nesting is deeper");
    call_deep(session, 100000, "nesting is deeper");
    mcp_session_free(session);
    mcp_server_free(server);
    return NULL;
}

static void a_small_stack_is_enough(void)
{
    static int limits[] = {DEFAULT_NESTING, DEEPEST};
    static const size_t stacks[] = {DEFAULT_STACK, DEEPEST_STACK};
    size_t i;
    if (stack_frames_are_fat()) return;
    for (i = 0; i < 2; i++) {
        pthread_attr_t attributes;
        pthread_t thread;
        pthread_attr_init(&attributes);
        CHECK(pthread_attr_setstacksize(&attributes, stacks[i] * (getenv("CHECK_OPTIMISED") ? 1 : UNOPTIMISED)) == 0);
        CHECK(pthread_create(&thread, &attributes, deep_on_small_stack, &limits[i]) == 0);
        join(thread);
        pthread_attr_destroy(&attributes);
    }
}

/* Waits for a child that ends with 0 if its checks held. */
static void child_did_well(pid_t child)
{
    int status = -1;
    CHECK(child > 0);
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void a_forked_child_has_a_copy(void)
{
    mcp_server *server;
    mcp_session *session = open_session(&server);
    pid_t child;
    use(session, 1);
    child = fork();
    if (child == 0) {
        alarm(60);
        use(session, 2);
        CHECK_STATUS(mcp_register_tool(server, "more", NULL, NULL, echo, NULL, NULL), MCP_OK);
        while (mcp_session_poll(session, NULL)) continue;
        use(session, 3);
        close_session(server, session);
        _exit(check_failures != 0);
    }
    child_did_well(child);
    use(session, 4);
    close_session(server, session);
}

typedef struct busy { mcp_session *session; int over; } busy;

static void *feed_until_over(void *data)
{
    busy *b = data;
    int id;
    for (id = 1; !current(&b->over); id++) use(b->session, id);
    return NULL;
}

/* What another thread is in the middle of is lost to the child, but nothing global is: it can start
 * over with a server of its own. */
static void a_child_forked_from_a_busy_process_starts_over(void)
{
    mcp_server *server;
    busy b = {NULL, 0};
    pthread_t thread;
    int round;
    b.session = open_session(&server);
    thread = start(feed_until_over, &b);
    for (round = rounds(100); round > 0; round--) {
        pid_t child = fork();
        if (child == 0) {
            mcp_server *own;
            mcp_session *session;
            alarm(60);
            session = open_session(&own);
            use(session, 1);
            close_session(own, session);
            /* Not by _exit(): what the lost thread had in hand would be called a leak. */
            if (!check_failures) execlp("true", "true", (char *)NULL);
            _exit(1);
        }
        child_did_well(child);
    }
    exchange(&b.over, 1);
    join(thread);
    close_session(server, b.session);
}

static void *use_and_exit(void *data)
{
    mcp_server *server;
    mcp_session *session = open_session(&server);
    mcp_error error;
    use(session, 1);
    CHECK_STATUS(mcp_unregister(server, MCP_TOOL, "nobody"), MCP_E_NOT_FOUND);
    CHECK_STATUS(mcp_server_last_error(server, &error), MCP_OK);
    CHECK(error.status == MCP_E_NOT_FOUND);
    close_session(server, session);
    return data;
}

/* What a thread left behind would show in the heap; the tools that watch for leaks look, too. */
static void threads_leave_nothing_behind(void)
{
    struct mallinfo2 before, after;
    int i;
    join(start(use_and_exit, NULL));
    before = mallinfo2();
    for (i = rounds(300); i > 0; i--) join(start(use_and_exit, NULL));
    after = mallinfo2();
    CHECK(after.uordblks <= before.uordblks + 4096);
}

static volatile sig_atomic_t alarms;

static void count_alarm(int signal_number)
{
    (void)signal_number;
    alarms++;
}

static void signals_do_not_disturb(void)
{
    struct sigaction before[SIGRTMAX], ours, old;
    struct itimerval every = {{0, 1000}, {0, 1000}}, never = {{0, 0}, {0, 0}};
    mcp_server *server;
    mcp_session *session;
    int number, id = 0;
    for (number = 1; number < SIGRTMAX; number++) sigaction(number, NULL, &before[number]);
    session = open_session(&server);
    memset(&ours, 0, sizeof ours);
    ours.sa_handler = count_alarm;
    CHECK(sigaction(SIGALRM, &ours, &old) == 0);
    alarms = 0;
    CHECK(setitimer(ITIMER_REAL, &every, NULL) == 0);
    while (alarms < 100) use(session, id++);
    CHECK(setitimer(ITIMER_REAL, &never, NULL) == 0);
    /* To ignore it forgets one that is still on its way. */
    ours.sa_handler = SIG_IGN;
    CHECK(sigaction(SIGALRM, &ours, NULL) == 0);
    CHECK(sigaction(SIGALRM, &old, NULL) == 0);
    close_session(server, session);
    for (number = 1; number < SIGRTMAX; number++) {
        struct sigaction after;
        if (sigaction(number, NULL, &after) == 0) CHECK(after.sa_handler == before[number].sa_handler);
    }
}

static mcp_status half_of(void *unused, mcp_call *call)
{
    (void)unused;
    CHECK_STATUS(mcp_put_num(call, "half", mcp_arg_num(call, "number", 0) / 2), MCP_OK);
    return mcp_reply(call);
}

static void in_locale(const char *name)
{
    mcp_server *server = mcp_server_new("locale", "1");
    mcp_session *session = mcp_session_new(server);
    double number = 0;
    if (!setlocale(LC_ALL, name)) {
        printf("the locale %s is not installed, so it was not tried\n", name);
    } else {
        CHECK(strcmp(localeconv()->decimal_point, ",") == 0);
    }
    CHECK_STATUS(mcp_register_tool(server, "HALF_OF_IT", NULL, "{\"type\":\"object\",\"properties\":{\"number\":"
                                   "{\"type\":\"number\",\"minimum\":0.5,\"multipleOf\":0.25}}}", half_of, NULL, NULL), MCP_OK);
    shake_hands(session, "2025-11-25");
    CHECK_PART(call_tool(session, 1, "HALF_OF_IT", "{\"number\":2.5}"), "{\"half\":1.25}");
    CHECK_PART(call_tool(session, 2, "HALF_OF_IT", "{\"number\":0.25}"), "0.5");
    CHECK_PART(call_tool(session, 3, "half_of_it", "{}"), "half_of_it");
    CHECK_PART(say(session, "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"tools/list\"}"), "HALF_OF_IT");
    CHECK_PART(say(session, "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"tools/LIST\"}"), "-32601");
    CHECK_STATUS(mcp_json_num("{\"a\":1.5}", 9, "a", &number), MCP_OK);
    CHECK(number > 1.4 && number < 1.6);
    mcp_session_free(session);
    mcp_server_free(server);
    setlocale(LC_ALL, "C");
}

static void locales_change_nothing(void)
{
    in_locale("de_DE.UTF-8");
    in_locale("tr_TR.UTF-8");
}

int main(void)
{
    signals_do_not_disturb();   /* first, so that nothing can have been changed before it looks */
    a_small_stack_is_enough();
    a_forked_child_has_a_copy();
    a_child_forked_from_a_busy_process_starts_over();
    threads_leave_nothing_behind();
    locales_change_nothing();
    return check_report();
}
