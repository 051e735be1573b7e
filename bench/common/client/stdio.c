/* One server over pipes: its start, its memory, calls one after another, then many calls at once. */
#include "client.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BLOCK = 1 << 16, WARM = 200 };

#define META                                                                                          \
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","                            \
    "\"io.modelcontextprotocol/clientInfo\":{\"name\":\"bench\",\"version\":\"1\"},"                   \
    "\"io.modelcontextprotocol/clientCapabilities\":{}}"

/* How a client of some revision talks. */
struct era {
    const char *revision;
    /* The first request, and what follows its answer and gets none. */
    const char *hello, *greeted;
    /* What each call has besides its name and arguments. */
    const char *meta;
    /* Room for one line in either direction. */
    size_t request, answer;
};

static const struct era ERAS[] = {
    {"2025-11-25",
     "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
     "\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"bench\",\"version\":\"1\"}}}\n",
     "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n", "", 160, 256},
    {"2026-07-28",
     "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"server/discover\",\"params\":{" META "}}\n", "",
     "," META, 400, 512},
};

struct server {
    pid_t pid;
    int input, output;
    int64_t deadline;
    /* All that the server has written since the handshake. */
    char *answers;
    size_t length, capacity;
};

/* Waits for a stream, and ends the run when time is up: a silent server must not hold it forever. */
static int await(struct server *server, struct pollfd *streams, nfds_t count) {
    int64_t left = (server->deadline - now_ns()) / 1000000;
    if (left <= 0)
        fail("no answer in time; %zu bytes were answered", server->length);
    int ready = poll(streams, count, (int)left);
    if (ready < 0 && errno != EINTR)
        fail("poll: %s", strerror(errno));
    return ready;
}

/* Appends what is there to the answers; gives the number of lines that it ended. */
static size_t take(struct server *server) {
    if (server->capacity - server->length < BLOCK)
        fail("answers are much longer than expected");
    char *begin = server->answers + server->length;
    ssize_t count = read(server->output, begin, BLOCK);
    if (count == 0)
        fail("the server closed its output; %zu bytes were answered", server->length);
    if (count < 0) {
        if (errno == EAGAIN || errno == EINTR)
            return 0;
        fail("read: %s", strerror(errno));
    }
    server->length += (size_t)count;
    size_t lines = 0;
    for (char *end = begin + count; (begin = memchr(begin, '\n', (size_t)(end - begin))); begin++)
        lines++;
    return lines;
}

/* Sends one request, and waits for the end of one line. */
static void exchange(struct server *server, const char *request, size_t size) {
    struct pollfd stream = {.fd = server->output, .events = POLLIN};
    if (write(server->input, request, size) != (ssize_t)size)
        fail("the server does not read");
    while (await(server, &stream, 1) <= 0 || take(server) == 0) {
    }
}

static size_t write_call(const struct era *era, char *line, size_t id) {
    return (size_t)sprintf(line,
                           "{\"jsonrpc\":\"2.0\",\"id\":%zu,\"method\":\"tools/call\",\"params\":{"
                           "\"name\":\"add\",\"arguments\":{\"a\":%zu,\"b\":2}%s}}\n",
                           id, id, era->meta);
}

/* Sends requests as fast as they are taken while it reads the answers, with at most `window` of them
 * unanswered. `ends` says where each request ends, and before it where the first begins. */
static void flood(struct server *server, const char *requests, const size_t *ends, size_t count,
                  size_t window) {
    size_t written = ends[0], answered = 0;
    while (answered < count) {
        size_t end = ends[count - answered < window ? count : answered + window];
        struct pollfd streams[] = {{.fd = server->output, .events = POLLIN},
                                   {.fd = server->input, .events = written < end ? POLLOUT : 0}};
        await(server, streams, 2);
        if (streams[1].revents & POLLOUT) {
            size_t block = end - written < BLOCK ? end - written : BLOCK;
            ssize_t taken = write(server->input, requests + written, block);
            if (taken < 0 && errno != EAGAIN)
                fail("write: %s", strerror(errno));
            written += taken > 0 ? (size_t)taken : 0;
        }
        if (streams[0].revents & (POLLIN | POLLHUP))
            answered += take(server);
    }
}

/* What the kernel says of the memory of a process: "VmRSS:" now, "VmHWM:" at most so far. */
static long memory_kb(pid_t pid, const char *member) {
    char path[64], line[256];
    long size = -1;
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    FILE *file = fopen(path, "r");
    while (file != NULL && fgets(line, sizeof line, file))
        if (strncmp(line, member, strlen(member)) == 0)
            size = atol(line + strlen(member));
    if (size < 0)
        fail("%s does not say %s", path, member);
    fclose(file);
    return size;
}

