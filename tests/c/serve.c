/* The blocking loops as a C program uses them: over real pipes and sockets. */
#define _POSIX_C_SOURCE 200809L
#define _DEFAULT_SOURCE
#include "check.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATIENCE_MS = 60000 };

static mcp_status never(void *unused, mcp_call *call)
{
    (void)unused;
    return mcp_reply_text(call, "never", MCP_Z);
}

/* Prints where a careless tool prints, then answers. */
static mcp_status chatter(void *unused, mcp_call *call)
{
    (void)unused;
    printf("careless words\n");
    fflush(stdout);
    return mcp_reply_text(call, "said", MCP_Z);
}

/* Returns only when its call is cancelled. */
static mcp_status block(void *unused, mcp_call *call)
{
    (void)unused;
    while (!mcp_call_cancelled(call)) poll(NULL, 0, 1);
    return MCP_E_CANCELLED;
}

static mcp_status stop(void *server, mcp_call *call)
{
    mcp_status status = mcp_reply_text(call, "stopping", MCP_Z);
    mcp_server_shutdown((mcp_server *)server);
    return status;
}

static mcp_server *new_server(int workers)
{
    mcp_server *server = mcp_server_new("serve", "1");
    CHECK_STATUS(mcp_register_tool(server, "chatter", NULL, NULL, chatter, NULL, NULL), MCP_OK);
    CHECK_STATUS(mcp_register_tool(server, "block", NULL, NULL, block, NULL, NULL), MCP_OK);
    CHECK_STATUS(mcp_register_tool(server, "stop", NULL, NULL, stop, server, NULL), MCP_OK);
    CHECK_STATUS(mcp_server_set_int(server, MCP_OPT_WORKERS, workers), MCP_OK);
    CHECK_STATUS(mcp_server_set_int(server, MCP_OPT_GRACE_MS, 50), MCP_OK);
    return server;
}

/* Without one of its tools a server is not what anybody wants: the first refusal comes back. */
static void a_refused_registration_is_not_served_without(void)
{
    mcp_server *server = mcp_server_new("refused", "1");
    mcp_error error;
    CHECK_STATUS(mcp_register_tool(server, "fine", NULL, NULL, never, NULL, NULL), MCP_OK);
    CHECK_STATUS(mcp_register_tool(server, "no blanks", NULL, NULL, never, NULL, NULL), MCP_E_NAME);
    CHECK_STATUS(mcp_register_tool(server, "bad", NULL, "{", never, NULL, NULL), MCP_E_JSON);
    CHECK_STATUS(mcp_serve_stdio(server), MCP_E_NAME);
    CHECK_STATUS(mcp_server_last_error(server, &error), MCP_OK);
    CHECK_PART(error.text, "a registration was refused: name not allowed");
    CHECK_STATUS(mcp_serve_socket(server, "127.0.0.1:0"), MCP_E_NAME);
    mcp_server_free(server);
}

/* A child that serves its standard streams, and what we hold of them. */
typedef struct { pid_t pid; int in, out, err; } child;

static child serve_in_a_child(int workers)
{
    int in[2], out[2], err[2];
    child made;
    CHECK(pipe(in) == 0 && pipe(out) == 0 && pipe(err) == 0);
    fflush(NULL);
    made.pid = fork();
    if (made.pid == 0) {
        mcp_server *server;
        mcp_status status;
        dup2(in[0], 0), dup2(out[1], 1), dup2(err[1], 2);
        close(in[0]), close(in[1]), close(out[0]), close(out[1]), close(err[0]), close(err[1]);
        server = new_server(workers);
        status = mcp_serve_stdio(server);
        mcp_server_free(server);
        fflush(NULL);
        _exit(status == MCP_OK && !check_failures ? 0 : 1);
    }
    close(in[0]), close(out[1]), close(err[1]);
    made.in = in[1], made.out = out[0], made.err = err[0];
    return made;
}

static void tell(int fd, const char *line)
{
    CHECK(write(fd, line, strlen(line)) == (ssize_t)strlen(line));
}

/* Reads one line, or what there is when the other side ends. */
static const char *hear(int fd)
{
    static char line[4096];
    size_t length = 0;
    struct pollfd ready = {fd, POLLIN, 0};
    while (length + 1 < sizeof line && poll(&ready, 1, PATIENCE_MS) == 1 && read(fd, line + length, 1) == 1)
        if (line[length++] == '\n') break;
    line[length] = '\0';
    return line;
}

static void handshake(int to, int from)
{
    tell(to, "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
             "\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}}}\n");
    CHECK_PART(hear(from), "serverInfo");
}

