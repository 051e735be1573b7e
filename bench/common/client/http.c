/* One HTTP server that runs already: a request over and over on connections that stay open. An answer may be a
 * stream of events, which is read to its end.
 *
 * All connections send the same but for the ID and the token of progress, which have to differ within a session. */
#include "client.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

enum { ANSWER = 1 << 14, MOST_CONNECTIONS = 64, MOST_SAMPLES = 1 << 22, FIRST_ID = 1000 };

struct connection {
    char *request;
    size_t request_size;
    char answer[ANSWER];
    size_t length;
    /* The body of the first answer, to which all others must be equal. */
    char body[ANSWER];
    size_t body_size;
    int64_t sent;
};

struct load {
    size_t count;
    struct pollfd streams[MOST_CONNECTIONS];
    struct connection *connections;
    int64_t *latencies;
};

/* Gives what a marker ends with, four digits, another number. Tells whether the marker is there. */
static int renumber(char *request, size_t size, const char *marker, size_t index) {
    size_t length = strlen(marker);
    char *place = memmem(request, size, marker, length), digits[8];
    if (place == NULL)
        return 0;
    snprintf(digits, sizeof digits, "%zu", FIRST_ID + index);
    memcpy(place + length - 4, digits, 4);
    return 1;
}

/* The request as a file has it, with an ID of its own, and if it asks for progress a token of its own. */
static char *numbered(const char *path, size_t index, size_t *size) {
    static const char marker[] = "\"id\":1000";
    char *request = contents(path, size);
    if (!renumber(request, *size, marker, index))
        fail("%s has no %s", path, marker);
    renumber(request, *size, "\"progressToken\":1000", index);
    return request;
}

static int join(int port) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    int on = 1, stream = socket(AF_INET, SOCK_STREAM, 0);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (stream < 0 || connect(stream, (struct sockaddr *)&address, sizeof address) != 0)
        fail("cannot connect to port %d: %s", port, strerror(errno));
    setsockopt(stream, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return stream;
}

static void ask(struct load *load, size_t index) {
    struct connection *connection = &load->connections[index];
    connection->length = 0;
    connection->sent = now_ns();
    if (send(load->streams[index].fd, connection->request, connection->request_size, 0) !=
        (ssize_t)connection->request_size)
        fail("a request was not taken at once: %s", strerror(errno));
}

/* What follows the name of a header in a head that ends before `end`, or NULL. */
static const char *header(const char *head, const char *end, const char *name) {
    for (const char *line = head; line < end; line++) {
        line = memchr(line, '\n', (size_t)(end - line));
        if (line == NULL)
            break;
        if (strncasecmp(line + 1, name, strlen(name)) == 0)
            return line + 1 + strlen(name);
    }
    return NULL;
}

/* Puts the chunks of a body one after another, in the place of the first. Gives whether the last one has come,
 * which is empty and looks like nothing that JSON has; before, nothing is changed. */
static int joined(char *body, size_t there, size_t *size) {
    char *end = body + there, *chunk = body, *data, *place = body;
    if (there < 5 || memcmp(end - 5, "0\r\n\r\n", 5) != 0)
        return 0;
    for (;;) {
        size_t length = strtoul(chunk, &data, 16);
        if (length == 0)
            break;
        data += 2;
        if (length + 2 > (size_t)(end - data))
            fail("chunks that do not fit together:\n%s", body);
        memmove(place, data, length);
        place += length;
        chunk = data + length + 2;
    }
    *size = (size_t)(place - body);
    return 1;
}

/* Leaves of a stream of events what they say, a line each, without their names and numbers, which may differ
 * from answer to answer. Gives how much is left. */
static size_t said(char *events, size_t size) {
    static const char name[] = "data:";
    char *place = events, *end = events + size;
    for (char *line = events, *next; line < end; line = next) {
        next = memchr(line, '\n', (size_t)(end - line));
        next = next == NULL ? end : next + 1;
        char *data = line + sizeof name - 1;
        if (next < data || memcmp(line, name, sizeof name - 1) != 0)
            continue;
        data += *data == ' ';
        if (data >= next || *data == '\r' || *data == '\n')
            continue;
        memmove(place, data, (size_t)(next - data));
        place += next - data;
    }
    return (size_t)(place - events) - (place > events);
}

