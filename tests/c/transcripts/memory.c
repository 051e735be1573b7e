#include "memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void complain(struct memory *memory, const char *format, ...)
{
    char line[1000];
    va_list arguments;
    if (has_problem(memory)) return;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    text_add(&memory->problem, line, strlen(line));
}

void demand(struct memory *memory, const mcp_server *server, mcp_status status, const char *what)
{
    mcp_error error;
    if (status == MCP_OK) return;
    if (mcp_server_last_error(server, &error) != MCP_OK || error.status != status) error.text[0] = '\0';
    complain(memory, "%s: %s (%d) %s", what, mcp_status_str(status), (int)status, error.text);
}

bool has_problem(const struct memory *memory)
{
    return memory->problem.length > 0;
}

static struct held_call *find_held(struct memory *memory, const char *key)
{
    size_t index;
    for (index = 0; index < memory->held_count; index++) {
        if (strcmp(memory->held[index].key, key) == 0) return &memory->held[index];
    }
    return NULL;
}

mcp_status memory_hold(struct memory *memory, mcp_call *call)
{
    const char *key = mcp_arg_str(call, "key", NULL);
    struct held_call *held;
    mcp_call *old;
    if (!key) key = "held";
    held = find_held(memory, key);
    if (held) {
        old = held->call;
        held->call = mcp_call_retain(call);
        mcp_call_release(old);
        return MCP_OK;
    }
    memory->held = grow(memory->held, memory->held_count + 1, sizeof *memory->held);
    held = &memory->held[memory->held_count++];
    held->key = copy_text(key);
    held->call = mcp_call_retain(call);
    return MCP_OK;
}

mcp_call *memory_take(struct memory *memory, const char *key)
{
    struct held_call *held = find_held(memory, key);
    mcp_call *call;
    if (!held) {
        complain(memory, "no call is held as %s", key);
        return NULL;
    }
    call = held->call;
    free(held->key);
    *held = memory->held[--memory->held_count];
    return call;
}

void memory_note_elicited(struct memory *memory, const char *id)
{
    if (memory_is_elicited(memory, id)) return;
    memory->elicited = grow(memory->elicited, memory->elicited_count + 1, sizeof *memory->elicited);
    memory->elicited[memory->elicited_count++] = copy_text(id);
}

bool memory_is_elicited(const struct memory *memory, const char *id)
{
    size_t index;
    for (index = 0; index < memory->elicited_count; index++) {
        if (strcmp(memory->elicited[index], id) == 0) return true;
    }
    return false;
}

void memory_release_calls(struct memory *memory)
{
    while (memory->held_count > 0) {
        struct held_call *held = &memory->held[--memory->held_count];
        mcp_call_release(held->call);
        free(held->key);
    }
}

void memory_free(struct memory *memory)
{
    memory_release_calls(memory);
    while (memory->elicited_count > 0) free(memory->elicited[--memory->elicited_count]);
    free(memory->elicited);
    free(memory->held);
    free(memory->questions);
    text_free(&memory->last);
    text_free(&memory->problem);
}
