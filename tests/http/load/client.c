/* Many clients at once, each asking again as soon as it has its answer: client PORT CLIENTS REQUESTS
 *
 * All of them use the same ids; each sends a text of its own, and wants that text back, once. Prints figures
 * as one line of JSON. */
#define _POSIX_C_SOURCE 200809L
#define _DEFAULT_SOURCE
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { BUFFER = 4096, EVENTS = 256, PATIENCE_MS = 30000 };

typedef struct { int fd, number, sent; size_t length; double asked; char text[64], bytes[BUFFER]; } visitor;

static int port, requests, wrong, finished;
static double *latencies;
static size_t answered;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void ask(visitor *self)
{
    char body[512], whole[1024];
    int length;
    snprintf(self->text, sizeof self->text, "client %d, request %d.", self->number, self->sent++);
    snprintf(body, sizeof body,
             "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"tools/call\",\"params\":{\"name\":\"echo\",\"arguments\":{\"text\":\"%s\"},"
             "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
             "\"io.modelcontextprotocol/clientInfo\":{\"name\":\"load\",\"version\":\"1\"},"
             "\"io.modelcontextprotocol/clientCapabilities\":{}}}}", self->sent, self->text);
    length = snprintf(whole, sizeof whole,
             "POST /mcp HTTP/1.1\r\nHost: localhost:%d\r\nContent-Type: application/json\r\n"
             "Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\n"
             "Mcp-Method: tools/call\r\nMcp-Name: echo\r\nContent-Length: %zu\r\n\r\n%s", port, strlen(body), body);
    self->length = 0;
    self->asked = now();
    if (write(self->fd, whole, (size_t)length) != length) wrong++, finished++, close(self->fd);
}

/* The bytes of the response, if all of it is there. */
static size_t whole_length(visitor *self)
{
    const char *body, *header;
    self->bytes[self->length] = '\0';
    body = strstr(self->bytes, "\r\n\r\n");
    header = strstr(self->bytes, "content-length: ");
    if (!body || !header || header > body) return 0;
    return (size_t)(body + 4 - self->bytes) + (size_t)atol(header + 16);
}

/* Whether this is the answer to what was asked, and nothing else. */
static int is_mine(visitor *self)
{
    const char *first = strstr(self->bytes, self->text);
    char id[32];
    snprintf(id, sizeof id, "\"id\":%d,", self->sent);
    return !strncmp(self->bytes, "HTTP/1.1 200 ", 13) && strstr(self->bytes, id) && first &&
           !strstr(first + 1, self->text) && whole_length(self) == self->length;
}

static void hear(visitor *self)
{
    ssize_t count = read(self->fd, self->bytes + self->length, BUFFER - 1 - self->length);
    size_t whole;
    if (count <= 0) {
        wrong++, finished++, close(self->fd);
        return;
    }
    self->length += (size_t)count;
    whole = whole_length(self);
    if (!whole || self->length < whole) return;
    latencies[answered++] = now() - self->asked;
    wrong += !is_mine(self);
    if (self->sent < requests) ask(self);
    else finished++, close(self->fd);
}

static int compare(const void *one, const void *other)
{
    double difference = *(const double *)one - *(const double *)other;
    return (difference > 0) - (difference < 0);
}

int main(int count, char **arguments)
{
    int i, clients = count == 4 ? atoi(arguments[2]) : 0, loop = epoll_create1(0), on = 1;
    struct sockaddr_in address = {0};
    struct epoll_event events[EVENTS];
    visitor *all = calloc((size_t)clients + 1, sizeof *all);
    double arrived = now(), began;
    if (!clients) return fprintf(stderr, "client PORT CLIENTS REQUESTS\n"), 2;
    port = atoi(arguments[1]), requests = atoi(arguments[3]);
    latencies = malloc(sizeof *latencies * (size_t)clients * (size_t)requests);
    address.sin_family = AF_INET;
    address.sin_port = htons((uint16_t)port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    for (i = 0; i < clients; i++) {
        struct epoll_event event = {EPOLLIN, {.ptr = &all[i]}};
        all[i].number = i;
        all[i].fd = socket(AF_INET, SOCK_STREAM, 0);
        if (connect(all[i].fd, (struct sockaddr *)&address, sizeof address)) return perror("connect"), 1;
        setsockopt(all[i].fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        epoll_ctl(loop, EPOLL_CTL_ADD, all[i].fd, &event);
    }
    began = now();
    for (i = 0; i < clients; i++) ask(&all[i]);
    while (finished < clients) {
        int ready = epoll_wait(loop, events, EVENTS, PATIENCE_MS);
        if (ready <= 0) break;
        for (i = 0; i < ready; i++) hear(events[i].data.ptr);
    }
    qsort(latencies, answered, sizeof *latencies, compare);
    printf("{\"requests\":%zu,\"wrong\":%d,\"unanswered\":%d,\"connect_s\":%.2f,\"req_s\":%.0f,\"p50_ms\":%.2f,\"p99_ms\":%.2f}\n", answered,
           wrong, clients * requests - (int)answered, began - arrived, (double)answered / (now() - began),
           answered ? 1e3 * latencies[answered / 2] : 0, answered ? 1e3 * latencies[answered * 99 / 100] : 0);
    return 0;
}
