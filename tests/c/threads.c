/* Many threads on one server and on one session: every id is answered exactly once, wakes are not
 * lost and never overlap, and what is freed or replaced under fire is destroyed once. */
#define _POSIX_C_SOURCE 200809L
#include "crowd.h"

#include <semaphore.h>

enum { FEEDERS = 8 };

static mcp_status echo(void *unused, mcp_call *call)
{
    size_t length;
    const char *text = mcp_arg_str(call, "text", &length);
    (void)unused;
    mcp_progress(call, 1, 2, "half");
    return mcp_reply_text(call, text, length);
}

typedef struct stage {
    mcp_server *server;
    mcp_session *session;
    int each;                   /* how many calls a feeder makes */
    int started;                /* feeders, so that each has its own ids */
    int over;                   /* everything is answered: meddlers may stop */
    int meddlers, registered, destroyed;
    int wakes, waking;
    sem_t woken;
    tally answers;
} stage;

static void stage_open(stage *s, int each)
{
    memset(s, 0, sizeof *s);
    s->each = each;
    s->server = mcp_server_new("threads", "1");
    CHECK_STATUS(mcp_server_set_int(s->server, MCP_LIMIT_OUTPUT_BYTES, INT64_C(1) << 30), MCP_OK);
    CHECK_STATUS(mcp_register_tool(s->server, "echo", NULL, NULL, echo, NULL, NULL), MCP_OK);
    s->session = mcp_session_new(s->server);
    greet(s->session);
    sem_init(&s->woken, 0, 0);
    tally_open(&s->answers, FEEDERS * each);
}

static void stage_close(stage *s)
{
    mcp_session_free(s->session);
    mcp_server_free(s->server);
    tally_close(&s->answers);
    sem_destroy(&s->woken);
}

static void *feeder(void *data)
{
    stage *s = data;
    int first = (increment(&s->started) - 1) * s->each, i;
    for (i = 0; i < s->each; i++) CHECK_STATUS(feed(s->session, first + i, "echo"), MCP_OK);
    return NULL;
}

static void run_feeders(stage *s)
{
    pthread_t threads[FEEDERS];
    int i;
    s->started = 0;
    for (i = 0; i < FEEDERS; i++) threads[i] = start(feeder, s);
    for (i = 0; i < FEEDERS; i++) join(threads[i]);
}

static void wake_loop(void *data) { sem_post(&((stage *)data)->woken); }

/* The host's loop: drains when woken and only then, so that a lost wake is a test that never ends. */
static void *drainer(void *data)
{
    stage *s = data;
    while (s->answers.answered < s->answers.ids) {
        while (sem_wait(&s->woken)) continue;
        tally_drain(&s->answers, s->session);
    }
    return NULL;
}

/* Registers and takes back tools, as a host with plugins does. */
static void *meddler(void *data)
{
    stage *s = data;
    char name[32];
    int self = increment(&s->meddlers), i;
    snprintf(name, sizeof name, "plugin-%d", self);
    for (i = 0; !current(&s->over); i++) {
        CHECK_STATUS(mcp_register_tool(s->server, name, "Comes and goes.", "{\"type\":\"object\"}", echo,
                                       &s->destroyed, count_destroy), MCP_OK);
        increment(&s->registered);
        CHECK_STATUS(mcp_item_set_int(s->server, MCP_TOOL, name, MCP_ITEM_HIDDEN, i % 2), MCP_OK);
        CHECK_STATUS(mcp_unregister(s->server, MCP_TOOL, name), MCP_OK);
    }
    return NULL;
}

