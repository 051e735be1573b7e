/* A program that brings its own allocator, linked with the static library built for that
 * (feature host-allocator): all memory of the library comes from it and goes back to it. */
#define _POSIX_C_SOURCE 200809L
#include "check.h"

static long blocks, bytes, calls;

static void *take(size_t size, size_t align)
{
    void *memory = NULL;
    if (posix_memalign(&memory, align < sizeof(void *) ? sizeof(void *) : align, size) != 0) return NULL;
    blocks++, calls++, bytes += (long)size;
    return memory;
}

static void give_back(void *memory, size_t size, size_t align)
{
    (void)align;
    blocks--, bytes -= (long)size;
    free(memory);
}

static void *resize(void *memory, size_t old_size, size_t new_size, size_t align)
{
    void *moved = take(new_size, align);
    if (!moved) return NULL;
    memcpy(moved, memory, old_size < new_size ? old_size : new_size);
    give_back(memory, old_size, align);
    return moved;
}

static mcp_status echo(void *unused, mcp_call *call)
{
    size_t len;
    const char *text = mcp_arg_str(call, "text", &len);
    (void)unused;
    return mcp_reply_text(call, text, len);
}

int main(void)
{
    mcp_server *server;
    mcp_session *session;
    long before;

    CHECK_STATUS(mcp_set_allocator(NULL, resize, give_back), MCP_E_INVALID);
    CHECK_STATUS(mcp_set_allocator(take, resize, give_back), MCP_OK);
    server = mcp_server_new("own", "1");
    session = mcp_session_new(server);
    CHECK_STATUS(mcp_register_tool(server, "echo", NULL, NULL, echo, NULL, NULL), MCP_OK);
    shake_hands(session, "2025-11-25");
    CHECK_PART(call_tool(session, 1, "echo", "{\"text\":\"mine\"}"), "\"text\":\"mine\"");
    CHECK(blocks > 0 && bytes > 0);
    before = calls;
    CHECK_PART(call_tool(session, 2, "echo", "{\"text\":\"mine\"}"), "\"text\":\"mine\"");
    CHECK(calls == before);                      /* the steady state takes nothing */
    CHECK_STATUS(mcp_set_allocator(take, resize, give_back), MCP_E_STATE);
    mcp_session_free(session);
    mcp_server_free(server);
    CHECK(blocks == 0 && bytes == 0);
    return check_report();
}
