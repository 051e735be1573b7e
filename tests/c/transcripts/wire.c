#include "wire.h"

static void send_byte(struct player *player, char byte)
{
    size_t used;
    mcp_status status = mcp_session_receive(player->session, &byte, 1, &used);
    demand(&player->memory, player->server, status, "receiving a byte");
    if (used != 1) complain(&player->memory, "a byte was not taken");
}

void wire_send(struct player *player, const char *line, size_t length)
{
    size_t index;
    if (!player->manner.by_bytes) {
        mcp_status status = mcp_handle_message(player->session, line, length);
        demand(&player->memory, player->server, status, "handling a message");
        return;
    }
    for (index = 0; index < length && !has_problem(&player->memory); index++) send_byte(player, line[index]);
    send_byte(player, '\n');
}

static void poll_all(struct player *player, struct text *out)
{
    const char *message;
    size_t length;
    while ((message = mcp_session_poll(player->session, &length)) != NULL) {
        if (message[length] != '\n' || message[length + 1] != '\0') {
            complain(&player->memory, "a polled message is not followed by a newline and a NUL");
            return;
        }
        text_add(out, message, length + 1);
    }
}

static void peek_all(struct player *player, struct text *out)
{
    const char *bytes;
    size_t length, piece = 1;
    while ((bytes = mcp_session_peek(player->session, &length)) != NULL) {
        mcp_status status;
        if (length == 0) {
            complain(&player->memory, "peeking gave an empty piece");
            return;
        }
        if (piece > length) piece = length;
        text_add(out, bytes, piece);
        status = mcp_session_consume(player->session, piece);
        demand(&player->memory, player->server, status, "consuming output");
        if (has_problem(&player->memory)) return;
        /* Odd sizes, so that pieces end everywhere. */
        piece = (piece + 2) % 64 | 1;
    }
    if (out->length && out->at[out->length - 1] != '\n') {
        complain(&player->memory, "the output ends in the middle of a line");
    }
}

void wire_receive(struct player *player, struct text *out)
{
    if (player->manner.by_peeking) {
        peek_all(player, out);
    } else {
        poll_all(player, out);
    }
}