static void call(int to, int id, const char *tool)
{
    char line[256];
    snprintf(line, sizeof line,
             "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"tools/call\",\"params\":{\"name\":\"%s\"}}\n", id, tool);
    tell(to, line);
}

static void ends_well(child *served)
{
    int status = -1;
    CHECK(waitpid(served->pid, &status, 0) == served->pid);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    close(served->out), close(served->err);
}

/* What tools print does not reach the client; the end of input ends it though a tool blocks. */
static void standard_streams_are_kept_clean_and_end(int workers)
{
    child served = serve_in_a_child(workers);
    handshake(served.in, served.out);
    call(served.in, 1, "chatter");
    CHECK_PART(hear(served.out), "\"text\":\"said\"");
    CHECK_TEXT(hear(served.err), "careless words\n");
    call(served.in, 2, "block");
    tell(served.in, "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"ping\"}\n");
    CHECK_TEXT(hear(served.out), "{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{}}\n");
    close(served.in);
    ends_well(&served);
}

static void a_tool_may_shut_the_server_down(void)
{
    child served = serve_in_a_child(1);
    handshake(served.in, served.out);
    call(served.in, 1, "stop");
    CHECK_PART(hear(served.out), "stopping");
    ends_well(&served);
    close(served.in);
}

/* Where the other thread listens, and how its serving ended. */
typedef struct {
    mcp_server *server;
    pthread_mutex_t lock;
    pthread_cond_t told;
    char address[64];
    mcp_status status;
} listener;

static void observe(void *user_data, const mcp_event *event)
{
    listener *own = (listener *)user_data;
    if (event->kind != MCP_EVENT_LISTENING) return;
    pthread_mutex_lock(&own->lock);
    snprintf(own->address, sizeof own->address, "%s", event->text);
    pthread_cond_signal(&own->told);
    pthread_mutex_unlock(&own->lock);
}

static void *listen_on_a_port(void *user_data)
{
    listener *own = (listener *)user_data;
    own->status = mcp_serve_socket(own->server, "127.0.0.1:0");
    return NULL;
}

static int connect_to(const char *address)
{
    struct sockaddr_in to = {0};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    to.sin_family = AF_INET;
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    to.sin_port = htons((unsigned short)atoi(strrchr(address, ':') + 1));
    CHECK(connect(fd, (struct sockaddr *)&to, sizeof to) == 0);
    return fd;
}

/* Several clients on a port that the observer is told; it is taken while they are there. */
static void a_socket_serves_many(void)
{
    static listener own = {NULL, PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, "", MCP_E_STATE};
    pthread_t thread;
    int clients[4], i;
    own.server = new_server(1);
    CHECK_STATUS(mcp_server_set_observer(own.server, observe, &own, NULL), MCP_OK);
    CHECK(pthread_create(&thread, NULL, listen_on_a_port, &own) == 0);
    pthread_mutex_lock(&own.lock);
    while (!own.address[0]) pthread_cond_wait(&own.told, &own.lock);
    pthread_mutex_unlock(&own.lock);
    for (i = 0; i < 4; i++) {
        clients[i] = connect_to(own.address);
        handshake(clients[i], clients[i]);
    }
    CHECK_STATUS(mcp_serve_socket(own.server, own.address), MCP_E_EXISTS);
    for (i = 0; i < 4; i++) {
        call(clients[i], i + 1, i < 3 ? "chatter" : "stop");
        CHECK_PART(hear(clients[i]), i < 3 ? "\"text\":\"said\"" : "stopping");
    }
    pthread_join(thread, NULL);
    CHECK_STATUS(own.status, MCP_OK);
    for (i = 0; i < 4; i++) close(clients[i]);
    mcp_server_free(own.server);
}

static void unusable_addresses_are_refused(void)
{
    mcp_server *server = new_server(1);
    CHECK_STATUS(mcp_serve_socket(server, ""), MCP_E_INVALID);
    CHECK_STATUS(mcp_serve_socket(server, "192.0.2.1:80"), MCP_E_INVALID);
    CHECK_STATUS(mcp_serve_socket(server, "127.0.0.1"), MCP_E_INVALID);
    CHECK_STATUS(mcp_serve_socket(server, "/no/such/folder/here.sock"), MCP_E_IO);
    mcp_server_free(server);
}

int main(void)
{
    int workers;
    signal(SIGPIPE, SIG_IGN);
    a_refused_registration_is_not_served_without();
    for (workers = 0; workers < 3; workers++) standard_streams_are_kept_clean_and_end(workers);
    a_tool_may_shut_the_server_down();
    a_socket_serves_many();
    unusable_addresses_are_refused();
    return check_report();
}
