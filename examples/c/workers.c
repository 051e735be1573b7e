/* workers: a poll() loop owns the pipe, threads of your own finish the calls. A handler retains its
 * call and puts it in a queue; a worker computes, reports progress and answers; the session's wake
 * writes to a pipe, which ends the poll().
 *
 * Build:  cc workers.c $(pkg-config --cflags --libs mcplite) -lpthread -o workers
 * Try:    ./workers in an MCP client; ask it how many primes there are below a million.
 */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <mcplite.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#ifndef PIPE_BUF
# define PIPE_BUF _POSIX_PIPE_BUF
#endif

#define WORKERS 2
#define STEPS 20                                 /* progress reports of a job */

typedef struct job {
    struct job *next;
    mcp_call *call;
} job;

static struct {
    pthread_mutex_t lock;
    pthread_cond_t more;
    job *first, **last;
    int stop;
} queue = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, NULL, &queue.first, 0};

static mcp_status primes(void *unused, mcp_call *call)
{
    job *j = malloc(sizeof *j);

    (void)unused;
    if (j == NULL)
        return MCP_E_NOMEM;                      /* becomes an error answer */
    j->next = NULL;
    j->call = mcp_call_retain(call);             /* before another thread can see it */
    pthread_mutex_lock(&queue.lock);
    *queue.last = j;
    queue.last = &j->next;
    pthread_cond_signal(&queue.more);
    pthread_mutex_unlock(&queue.lock);
    return MCP_OK;                               /* it may have been answered already: fine */
}

/* Blocks until there is a job; NULL when there will be none. */
static job *take(void)
{
    job *j;

    pthread_mutex_lock(&queue.lock);
    while (queue.first == NULL && !queue.stop)
        pthread_cond_wait(&queue.more, &queue.lock);
    j = queue.first;
    if (j != NULL && (queue.first = j->next) == NULL)
        queue.last = &queue.first;
    pthread_mutex_unlock(&queue.lock);
    return j;
}

static int is_prime(int64_t n)
{
    int64_t d;

    for (d = 2; d * d <= n; d++)
        if (n % d == 0)
            return 0;
    return n > 1;
}

static void work(mcp_call *call)
{
    int64_t below = mcp_arg_int(call, "below", 0), n = 0, count = 0;
    int step;

    for (step = 1; step <= STEPS; step++) {
        for (; n < below * step / STEPS; n++) {
            if (n % 1024 == 0 && mcp_call_cancelled(call))
                return;                          /* nobody waits for this any more */
            count += is_prime(n);
        }
        mcp_progress(call, step, STEPS, "counting");
    }
    mcp_put_int(call, "primes", count);
    mcp_reply(call);                             /* if it was cancelled just now, sends nothing */
}

static void *worker(void *unused)
{
    job *j;

    (void)unused;
    while ((j = take()) != NULL) {
        work(j->call);
        mcp_call_release(j->call);
        free(j);
    }
    return NULL;
}

static void stop_workers(pthread_t *threads, int count)
{
    pthread_mutex_lock(&queue.lock);
    queue.stop = 1;
    pthread_cond_broadcast(&queue.more);
    pthread_mutex_unlock(&queue.lock);
    while (count > 0)
        pthread_join(threads[--count], NULL);
}

/* Runs on whatever thread made output, so it only signals. */
static void wake(void *user_data)
{
    const int *fd = user_data;
    ssize_t n = write(*fd, "", 1);

    (void)n;                                     /* a full pipe will wake the loop as well */
}

static int is_to_repeat(ssize_t n)
{
    return n < 0 && (errno == EINTR || errno == EAGAIN);
}

/* Until the client has closed our input and everything is answered and written. */
static void serve(mcp_server *server, mcp_session *session, int wake_fd)
{
    static char in[65536];
    size_t have = 0, used = 0, taken, len;
    int ended = 0;

    while (!mcp_session_finished(session)) {
        struct pollfd fds[3] = {{0, POLLIN, 0}, {0, POLLOUT, 0}, {0, POLLIN, 0}};
        const char *out = mcp_session_peek(session, &len);
        char drained[64];
        ssize_t n;

        fds[0].fd = ended || used < have ? -1 : STDIN_FILENO;
        fds[1].fd = out == NULL ? -1 : STDOUT_FILENO;
        fds[2].fd = wake_fd;
        if (poll(fds, 3, mcp_server_timeout(server)) < 0 && errno != EINTR)
            return;
        mcp_server_tick(server);                 /* deadlines */
        while (fds[2].revents && read(wake_fd, drained, sizeof drained) > 0)
            continue;

        if (fds[1].revents) {                    /* `out` stays valid, whatever the workers do */
            n = write(STDOUT_FILENO, out, len < PIPE_BUF ? len : PIPE_BUF);
            if (n > 0)
                mcp_session_consume(session, (size_t)n);
            else if (!is_to_repeat(n))
                return;                          /* nobody reads any more */
        }
        if (fds[0].revents) {
            n = read(STDIN_FILENO, in, sizeof in);
            have = n > 0 ? (size_t)n : 0;
            used = 0;
            if (n <= 0 && !is_to_repeat(n)) {
                ended = 1;
                mcp_session_end(session);
            }
        }
        while (used < have) {
            mcp_status status = mcp_session_receive(session, in + used, have - used, &taken);
            used += taken;
            if (status == MCP_E_LIMIT)
                break;                           /* output is full: write first, then go on here */
            if (status < 0)
                return;
        }
    }
}

int main(void)
{
    mcp_server *server = mcp_server_new("workers", "1.0");
    mcp_session *session = mcp_session_new(server);
    pthread_t threads[WORKERS];
    int started = 0, wake_pipe[2];
    mcp_status status = mcp_register_tool(server, "primes", "Counts the primes below a number.",
        MCP_JSON({"type": "object", "required": ["below"],
                  "properties": {"below": {"type": "integer", "minimum": 0, "maximum": 99999999}}}),
        primes, NULL, NULL);

    if (status != MCP_OK || pipe(wake_pipe) < 0) {
        fprintf(stderr, "workers: %s\n", status != MCP_OK ? mcp_status_str(status) : "no pipe");
        return 1;
    }
    signal(SIGPIPE, SIG_IGN);                    /* write() says it too */
    fcntl(wake_pipe[0], F_SETFL, O_NONBLOCK);
    fcntl(wake_pipe[1], F_SETFL, O_NONBLOCK);
    mcp_session_set_wake(session, wake, &wake_pipe[1], NULL);
    while (started < WORKERS && pthread_create(&threads[started], NULL, worker, NULL) == 0)
        started++;

    if (started > 0)
        serve(server, session, wake_pipe[0]);
    mcp_session_free(session);                   /* cancels what is left: workers come home */
    stop_workers(threads, started);
    mcp_server_free(server);                     /* wake() has run for the last time */
    close(wake_pipe[0]);
    close(wake_pipe[1]);
    return started > 0 ? 0 : 1;
}
