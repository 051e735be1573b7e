/* Calls that other threads answer: retained and handed to workers, shared by a crowd, queued for a
 * pool, or taken without a handler. */
#define _POSIX_C_SOURCE 200809L
#include "crowd.h"

#include <sched.h>
#include <semaphore.h>

enum { FEEDERS = 4, WORKERS = 4, CROWD = 16 };

typedef struct job {
    mcp_call *call;
    sem_t *answered;            /* somebody waits for it, or NULL */
    struct job *next;
} job;

typedef struct office {
    mcp_server *server;
    mcp_session *session;
    int each, feeders, calls, finished;
    pthread_mutex_t lock;
    pthread_cond_t filled;
    job *jobs;
    sem_t work;                 /* posted by the server's wake */
    tally answers;
} office;

static void office_open(office *o, int each)
{
    memset(o, 0, sizeof *o);
    o->each = each;
    pthread_mutex_init(&o->lock, NULL);
    pthread_cond_init(&o->filled, NULL);
    sem_init(&o->work, 0, 0);
    o->server = mcp_server_new("workers", "1");
    CHECK_STATUS(mcp_server_set_int(o->server, MCP_LIMIT_OUTPUT_BYTES, INT64_C(1) << 30), MCP_OK);
    CHECK_STATUS(mcp_server_set_int(o->server, MCP_LIMIT_OPEN_CALLS, 1000000), MCP_OK);
    o->session = mcp_session_new(o->server);
    greet(o->session);
    tally_open(&o->answers, FEEDERS * each);
}

static void office_close(office *o)
{
    CHECK(mcp_session_open_calls(o->session) == 0);
    mcp_session_free(o->session);
    mcp_server_free(o->server);
    tally_close(&o->answers);
    sem_destroy(&o->work);
    pthread_cond_destroy(&o->filled);
    pthread_mutex_destroy(&o->lock);
}

static void push(office *o, job *work)
{
    pthread_mutex_lock(&o->lock);
    work->next = o->jobs;
    o->jobs = work;
    pthread_cond_signal(&o->filled);
    pthread_mutex_unlock(&o->lock);
}

static job *pop(office *o)
{
    job *work;
    pthread_mutex_lock(&o->lock);
    while (!o->jobs) pthread_cond_wait(&o->filled, &o->lock);
    work = o->jobs;
    o->jobs = work->next;
    pthread_mutex_unlock(&o->lock);
    return work;
}

/* Hands the call to a worker. Every fourth time the answer comes before the handler returns. */
static mcp_status hand_over(void *data, mcp_call *call)
{
    office *o = data;
    job *work = malloc(sizeof *work);
    /* Not on the stack: helgrind does not know that sem_post() is through with it, and takes the next frame there
       for a race. */
    sem_t *answered = malloc(sizeof *answered);
    int waits = increment(&o->calls) % 4 == 0;
    sem_init(answered, 0, 0);
    CHECK(mcp_call_retain(call) == call);
    work->call = call;
    work->answered = waits ? answered : NULL;
    push(o, work);
    if (waits) {
        while (sem_wait(answered)) continue;
        CHECK_STATUS(mcp_reply_text(call, MCP_LIT("too late")), MCP_E_ANSWERED);
    }
    sem_destroy(answered);
    free(answered);
    return MCP_OK;
}

static void *worker(void *data)
{
    office *o = data;
    for (;;) {
        job *work = pop(o);
        if (!work->call) {
            free(work);
            return NULL;
        }
        CHECK_TEXT(mcp_arg_str(work->call, "text", NULL), "hello");
        CHECK_STATUS(mcp_progress(work->call, 1, -1, NULL), MCP_OK);
        CHECK_STATUS(mcp_add_text(work->call, MCP_LIT("from a worker")), MCP_OK);
        CHECK_STATUS(mcp_reply(work->call), MCP_OK);
        CHECK_STATUS(mcp_reply(work->call), MCP_E_ANSWERED);
        if (work->answered) sem_post(work->answered);
        mcp_call_release(work->call);
        free(work);
    }
}

static void *feeder(void *data)
{
    office *o = data;
    int first = (increment(&o->feeders) - 1) * o->each, i;
    for (i = 0; i < o->each; i++) CHECK_STATUS(feed(o->session, first + i, "work"), MCP_OK);
    return NULL;
}

static void run_feeders(office *o)
{
    pthread_t threads[FEEDERS];
    int i;
    for (i = 0; i < FEEDERS; i++) threads[i] = start(feeder, o);
    for (i = 0; i < FEEDERS; i++) join(threads[i]);
}

static void drain_at_once(void *data) { tally_drain(&((office *)data)->answers, ((office *)data)->session); }

static void workers_answer_retained_calls(void)
{
    office o;
    pthread_t workers[WORKERS];
    int i;
    office_open(&o, rounds(2000));
    CHECK_STATUS(mcp_register_tool(o.server, "work", NULL, NULL, hand_over, &o, NULL), MCP_OK);
    CHECK_STATUS(mcp_session_set_wake(o.session, drain_at_once, &o, NULL), MCP_OK);
    for (i = 0; i < WORKERS; i++) workers[i] = start(worker, &o);
    run_feeders(&o);
    /* The jobs are a stack, so the last word must wait until nothing else is left. */
    while (mcp_session_open_calls(o.session) > 0) sched_yield();
    for (i = 0; i < WORKERS; i++) push(&o, calloc(1, sizeof(job)));
    for (i = 0; i < WORKERS; i++) join(workers[i]);
    office_close(&o);
}

