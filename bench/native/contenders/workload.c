#include "workload.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static struct text contents(const char *folder, const char *name, const char *part) {
    char path[4096];
    struct text text;
    snprintf(path, sizeof path, "%s/%s%s", folder, name, part);
    FILE *file = fopen(path, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0)
        fail("cannot read %s: %s", path, strerror(errno));
    text.size = (size_t)ftell(file);
    rewind(file);
    text.data = malloc(text.size + 1);
    if (text.data == NULL || fread(text.data, 1, text.size, file) != text.size)
        fail("cannot read %s", path);
    text.data[text.size] = 0;
    fclose(file);
    return text;
}

struct workload read_workload(const char *folder, const char *name) {
    return (struct workload){
        .handshake = contents(folder, "handshake", ""),
        .request = contents(folder, name, ".request"),
        .answer = contents(folder, name, ".answer"),
        .tools = contents(folder, name, ".tools"),
        .deed = contents(folder, name, ".deed"),
        .argument = contents(folder, name, ".argument"),
    };
}

uint64_t number(const char *word) {
    char *end;
    unsigned long long value = strtoull(word, &end, 10);
    if (value == 0 || *end != 0)
        fail("%s is not a number of anything", word);
    return value;
}

static int64_t nanoseconds(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

int64_t wall_ns(void) {
    return nanoseconds(CLOCK_MONOTONIC);
}

int64_t cpu_ns(void) {
    return nanoseconds(CLOCK_PROCESS_CPUTIME_ID);
}

void fail(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(1);
}
