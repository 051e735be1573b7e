/* The HTTP listener as a C program uses it: real sockets, several clients at once, and the end. */
#define _POSIX_C_SOURCE 200809L
#define _DEFAULT_SOURCE
#include "check.h"
#include "crowd.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PATIENCE_MS = 60000, CLIENTS = 4 };

struct world {
    mcp_server *server;
    mcp_http *http;
    pthread_t thread;
    int ready[2]; /* The port comes through here. */
    int cancelled;
    mcp_status status;
};

static mcp_status echo(void *unused, mcp_call *call)
{
    size_t length;
    const char *text = mcp_arg_str(call, "text", &length);
    (void)unused;
    return mcp_reply_text(call, text ? text : "", text ? length : 0);
}

static mcp_status report(void *unused, mcp_call *call)
{
    int i;
    (void)unused;
    for (i = 0; i < 5; i++) mcp_progress(call, i, -1, NULL);
    return mcp_reply_text(call, "reported", MCP_Z);
}

/* Says something and returns only when its call is cancelled. */
static mcp_status block(void *cancelled, mcp_call *call)
{
    mcp_progress(call, 1, -1, NULL);
    while (!mcp_call_cancelled(call)) poll(NULL, 0, 1);
    increment(cancelled);
    return MCP_E_CANCELLED;
}

static void observe(void *user_data, const mcp_event *event)
{
    struct world *world = user_data;
    if (event->kind == MCP_EVENT_LISTENING) {
        uint16_t port = (uint16_t)strtoul(strrchr(event->text, ':') + 1, NULL, 10);
        CHECK(write(world->ready[1], &port, sizeof port) == sizeof port);
    }
}

static void *serve(void *user_data)
{
    struct world *world = user_data;
    world->status = mcp_serve_http(world->http, "127.0.0.1:0");
    return NULL;
}

static struct sockaddr_in address = {.sin_family = AF_INET};

static void open_world(struct world *world, int workers)
{
    uint16_t port = 0;
    memset(world, 0, sizeof *world);
    world->server = mcp_server_new("serve", "1");
    mcp_register_tool(world->server, "echo", NULL, NULL, echo, NULL, NULL);
    mcp_register_tool(world->server, "report", NULL, NULL, report, NULL, NULL);
    mcp_register_tool(world->server, "block", NULL, NULL, block, &world->cancelled, NULL);
    mcp_server_set_int(world->server, MCP_OPT_WORKERS, workers);
    mcp_server_set_int(world->server, MCP_OPT_GRACE_MS, 1000);
    mcp_server_set_observer(world->server, observe, world, NULL);
    world->http = mcp_http_new(world->server, "/mcp");
    CHECK(pipe(world->ready) == 0);
    world->thread = start(serve, world);
    CHECK(read(world->ready[0], &port, sizeof port) == sizeof port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
}

static void close_world(struct world *world)
{
    mcp_server_shutdown(world->server);
    pthread_join(world->thread, NULL);
    CHECK_STATUS(world->status, MCP_OK);
    close(world->ready[0]), close(world->ready[1]);
    mcp_http_free(world->http);
    mcp_server_free(world->server);
}

static int dial(void)
{
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    CHECK(connect(fd, (struct sockaddr *)&address, sizeof address) == 0);
    return fd;
}

static void ask(int fd, const char *tool, const char *text)
{
    char body[600], request[1200];
    int length = snprintf(body, sizeof body,
                          "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"%s\","
                          "\"arguments\":{\"text\":\"%s\"},%s}}", tool, text, MODERN_META(",\"progressToken\":1"));
    length = snprintf(request, sizeof request,
                      "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                      "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: %s\r\n"
                      "Content-Length: %d\r\n\r\n%s", tool, length, body);
    CHECK(write(fd, request, (size_t)length) == length);
}

/* Reads until `wanted` has come; says whether it has. */
static int hear(int fd, const char *wanted)
{
    char heard[1 << 14];
    size_t length = 0;
    struct pollfd ready = {fd, POLLIN, 0};
    heard[0] = '\0';
    while (!strstr(heard, wanted)) {
        ssize_t count;
        if (length + 1 >= sizeof heard || poll(&ready, 1, PATIENCE_MS) != 1) return 0;
        count = read(fd, heard + length, sizeof heard - 1 - length);
        if (count <= 0) return 0;
        length += (size_t)count;
        heard[length] = '\0';
    }
    return 1;
}

/* One client: the same connection for all that is answered, another for what it does not wait for. */
static void *visit(void *number)
{
    int i, fd = dial();
    char text[64], wanted[80];
    for (i = 0; i < rounds(30); i++) {
        int other;
        snprintf(text, sizeof text, "client %d round %d", *(int *)number, i);
        snprintf(wanted, sizeof wanted, "\"text\":\"%s\"", text);
        ask(fd, "echo", text);
        CHECK(hear(fd, wanted));
        /* The last chunk of a stream. */
        ask(fd, "report", text);
        CHECK(hear(fd, "\r\n0\r\n\r\n"));
        other = dial();
        ask(other, i % 2 ? "echo" : "report", text);
        close(other);
    }
    close(fd);
    return NULL;
}

static void clients_are_served_side_by_side(int workers)
{
    struct world world;
    pthread_t clients[CLIENTS];
    int numbers[CLIENTS], i;
    open_world(&world, workers);
    for (i = 0; i < CLIENTS; i++) {
        numbers[i] = i;
        clients[i] = start(visit, &numbers[i]);
    }
    for (i = 0; i < CLIENTS; i++) pthread_join(clients[i], NULL);
    close_world(&world);
}

static void a_client_that_vanishes_cancels_its_call(void)
{
    struct world world;
    int fd;
    open_world(&world, 2);
    fd = dial();
    ask(fd, "block", "x");
    CHECK(hear(fd, "notifications/progress"));
    close(fd);
    while (!current(&world.cancelled)) poll(NULL, 0, 1);
    /* The other worker is free all the while. */
    fd = dial();
    ask(fd, "echo", "still here");
    CHECK(hear(fd, "still here"));
    close(fd);
    close_world(&world);
}

static void a_call_that_blocks_is_cut_off_at_the_end(void)
{
    struct world world;
    int fd;
    open_world(&world, 1);
    fd = dial();
    ask(fd, "block", "x");
    CHECK(hear(fd, "notifications/progress"));
    close_world(&world);
    CHECK(current(&world.cancelled) == 1);
    close(fd);
}

static void what_cannot_be_served_says_so(void)
{
    mcp_server *server = mcp_server_new("serve", "1");
    mcp_http *http = mcp_http_new(server, "/mcp");
    CHECK_STATUS(mcp_serve_http(http, "no port"), MCP_E_INVALID);
    mcp_register_tool(server, "no blanks", NULL, NULL, echo, NULL, NULL);
    CHECK_STATUS(mcp_serve_http(http, "127.0.0.1:0"), MCP_E_NAME);
    mcp_server_free(server);
    mcp_http_free(http);
}

int main(void)
{
    what_cannot_be_served_says_so();
    clients_are_served_side_by_side(1);
    clients_are_served_side_by_side(3);
    a_client_that_vanishes_cancels_its_call();
    a_call_that_blocks_is_cut_off_at_the_end();
    return check_report();
}
