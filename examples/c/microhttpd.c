/* microhttpd: MCP over an HTTP server that you have already, here GNU libmicrohttpd. It reads and
 * writes; the library says what to answer. A visit is a request and its response: it is suspended
 * while there is nothing to send, and resumed by the wake of its exchange.
 *
 * Build:  cc microhttpd.c $(pkg-config --cflags --libs mcplite libmicrohttpd) -lpthread -o microhttpd
 * Try:    ./microhttpd 8080            http://127.0.0.1:8080/mcp, until SIGINT or SIGTERM
 *         ./microhttpd 8080 s3cret     for clients that send "Authorization: Bearer s3cret"
 */
#define _POSIX_C_SOURCE 200809L
#include <arpa/inet.h>
#include <errno.h>
#include <mcplite.h>
#include <microhttpd.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#define LOOK_MS 200                              /* how often we see who is gone */
#define MILLISECOND 1000000L                     /* in nanoseconds */

struct visit {
    struct visit *next, **place;                 /* in the list of visits */
    struct MHD_Connection *connection;           /* NULL when it is over */
    mcp_exchange *exchange;
    const char *rest;                            /* of what the exchange gave, not sent yet */
    size_t rest_len;
    int is_open, has_ended;
    int is_rung, is_suspended, is_gone;
    int holders;                                 /* libmicrohttpd, and the wake */
    char target[];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;        /* guards all visits, and: */
static struct visit *visits;
static int is_stopping;
static sem_t has_work;

static void release(void *user_data)
{
    struct visit *visit = user_data;
    int holders;

    pthread_mutex_lock(&lock);
    holders = --visit->holders;
    pthread_mutex_unlock(&lock);
    if (holders == 0)
        free(visit);
}

/* With the lock held. */
static void resume(struct visit *visit)
{
    visit->is_rung = !visit->is_suspended;       /* on its way to sleep: it looks again */
    if (visit->is_suspended)
        MHD_resume_connection(visit->connection);
    visit->is_suspended = 0;
}

/* On any thread: the head, bytes of the body or the end are there. */
static void wake(void *user_data)
{
    struct visit *visit = user_data;

    pthread_mutex_lock(&lock);
    if (visit->connection != NULL)
        resume(visit);
    pthread_mutex_unlock(&lock);
}

static int is_over(struct visit *visit)
{
    int over;

    pthread_mutex_lock(&lock);
    over = is_stopping || visit->is_gone;
    pthread_mutex_unlock(&lock);
    return over;
}

/* Whether the visit sleeps now; else there is something to look at. */
static int suspend(struct visit *visit)
{
    int sleeps;

    pthread_mutex_lock(&lock);
    sleeps = !visit->is_rung && !visit->is_gone && !is_stopping;
    visit->is_rung = 0;
    visit->is_suspended = sleeps;
    if (sleeps)
        MHD_suspend_connection(visit->connection);
    pthread_mutex_unlock(&lock);
    return sleeps;
}

static ssize_t next_bytes(void *user_data, uint64_t position, char *buffer, size_t room)
{
    struct visit *visit = user_data;
    size_t len;

    (void)position;
    while (visit->rest_len == 0) {
        visit->rest = mcp_exchange_poll(visit->exchange, &visit->rest_len);
        if (visit->rest != NULL)
            break;
        visit->rest_len = 0;
        if (mcp_exchange_finished(visit->exchange))
            return MHD_CONTENT_READER_END_OF_STREAM;
        if (is_over(visit))
            return MHD_CONTENT_READER_END_WITH_ERROR;
        if (suspend(visit))
            return 0;
    }
    len = visit->rest_len < room ? visit->rest_len : room;
    memcpy(buffer, visit->rest, len);
    visit->rest += len;
    visit->rest_len -= len;
    return (ssize_t)len;
}

static enum MHD_Result respond(struct visit *visit)
{
    struct MHD_Response *response;
    enum MHD_Result result;
    const char *name, *value;
    size_t i, len = 0;

