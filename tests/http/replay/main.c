/* Serves the fixture of a transcript over HTTP, and does what its host does.
 *
 *   replay-server FIXTURES OPTION...
 *
 * FIXTURES is the folder of the fixture files, each OPTION a line of a transcript without its mark. The URL
 * is printed first. Then each line of the input is an action, answered by what it told, if anything, and
 * "ok", or by a line that says what is wrong. The end of the input ends the program. */
#define _POSIX_C_SOURCE 200809L

#include "control.h"
#include "endpoint.h"

#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Written to when handlers wait. */
static int bell[2];

static void ring(void *user_data)
{
    (void)user_data;
    if (write(bell[1], "", 1) < 0) return;
}

static void observe(void *user_data, const mcp_event *event)
{
    struct endpoint *endpoint = user_data;
    if (event->kind == MCP_EVENT_RECEIVED) atomic_fetch_add(&endpoint->arrived, 1);
    if (event->kind == MCP_EVENT_EXCHANGE) atomic_fetch_add(&endpoint->over, 1);
    if (event->kind == MCP_EVENT_LISTENING) {
        printf("%s\n", event->text);
        fflush(stdout);
    }
}

static void *serve(void *user_data)
{
    struct endpoint *endpoint = user_data;
    mcp_status status = mcp_serve_http(endpoint->http, "127.0.0.1:0");
    if (status != MCP_OK) fprintf(stderr, "replay-server: %s\n", mcp_status_str(status));
    return NULL;
}

/* Every server tells of handlers, and those that were mounted of exchanges as well. */
static void listen_to(struct endpoint *endpoint, mcp_server *server)
{
    mcp_server_set_observer(server, observe, endpoint, NULL);
    mcp_server_set_wake(server, ring, NULL, NULL);
}

/* Handles every whole line, and keeps the rest. */
static void handle_lines(struct endpoint *endpoint, struct text *input)
{
    char *start = input->at, *end;
    while ((end = strchr(start, '\n')) != NULL) {
        *end = '\0';
        endpoint_run(endpoint);
        control(endpoint, start);
        fflush(stdout);
        start = end + 1;
    }
    memmove(input->at, start, strlen(start) + 1);
    input->length = strlen(input->at);
}

static void attend(struct endpoint *endpoint)
{
    struct pollfd waits[2] = {{STDIN_FILENO, POLLIN, 0}, {bell[0], POLLIN, 0}};
    struct text input = {0};
    char bytes[4096];
    while (poll(waits, 2, -1) >= 0) {
        if (waits[1].revents && read(bell[0], bytes, sizeof bytes) < 0) break;
        endpoint_run(endpoint);
        if (waits[0].revents) {
            ssize_t count = read(STDIN_FILENO, bytes, sizeof bytes);
            if (count <= 0) break;
            text_add(&input, bytes, (size_t)count);
            handle_lines(endpoint, &input);
        }
    }
    text_free(&input);
}

int main(int argc, char **argv)
{
    static struct endpoint endpoint;
    pthread_t thread;
    size_t index;
    if (argc < 2 || pipe(bell) != 0) return 2;
    endpoint_make(&endpoint, argv[1], argv + 2, argc - 2);
    if (has_problem(&endpoint.player.memory)) {
        fprintf(stderr, "replay-server: %s\n", text_said(&endpoint.player.memory.problem));
        return 1;
    }
    listen_to(&endpoint, endpoint.player.server);
    for (index = 0; index < endpoint.mount_count; index++) listen_to(&endpoint, endpoint.mounts[index].server);
    if (pthread_create(&thread, NULL, serve, &endpoint) != 0) return 1;
    attend(&endpoint);
    memory_release_calls(&endpoint.player.memory);
    mcp_server_set_int(endpoint.player.server, MCP_OPT_GRACE_MS, 0);
    mcp_server_shutdown(endpoint.player.server);
    pthread_join(thread, NULL);
    endpoint_free(&endpoint);
    return 0;
}
