/* One workload, read from the files that `report messages` writes, and what measuring it needs. */
#ifndef WORKLOAD_H
#define WORKLOAD_H

#include <stddef.h>
#include <stdint.h>

struct text {
    char *data;
    size_t size;
};

struct workload {
    /* What the client says before, two lines. */
    struct text handshake;
    struct text request, answer;
    /* One definition a line, between a line with `[` and one with `]`. */
    struct text tools;
    /* `ping`, `list`, `say` or `splice`. */
    struct text deed;
    struct text argument;
};

/* Reads a workload; ends the program if it is not there. */
struct workload read_workload(const char *folder, const char *name);

/* A number of the command line; ends the program if it is none, or 0. */
uint64_t number(const char *word);

/* Nanoseconds of a clock that only goes forward, and those that all threads here have used. */
int64_t wall_ns(void);
int64_t cpu_ns(void);

/* Says what is wrong, and ends the program with code 1. */
_Noreturn void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
