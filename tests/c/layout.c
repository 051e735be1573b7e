/* The public structs lie in memory as ffi/abi/layout.txt says, for this compiler too. */
#include "check.h"

#define MEMBER(type, member) { #type "." #member, offsetof(type, member) }

static const struct { const char *name; size_t value; } facts[] = {
    { "mcp_error", sizeof(mcp_error) },
    MEMBER(mcp_error, status),
    MEMBER(mcp_error, offset),
    MEMBER(mcp_error, text),
    { "mcp_event", sizeof(mcp_event) },
    MEMBER(mcp_event, struct_size),
    MEMBER(mcp_event, kind),
    MEMBER(mcp_event, outcome),
    MEMBER(mcp_event, code),
    MEMBER(mcp_event, time_ms),
    MEMBER(mcp_event, duration_us),
    MEMBER(mcp_event, method),
    MEMBER(mcp_event, name),
    MEMBER(mcp_event, id),
    MEMBER(mcp_event, traceparent),
    MEMBER(mcp_event, text),
};

int main(void)
{
    const size_t count = sizeof facts / sizeof facts[0];
    FILE *file = fopen("ffi/abi/layout.txt", "r");
    char line[128], name[64];
    size_t value, seen = 0;

    CHECK(file != NULL);
    if (!file) return check_report();
    if (sizeof(void *) == 8)                     /* the file is of a 64-bit machine */
        while (fgets(line, sizeof line, file)) {
            CHECK(sscanf(line, "%63s %zu", name, &value) == 2);
            CHECK(seen < count);
            if (seen >= count) break;
            CHECK_TEXT(name, facts[seen].name);
            CHECK(value == facts[seen].value);
            seen++;
        }
    CHECK(sizeof(void *) != 8 || seen == count);
    fclose(file);
    return check_report();
}