/* Closes its input, upon which a server ends by itself. */
static int finish(struct server *server) {
    int status;
    close(server->input);
    for (int attempt = 0; attempt < 5000; attempt++) {
        if (waitpid(server->pid, &status, WNOHANG) == server->pid)
            return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        usleep(1000);
    }
    fail("the server did not end within 5 s after its input");
}

static struct server launch(char **command, char *answers, size_t capacity, int seconds) {
    int input[2], output[2];
    if (pipe2(input, O_CLOEXEC) != 0 || pipe2(output, O_CLOEXEC) != 0)
        fail("pipe: %s", strerror(errno));
    struct server server = {.input = input[1],
                            .output = output[0],
                            .deadline = now_ns() + (int64_t)seconds * 1000000000,
                            .answers = answers,
                            .capacity = capacity};
    server.pid = start(command, input[0], output[1]);
    close(input[0]);
    close(output[1]);
    return server;
}

static void greet(struct server *server, const struct era *era) {
    exchange(server, era->hello, strlen(era->hello));
    server->length = 0;
    if (*era->greeted && write(server->input, era->greeted, strlen(era->greeted)) < 0)
        fail("the server does not read");
}

/* Calls one after another, of which the first few only warm the server up. */
static void measure_sequence(struct server *server, const char *requests, const size_t *ends,
                             size_t pings) {
    int64_t *latencies = (int64_t *)(void *)touched(pings * sizeof *latencies);
    int64_t cpu = 0;
    for (size_t index = 1; index <= WARM + pings; index++) {
        if (index == WARM + 1)
            cpu = cpu_ns(server->pid);
        int64_t sent = now_ns();
        exchange(server, requests + ends[index - 1], ends[index] - ends[index - 1]);
        if (index > WARM)
            latencies[index - WARM - 1] = now_ns() - sent;
    }
    printf(",\"ping_cpu_ns\":%lld,", (long long)(cpu_ns(server->pid) - cpu));
    print_percentiles(latencies, pings);
}

static void measure_flood(struct server *server, const char *requests, const size_t *ends,
                          size_t calls, size_t window) {
    fcntl(server->input, F_SETFL, O_NONBLOCK);
    fcntl(server->output, F_SETFL, O_NONBLOCK);
    int64_t cpu = cpu_ns(server->pid), begin = now_ns();
    flood(server, requests, ends, calls, window);
    int64_t wall = now_ns() - begin;
    printf(",\"wall_ns\":%lld,\"cpu_ns\":%lld,\"rss_after_kb\":%ld,\"peak_kb\":%ld", (long long)wall,
           (long long)(cpu_ns(server->pid) - cpu), memory_kb(server->pid, "VmRSS:"),
           memory_kb(server->pid, "VmHWM:"));
}

static const struct era *era_of(const char *revision) {
    for (size_t index = 0; index < sizeof ERAS / sizeof *ERAS; index++)
        if (strcmp(revision, ERAS[index].revision) == 0)
            return &ERAS[index];
    fail("no client talks as of %s", revision);
}

int measure_stdio(char **argv) {
    const struct era *era = era_of(argv[0]);
    size_t pings = strtoul(argv[1], NULL, 10), calls = strtoul(argv[2], NULL, 10);
    size_t window = strtoul(argv[3], NULL, 10);
    size_t before = pings > 0 ? 1 + WARM + pings : 1, total = before + calls;
    size_t capacity = total * era->answer + 2 * BLOCK;
    char *answers = touched(capacity), *requests = touched(total * era->request);
    size_t *ends = (size_t *)(void *)touched(total * sizeof *ends);
    for (size_t index = 0, length = 0; index < total; index++)
        ends[index] = length += write_call(era, requests + length, index + 1);
    signal(SIGPIPE, SIG_IGN);

    int64_t begin = now_ns();
    struct server server = launch(argv + 6, answers, capacity, atoi(argv[4]));
    greet(&server, era);
    int64_t first = now_ns() - begin;
    exchange(&server, requests, ends[0]);
    printf("{\"first_reply_ns\":%lld,\"rss_kb\":%ld", (long long)first,
           memory_kb(server.pid, "VmRSS:"));
    if (pings > 0)
        measure_sequence(&server, requests, ends, pings);
    if (calls > 0)
        measure_flood(&server, requests, ends + before - 1, calls, window > 0 ? window : calls);
    store(argv[5], server.answers, server.length);
    printf(",\"exit\":%d}\n", finish(&server));
    return 0;
}