static mcp_status keep(void *data, mcp_call *call)
{
    *(mcp_call **)data = mcp_call_retain(call);
    return MCP_OK;
}

typedef struct shared { mcp_call *call; pthread_barrier_t *ready; int answered, refused; } shared;

static void *one_of_many(void *data)
{
    shared *s = data;
    size_t length;
    mcp_status status;
    pthread_barrier_wait(s->ready);
    CHECK(mcp_call_retain(s->call) == s->call);
    CHECK_TEXT(mcp_arg_str(s->call, "text", &length), "hello");
    CHECK_TEXT(mcp_call_info(s->call, MCP_INFO_NAME, &length), "work");
    CHECK_PART(mcp_arg_json(s->call, "", &length), "\"text\"");
    CHECK(mcp_call_cancelled(s->call) == 0);
    status = mcp_add_text(s->call, MCP_LIT("a block"));
    CHECK(status == MCP_OK || status == MCP_E_ANSWERED);
    status = mcp_log(s->call, MCP_LOG_ERROR, "crowd", MCP_LIT("a line"));
    CHECK(status == MCP_OK || status == MCP_E_ANSWERED);
    status = mcp_reply(s->call);
    if (status == MCP_OK) increment(&s->answered);
    else if (status == MCP_E_ANSWERED) increment(&s->refused);
    CHECK_TEXT(mcp_arg_str(s->call, "text", &length), "hello");
    mcp_call_release(s->call);
    return NULL;
}

static void a_crowd_answers_one_call(void)
{
    mcp_server *server = mcp_server_new("crowd", "1");
    mcp_session *session = mcp_session_new(server);
    mcp_call *call = NULL;
    int round, i, ids = rounds(100);
    tally answers;
    greet(session);
    tally_open(&answers, ids);
    CHECK_STATUS(mcp_register_tool(server, "work", NULL, NULL, keep, &call, NULL), MCP_OK);
    for (round = 0; round < ids; round++) {
        pthread_t threads[CROWD];
        pthread_barrier_t ready;
        shared s = {NULL, NULL, 0, 0};
        pthread_barrier_init(&ready, NULL, CROWD);
        CHECK_STATUS(feed(session, round, "work"), MCP_OK);
        s.call = call;
        s.ready = &ready;
        for (i = 0; i < CROWD; i++) threads[i] = start(one_of_many, &s);
        for (i = 0; i < CROWD; i++) join(threads[i]);
        mcp_call_release(call);
        CHECK(s.answered == 1 && s.refused == CROWD - 1);
        tally_drain(&answers, session);
        pthread_barrier_destroy(&ready);
    }
    tally_close(&answers);
    mcp_session_free(session);
    mcp_server_free(server);
}

static mcp_status answer_at_once(void *unused, mcp_call *call)
{
    (void)unused;
    return mcp_reply_text(call, MCP_LIT("from the pool"));
}

static void tell_pool(void *data) { sem_post(&((office *)data)->work); }

/* Runs what waits whenever the server says that something does, and only then. */
static void *pool_member(void *data)
{
    office *o = data;
    while (!current(&o->finished)) {
        mcp_call *call;
        int32_t ran;
        while (sem_wait(&o->work)) continue;
        while ((ran = mcp_server_run(o->server, 0)) > 0) continue;
        CHECK(ran == 0);
        while ((call = mcp_server_next_call(o->server)) != NULL) {
            CHECK(mcp_call_user_data(call) == o);
            CHECK_STATUS(answer_at_once(NULL, call), MCP_OK);
            mcp_call_release(call);
        }
    }
    sem_post(&o->work);         /* the next one, too, must see that it is over */
    return NULL;
}

static void drain_until_all(void *data)
{
    office *o = data;
    tally_drain(&o->answers, o->session);
    if (o->answers.answered < o->answers.ids) return;
    exchange(&o->finished, 1);
    sem_post(&o->work);
}

static void a_pool_runs_what_waits(mcp_handler handler)
{
    office o;
    pthread_t pool[WORKERS];
    int i;
    office_open(&o, rounds(500));
    if (handler) CHECK_STATUS(mcp_server_set_int(o.server, MCP_OPT_DISPATCH, MCP_DISPATCH_QUEUED), MCP_OK);
    CHECK_STATUS(mcp_register_tool(o.server, "work", NULL, NULL, handler, &o, NULL), MCP_OK);
    CHECK_STATUS(mcp_server_set_wake(o.server, tell_pool, &o, NULL), MCP_OK);
    CHECK_STATUS(mcp_session_set_wake(o.session, drain_until_all, &o, NULL), MCP_OK);
    for (i = 0; i < WORKERS; i++) pool[i] = start(pool_member, &o);
    run_feeders(&o);
    for (i = 0; i < WORKERS; i++) join(pool[i]);
    office_close(&o);
}

static void a_pool_runs_queued_handlers(void) { a_pool_runs_what_waits(answer_at_once); }
static void a_pool_takes_calls_without_a_handler(void) { a_pool_runs_what_waits(NULL); }

int main(void)
{
    workers_answer_retained_calls();
    a_crowd_answers_one_call();
    a_pool_runs_queued_handlers();
    a_pool_takes_calls_without_a_handler();
    return check_report();
}