    if (mcp_exchange_is_stream(visit->exchange)) {
        response = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, 4096, next_bytes, visit, NULL);
    } else {
        const char *body = mcp_exchange_poll(visit->exchange, &len);
        response = MHD_create_response_from_buffer(body != NULL ? len : 0, (void *)body,
                                                   MHD_RESPMEM_MUST_COPY);
    }
    for (i = 0; mcp_exchange_response_header(visit->exchange, i, &name, &value) == MCP_OK; i++)
        MHD_add_response_header(response, name, value);
    result = MHD_queue_response(visit->connection,
                                (unsigned)mcp_exchange_status(visit->exchange), response);
    MHD_destroy_response(response);
    return result;
}

/* The request line as it came: later libmicrohttpd shows it decoded and without the query. */
static void *begin(void *unused, const char *target, struct MHD_Connection *connection)
{
    struct visit *visit = calloc(1, sizeof *visit + strlen(target) + 1);

    (void)unused;
    if (visit == NULL)
        return NULL;
    strcpy(visit->target, target);
    visit->connection = connection;
    visit->holders = 1;
    pthread_mutex_lock(&lock);
    visit->place = &visits;
    visit->next = visits;
    if (visits != NULL)
        visits->place = &visit->next;
    visits = visit;
    pthread_mutex_unlock(&lock);
    return visit;
}

static enum MHD_Result take_header(void *exchange, enum MHD_ValueKind kind, const char *name,
                                   size_t name_len, const char *value, size_t value_len)
{
    (void)kind;
    mcp_exchange_header(exchange, name, name_len, value, value_len);
    return MHD_YES;
}

static void open_exchange(struct visit *visit, mcp_http *http, const char *method)
{
    visit->is_open = 1;
    visit->exchange = mcp_http_open(http, method, visit->target, strlen(visit->target));
    pthread_mutex_lock(&lock);
    visit->holders++;
    pthread_mutex_unlock(&lock);
    mcp_exchange_set_wake(visit->exchange, wake, visit, release);
    MHD_get_connection_values_n(visit->connection, MHD_HEADER_KIND, take_header, visit->exchange);
    mcp_exchange_body(visit->exchange, NULL, 0); /* the headers are complete: authorize() runs */
}

/* Called with the headers, with each piece of the body, at its end, and whenever resumed. */
static enum MHD_Result go_on(void *http, struct MHD_Connection *connection, const char *url,
                             const char *method, const char *version, const char *data, size_t *len,
                             void **context)
{
    struct visit *visit = *context;

    (void)connection; (void)url; (void)version;
    if (visit == NULL)
        return MHD_NO;
    if (!visit->is_open) {
        open_exchange(visit, http, method);
        return mcp_exchange_status(visit->exchange) != 0 ? respond(visit) : MHD_YES;
    }
    if (*len > 0) {
        mcp_exchange_body(visit->exchange, data, *len);
        *len = 0;
        return MHD_YES;
    }
    if (!visit->has_ended)
        mcp_exchange_end(visit->exchange);
    visit->has_ended = 1;
    while (mcp_exchange_status(visit->exchange) == 0) {
        if (is_over(visit))
            return MHD_NO;
        if (suspend(visit))
            return MHD_YES;
    }
    return respond(visit);
}

static void complete(void *unused, struct MHD_Connection *connection, void **context,
                     enum MHD_RequestTerminationCode why)
{
    struct visit *visit = *context;

    (void)unused; (void)connection; (void)why;
    if (visit == NULL)
        return;
    pthread_mutex_lock(&lock);
    visit->connection = NULL;
    *visit->place = visit->next;
    if (visit->next != NULL)
        visit->next->place = visit->place;
    pthread_mutex_unlock(&lock);
    mcp_exchange_free(visit->exchange);          /* before it is finished: the client is gone */
    release(visit);
}

static int has_hung_up(int fd)
{
    char byte;
    ssize_t n = recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);

    return n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR);
}

