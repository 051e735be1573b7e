/* The floor under every HTTP server: reads requests and answers each with the same bytes, knowing nothing of
 * HTTP but that a request ends with its body, which is an object. What it reaches one at a time is what the
 * machine needs to wake two processes. */
#include "client.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { EVENTS = 64, PIECE = 1 << 14 };

static const char body[] =
    "{\"jsonrpc\":\"2.0\",\"id\":1000,\"result\":{\"resultType\":\"complete\","
    "\"content\":[{\"type\":\"text\",\"text\":\"42\"}],\"structuredContent\":{\"result\":42}}}";

static int open_port(int port) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    int on = 1, listener = socket(AF_INET, SOCK_STREAM, 0);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (listener < 0 || bind(listener, (struct sockaddr *)&address, sizeof address) != 0 ||
        listen(listener, EVENTS) != 0)
        fail("cannot listen on port %d: %s", port, strerror(errno));
    return listener;
}

static void add(int events, int stream) {
    struct epoll_event event = {.events = EPOLLIN, .data.fd = stream};
    if (epoll_ctl(events, EPOLL_CTL_ADD, stream, &event) != 0)
        fail("cannot wait for a client: %s", strerror(errno));
}

static void answer(int stream, const char *said, size_t size) {
    static char piece[PIECE];
    ssize_t length = read(stream, piece, sizeof piece);
    if (length <= 0)
        close(stream);
    else if (piece[length - 1] == '}' && write(stream, said, size) != (ssize_t)size)
        fail("a client does not read");
}

int serve_floor(char **argv) {
    char said[512];
    int on = 1, listener = open_port(atoi(argv[0])), events = epoll_create1(0);
    int size = snprintf(said, sizeof said,
                        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n"
                        "content-length: %zu\r\n\r\n%s",
                        sizeof body - 1, body);
    add(events, listener);
    for (;;) {
        struct epoll_event found[EVENTS];
        int count = epoll_wait(events, found, EVENTS, -1);
        for (int index = 0; index < count; index++) {
            int stream = found[index].data.fd;
            if (stream != listener) {
                answer(stream, said, (size_t)size);
            } else if ((stream = accept(listener, NULL, NULL)) >= 0) {
                setsockopt(stream, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
                add(events, stream);
            }
        }
    }
}