static void *notifier(void *data)
{
    stage *s = data;
    mcp_error error;
    while (!current(&s->over)) {
        CHECK_STATUS(mcp_notify_list_changed(s->server, MCP_TOOL), MCP_OK);
        CHECK_STATUS(mcp_session_notify(s->session, "notifications/passing", "{\"by\":1}", MCP_Z), MCP_OK);
        CHECK_STATUS(mcp_unregister(s->server, MCP_TOOL, "nobody"), MCP_E_NOT_FOUND);
        CHECK_STATUS(mcp_server_last_error(s->server, &error), MCP_OK);
        CHECK(mcp_server_memory_used(s->server) > 0);
        CHECK(mcp_session_open_calls(s->session) >= 0);
        CHECK_STATUS(mcp_server_tick(s->server), MCP_OK);
        CHECK(mcp_session_finished(s->session) == 0);
    }
    return NULL;
}

static void feeders_and_meddlers_share_a_session(void)
{
    stage s;
    pthread_t drain, others[4];
    int i;
    stage_open(&s, rounds(2000));
    CHECK_STATUS(mcp_session_set_wake(s.session, wake_loop, &s, NULL), MCP_OK);
    drain = start(drainer, &s);
    for (i = 0; i < 4; i++) others[i] = start(i < 2 ? meddler : notifier, &s);
    run_feeders(&s);
    join(drain);
    exchange(&s.over, 1);
    for (i = 0; i < 4; i++) join(others[i]);
    stage_close(&s);
    CHECK(s.destroyed == s.registered);
}

/* `answers` is not atomic: that wakes do not overlap must order them, too. */
static void wake_draining(void *data)
{
    stage *s = data;
    CHECK(exchange(&s->waking, 1) == 0);
    tally_drain(&s->answers, s->session);
    s->wakes++;
    CHECK(exchange(&s->waking, 0) == 1);
}

static void wake_destroy(void *data)
{
    CHECK(current(&((stage *)data)->waking) == 0);
    increment(&((stage *)data)->destroyed);
}

static void a_wake_may_drain(void)
{
    stage s;
    stage_open(&s, rounds(2000));
    CHECK_STATUS(mcp_session_set_wake(s.session, wake_draining, &s, wake_destroy), MCP_OK);
    run_feeders(&s);
    CHECK(s.answers.others == FEEDERS * s.each);
    CHECK(mcp_session_poll(s.session, NULL) == NULL);
    stage_close(&s);
    CHECK(s.destroyed == 1);
}

static void wake_counting(void *data) { increment(&((stage *)data)->wakes); }

/* A host that is busy elsewhere is told once, however much waits for it. */
static void a_late_host_is_woken_once(void)
{
    stage s;
    stage_open(&s, rounds(200));
    CHECK_STATUS(mcp_session_set_wake(s.session, wake_counting, &s, NULL), MCP_OK);
    run_feeders(&s);
    CHECK(s.wakes == 1);
    CHECK(tally_drain(&s.answers, s.session) == 2 * s.answers.ids);
    tally_close(&s.answers);
    tally_open(&s.answers, FEEDERS * s.each);
    run_feeders(&s);
    CHECK(s.wakes == 2);
    tally_drain(&s.answers, s.session);
    stage_close(&s);
}

/* Says by its contents whether it is alive. */
typedef struct plugin { int alive; int *destroyed; } plugin;

static void plugin_destroy(void *data)
{
    plugin *p = data;
    CHECK(p->alive == 1);
    p->alive = 0;
    increment(p->destroyed);
    free(p);
}

static mcp_status plugin_handler(void *data, mcp_call *call)
{
    CHECK(((plugin *)data)->alive == 1);
    return mcp_reply_text(call, MCP_LIT("from a plugin"));
}

static void *plugin_owner(void *data)
{
    stage *s = data;
    int i;
    for (i = 0; !current(&s->over); i++) {
        plugin *p = malloc(sizeof *p);
        mcp_status status;
        p->alive = 1;
        p->destroyed = &s->destroyed;
        increment(&s->registered);
        status = mcp_register(s->server, MCP_TOOL | MCP_REPLACE,
                              "{\"name\":\"echo\",\"inputSchema\":{\"type\":\"object\"}}", plugin_handler, p, plugin_destroy);
        CHECK_STATUS(status, MCP_OK);
        if (i % 3 == 0) {
            status = mcp_unregister(s->server, MCP_TOOL, "echo");
            CHECK(status == MCP_OK || status == MCP_E_NOT_FOUND);
        }
    }
    return NULL;
}