/* Whether the answer of a connection is complete; ends the run if it is not the right one. */
static int complete(struct connection *connection) {
    connection->answer[connection->length] = 0;
    char *end = strstr(connection->answer, "\r\n\r\n");
    if (end == NULL)
        return 0;
    char *body = end + 4;
    if (strncmp(connection->answer, "HTTP/1.1 200 ", 13) != 0)
        fail("an answer is not 200 but %.*s: %s", (int)strcspn(connection->answer, "\r"),
             connection->answer, body);
    size_t there = connection->length - (size_t)(body - connection->answer), size;
    const char *length = header(connection->answer, end, "content-length:");
    if (length != NULL)
        size = strtoul(length, NULL, 10);
    else if (header(connection->answer, end, "transfer-encoding: chunked") == NULL)
        fail("an answer does not tell its length:\n%s", connection->answer);
    else if (joined(body, there, &size))
        there = size;
    else
        return 0;
    if (there < size)
        return 0;
    if (header(connection->answer, end, "content-type: text/event-stream") != NULL)
        there = size = said(body, size);
    if (connection->body_size == 0)
        memcpy(connection->body, body, connection->body_size = size);
    if (there != size || size != connection->body_size || memcmp(body, connection->body, size) != 0)
        fail("an answer differs from the first:\n%s", connection->answer);
    return 1;
}

static void hear(struct load *load, size_t index) {
    struct connection *connection = &load->connections[index];
    ssize_t count = recv(load->streams[index].fd, connection->answer + connection->length,
                         ANSWER - 1 - connection->length, 0);
    if (count <= 0)
        fail("a connection was closed after %zu answers", load->count);
    connection->length += (size_t)count;
    if (!complete(connection))
        return;
    if (load->count < MOST_SAMPLES)
        load->latencies[load->count] = now_ns() - connection->sent;
    load->count++;
    ask(load, index);
}

/* Keeps every connection busy until a moment. */
static void press(struct load *load, size_t width, int64_t until) {
    load->count = 0;
    while (now_ns() < until) {
        int ready = poll(load->streams, width, 10000);
        if (ready <= 0)
            fail("no answer for 10 s");
        for (size_t index = 0; index < width; index++)
            if (load->streams[index].revents)
                hear(load, index);
    }
}

/* The messages of an answer: notifications, and then what they lead to. */
static size_t messages(const struct connection *connection) {
    size_t count = 1;
    for (size_t index = 0; index < connection->body_size; index++)
        count += connection->body[index] == '\n';
    return count;
}

/* Writes the last message of each connection's answer, a line each. */
static void store_bodies(const char *path, const struct load *load, size_t width) {
    FILE *bodies = fopen(path, "wb");
    for (size_t index = 0; bodies != NULL && index < width; index++) {
        const struct connection *connection = &load->connections[index];
        const char *last = memrchr(connection->body, '\n', connection->body_size);
        last = last == NULL ? connection->body : last + 1;
        fprintf(bodies, "%.*s\n", (int)(connection->body + connection->body_size - last), last);
    }
    if (bodies == NULL || fclose(bodies) != 0)
        fail("cannot write %s", path);
}

int measure_http(char **argv) {
    static struct load load;
    int port = atoi(argv[0]);
    pid_t pid = atoi(argv[1]);
    size_t width = strtoul(argv[2], NULL, 10);
    double warm = atof(argv[3]), seconds = atof(argv[4]);
    signal(SIGPIPE, SIG_IGN);
    if (width < 1 || width > MOST_CONNECTIONS)
        fail("1 to %d connections", MOST_CONNECTIONS);
    load.connections = (struct connection *)(void *)touched(width * sizeof *load.connections);
    load.latencies = (int64_t *)(void *)touched(MOST_SAMPLES * sizeof *load.latencies);
    for (size_t index = 0; index < width; index++) {
        struct connection *connection = &load.connections[index];
        connection->request = numbered(argv[5], index, &connection->request_size);
        connection->body_size = 0;
        load.streams[index] = (struct pollfd){.fd = join(port), .events = POLLIN};
        ask(&load, index);
    }
    press(&load, width, now_ns() + (int64_t)(warm * 1e9));

    int64_t cpu = cpu_ns(pid), begin = now_ns();
    press(&load, width, begin + (int64_t)(seconds * 1e9));
    int64_t wall = now_ns() - begin;
    cpu = cpu_ns(pid) - cpu;
    if (load.count == 0)
        fail("no answer in %s s", argv[4]);
    printf("{\"count\":%zu,\"messages\":%zu,\"wall_ns\":%lld,\"cpu_ns\":%lld,", load.count,
           messages(&load.connections[0]), (long long)wall, (long long)cpu);
    print_percentiles(load.latencies, load.count < MOST_SAMPLES ? load.count : MOST_SAMPLES);
    puts("}");
    store_bodies(argv[6], &load, width);
    return 0;
}
