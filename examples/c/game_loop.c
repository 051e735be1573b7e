/* game_loop: MCP inside a frame loop. No thread, no lock: messages are handled between two frames,
 * within a budget, and a call that takes many frames is answered by the frame in which it is done.
 *
 * Build:  cc game_loop.c $(pkg-config --cflags --libs mcplite) -o game_loop
 * Try:    ./game_loop in an MCP client; ask it to walk the hero to 50, and where the hero is.
 */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <limits.h>
#include <mcplite.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#ifndef PIPE_BUF
# define PIPE_BUF _POSIX_PIPE_BUF
#endif

#define FRAME_SECONDS (1.0 / 60)
#define BUDGET_SECONDS 0.001                     /* of each frame, for messages */
#define SPEED 10.0                               /* units per second */

struct hero {
    double x, from, goal;
    mcp_call *order;                             /* the walk_to() to answer on arrival, or NULL */
};

struct client {
    mcp_session *session;
    char in[4096];
    size_t have, used;                           /* in[used..have] was read but not handled yet */
    int ended;                                   /* the client has said all it wants to say */
    int gone;                                    /* there is nobody to talk to any more */
};

static double seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int is_ready(int fd, short events)
{
    struct pollfd p;

    p.fd = fd;
    p.events = events;
    p.revents = 0;
    return poll(&p, 1, 0) > 0;                   /* 0: look, do not wait */
}

static int is_to_repeat(ssize_t n)
{
    return n < 0 && (errno == EINTR || errno == EAGAIN);
}

static mcp_status position(void *user_data, mcp_call *call)
{
    const struct hero *hero = user_data;

    mcp_put_num(call, "x", hero->x);
    return mcp_reply(call);
}

static mcp_status walk_to(void *user_data, mcp_call *call)
{
    struct hero *hero = user_data;

    if (hero->order != NULL) {                   /* one hero, one order: the newer one counts */
        mcp_fail(hero->order, MCP_KIND_TOOL_FAILED, "sent elsewhere", MCP_Z);
        mcp_call_release(hero->order);
    }
    hero->from = hero->x;
    hero->goal = mcp_arg_num(call, "x", 0);
    hero->order = mcp_call_retain(call);         /* open until update_hero() lets go */
    return MCP_OK;
}

static void update_hero(struct hero *hero, double dt)
{
    double left = hero->goal - hero->x, step = SPEED * dt;

    if (hero->order == NULL)
        return;
    if (mcp_call_cancelled(hero->order)) {       /* by the client or the deadline: stand still */
        mcp_call_release(hero->order);
        hero->order = NULL;
    } else if (left > step || left < -step) {
        double total = hero->goal - hero->from, done;

        hero->x += left > 0 ? step : -step;
        done = hero->x - hero->from;
        /* Told only to a client that asked for it. */
        mcp_progress(hero->order, total > 0 ? done : -done, total > 0 ? total : -total, NULL);
    } else {
        hero->x = hero->goal;
        mcp_reply_text(hero->order, "arrived", MCP_Z);
        mcp_call_release(hero->order);
        hero->order = NULL;
    }
}

/* Handles messages one by one until the budget is spent; what is left waits for the next frame. */
static void take_input(struct client *client, double stop)
{
    while (!client->ended && seconds() < stop) {
        if (client->used < client->have) {
            size_t used;
            mcp_status status = mcp_session_receive(client->session, client->in + client->used,
                                                    client->have - client->used, &used);
            client->used += used;
            if (status == MCP_E_LIMIT)
                return;                          /* output is full: let the client read first */
            if (status < 0)
                client->ended = client->gone = 1;
        } else if (is_ready(STDIN_FILENO, POLLIN)) {
            ssize_t n = read(STDIN_FILENO, client->in, sizeof client->in);
            if (n > 0) {
                client->have = (size_t)n;
                client->used = 0;
            } else if (!is_to_repeat(n)) {
                client->ended = 1;
                mcp_session_end(client->session);
            }
        } else {
            return;
        }
    }
}

/* Writes what the pipe takes without blocking: a ready one takes PIPE_BUF bytes. */
static void give_output(struct client *client)
{
    const char *out;
    size_t len;

    while (!client->gone && (out = mcp_session_peek(client->session, &len)) != NULL
           && is_ready(STDOUT_FILENO, POLLOUT)) {
        ssize_t n = write(STDOUT_FILENO, out, len < PIPE_BUF ? len : PIPE_BUF);
        if (n > 0)
            mcp_session_consume(client->session, (size_t)n);
        else if (!is_to_repeat(n))
            client->gone = 1;
    }
}

static mcp_status offer(mcp_server *server, struct hero *hero)
{
    mcp_status status = mcp_register_tool(server, "position", "Where is the hero?", NULL,
                                          position, hero, NULL);

    if (status == MCP_OK)
        status = mcp_register_tool(server, "walk_to", "Walks the hero to x.",
            MCP_JSON({"type": "object", "required": ["x"],
                      "properties": {"x": {"type": "number", "minimum": -1000, "maximum": 1000}}}),
            walk_to, hero, NULL);
    if (status == MCP_OK)
        status = mcp_item_set_int(server, MCP_TOOL, "walk_to", MCP_ITEM_DEADLINE_MS, 120000);
    return status;
}

int main(void)
{
    struct hero hero = {0, 0, 0, NULL};
    struct client client = {0};
    mcp_server *server = mcp_server_new("game", "1.0");
    mcp_status status = offer(server, &hero);
    double last = seconds();

    signal(SIGPIPE, SIG_IGN);                    /* a client that goes must not end the game */
    client.session = mcp_session_new(server);
    while (status == MCP_OK && !client.gone && !mcp_session_finished(client.session)) {
        double now = seconds(), left;

        update_hero(&hero, now - last);          /* and whatever else moves, then draw */
        last = now;
        mcp_server_tick(server);                 /* time passes for deadlines only here */
        take_input(&client, now + BUDGET_SECONDS);
        give_output(&client);

        left = now + FRAME_SECONDS - seconds();
        if (left > 0)
            poll(NULL, 0, (int)(left * 1000) + 1);
    }
    mcp_session_free(client.session);            /* cancels an order that nobody waits for */
    mcp_call_release(hero.order);                /* NULL is fine, and so is this order */
    mcp_server_free(server);
    if (status != MCP_OK)
        fprintf(stderr, "game_loop: %s\n", mcp_status_str(status));
    return status == MCP_OK ? 0 : 1;
}