/* A call in flight finishes on what it started with; what is replaced is destroyed after it. */
static void tools_are_replaced_under_fire(void)
{
    stage s;
    pthread_t owners[3];
    int i;
    stage_open(&s, rounds(1000));
    CHECK_STATUS(mcp_session_set_wake(s.session, wake_draining, &s, NULL), MCP_OK);
    for (i = 0; i < 3; i++) owners[i] = start(plugin_owner, &s);
    run_feeders(&s);
    exchange(&s.over, 1);
    for (i = 0; i < 3; i++) join(owners[i]);
    stage_close(&s);
    CHECK(s.destroyed == s.registered);
}

typedef struct doomed {
    mcp_server *server;
    sem_t busy;
    int freed, destroyed, contexts;
} doomed;

static mcp_status echo_before_the_end(void *data, mcp_call *call)
{
    CHECK(current(&((doomed *)data)->freed) == 0 || mcp_call_cancelled(call));
    return echo(NULL, call) == MCP_OK ? MCP_OK : MCP_E_CANCELLED;
}

static void doomed_destroy(void *data) { increment(&((doomed *)data)->destroyed); }
static void doomed_context_destroy(void *data) { increment(&((doomed *)data)->contexts); }

/* Feeds a session of its own until the server under it is gone. */
static void *session_owner(void *data)
{
    doomed *d = data;
    mcp_session *session = mcp_session_new(d->server);
    mcp_status status = MCP_OK;
    int id;
    CHECK_STATUS(mcp_session_set_context(session, d, doomed_context_destroy), MCP_OK);
    greet(session);
    for (id = 1; status == MCP_OK; id++) {
        status = feed(session, id, "echo");
        while (mcp_session_poll(session, NULL) != NULL) continue;
        if (id == 20) sem_post(&d->busy);
    }
    CHECK_STATUS(status, MCP_E_CLOSED);
    CHECK(id > 20);
    mcp_session_free(session);
    return NULL;
}

/* A session outlives its server: it says that it is closed, and is still its owner's to free. */
static void a_server_is_freed_under_fire(void)
{
    int round, i;
    for (round = rounds(100); round > 0; round--) {
        doomed d;
        pthread_t owners[FEEDERS];
        memset(&d, 0, sizeof d);
        sem_init(&d.busy, 0, 0);
        d.server = mcp_server_new("doomed", "1");
        CHECK_STATUS(mcp_register_tool(d.server, "echo", NULL, NULL, echo_before_the_end, &d, doomed_destroy), MCP_OK);
        for (i = 0; i < FEEDERS; i++) owners[i] = start(session_owner, &d);
        for (i = 0; i < FEEDERS; i++) sem_wait(&d.busy);
        mcp_server_free(d.server);
        exchange(&d.freed, 1);
        for (i = 0; i < FEEDERS; i++) join(owners[i]);
        CHECK(d.destroyed == 1);
        CHECK(d.contexts == FEEDERS);
        sem_destroy(&d.busy);
    }
}

static void *hermit(void *unused)
{
    stage s;
    int i;
    stage_open(&s, rounds(100));
    for (i = 0; i < s.answers.ids; i++) CHECK_STATUS(feed(s.session, i, "echo"), MCP_OK);
    tally_drain(&s.answers, s.session);
    stage_close(&s);
    return unused;
}

static void sixteen_servers_in_sixteen_threads(void)
{
    pthread_t threads[16];
    int i;
    for (i = 0; i < 16; i++) threads[i] = start(hermit, NULL);
    for (i = 0; i < 16; i++) join(threads[i]);
}

int main(void)
{
    feeders_and_meddlers_share_a_session();
    a_wake_may_drain();
    a_late_host_is_woken_once();
    tools_are_replaced_under_fire();
    a_server_is_freed_under_fire();
    sixteen_servers_in_sixteen_threads();
    return check_report();
}