/* libmicrohttpd does not look at connections that are suspended, so we do. */
static void look_who_is_gone(void)
{
    struct visit *visit;

    pthread_mutex_lock(&lock);
    for (visit = visits; visit != NULL; visit = visit->next) {
        if (visit->is_suspended)
            visit->is_gone = has_hung_up(MHD_get_connection_info(
                visit->connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd);
        if (visit->is_gone || is_stopping)
            resume(visit);
    }
    pthread_mutex_unlock(&lock);
}

/* Who may come in. A real one asks who issued the token, for whom, and until when. */
static int32_t authorize(void *token, mcp_exchange *exchange)
{
    const char *header = mcp_exchange_request_header(exchange, "Authorization", NULL);

    if (header == NULL || strncmp(header, "Bearer ", 7) != 0 || strcmp(header + 7, token) != 0)
        return 401;
    mcp_exchange_set_principal(exchange, "the owner of the token");
    return 0;
}

static mcp_status whoami(void *unused, mcp_call *call)
{
    const char *principal = mcp_call_info(call, MCP_INFO_PRINCIPAL, NULL);

    (void)unused;
    return mcp_reply_text(call, principal != NULL ? principal : "anybody", MCP_Z);
}

static mcp_status countdown(void *unused, mcp_call *call)
{
    const struct timespec pause = {0, 100 * MILLISECOND};
    int from = (int)mcp_arg_int(call, "from", 3), i;

    (void)unused;
    for (i = 1; i <= from; i++) {
        if (mcp_call_cancelled(call)) {
            fprintf(stderr, "nobody waits for the countdown any more\n");
            return MCP_E_CANCELLED;
        }
        mcp_progress(call, i, from, NULL);
        nanosleep(&pause, NULL);
    }
    return mcp_reply_text(call, "liftoff", MCP_Z);
}

static void ring_worker(void *unused)
{
    (void)unused;
    sem_post(&has_work);
}

/* Handlers run here, so that they may block. There can be more such threads. */
static void *work(void *server)
{
    int stop = 0;

    while (!stop) {
        sem_wait(&has_work);
        mcp_server_run(server, 0);
        pthread_mutex_lock(&lock);
        stop = is_stopping;
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

static void tick_until_signal(mcp_server *server, const sigset_t *signals)
{
    for (;;) {
        int ms = mcp_server_timeout(server);
        struct timespec pause = {0, (ms < 0 || ms > LOOK_MS ? LOOK_MS : ms) * MILLISECOND};

        if (sigtimedwait(signals, NULL, &pause) > 0)
            return;
        mcp_server_tick(server);
        look_who_is_gone();
    }
}

int main(int argc, char **argv)
{
    mcp_server *server = mcp_server_new("microhttpd", "1.0");
    mcp_http *http = mcp_http_new(server, "/mcp");
    struct sockaddr_in address = {0};
    struct MHD_Daemon *daemon;
    pthread_t worker;
    sigset_t signals;

    mcp_register_tool(server, "whoami", "Tells who asks.", NULL, whoami, NULL, NULL);
    mcp_register_tool(server, "countdown", "Counts down, with progress.", MCP_JSON({
        "type": "object", "properties": {"from": {"type": "integer", "minimum": 1, "maximum": 50}}
    }), countdown, NULL, NULL);
    mcp_server_set_int(server, MCP_OPT_DISPATCH, MCP_DISPATCH_QUEUED);
    mcp_server_set_wake(server, ring_worker, NULL, NULL);
    if (argc > 2)
        mcp_http_set_authorize(http, authorize, argv[2], NULL);

    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &signals, NULL);  /* before any thread starts: they inherit it */
    sem_init(&has_work, 0, 0);
    address.sin_family = AF_INET;
    address.sin_port = htons((uint16_t)(argc > 1 ? atoi(argv[1]) : 8080));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    daemon = MHD_start_daemon(
        MHD_USE_INTERNAL_POLLING_THREAD | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, go_on, http,
        MHD_OPTION_SOCK_ADDR, &address, MHD_OPTION_URI_LOG_CALLBACK, begin, NULL,
        MHD_OPTION_NOTIFY_COMPLETED, complete, NULL, MHD_OPTION_END);
    if (daemon == NULL || pthread_create(&worker, NULL, work, server) != 0) {
        fprintf(stderr, "microhttpd: cannot start\n");
        return 1;
    }
    fprintf(stderr, "listening on http://127.0.0.1:%d/mcp\n",
            (int)MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT)->port);
    tick_until_signal(server, &signals);

    pthread_mutex_lock(&lock);
    is_stopping = 1;
    pthread_mutex_unlock(&lock);
    look_who_is_gone();                          /* nobody may be suspended when it stops */
    MHD_stop_daemon(daemon);
    sem_post(&has_work);
    pthread_join(worker, NULL);
    mcp_http_free(http);
    mcp_server_free(server);
    return 0;
}
