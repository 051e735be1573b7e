/* What the ways of measuring share: clocks, and the end of a run that cannot go on. */
#ifndef CLIENT_H
#define CLIENT_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Nanoseconds of a clock that only goes forward. */
int64_t now_ns(void);

/* Nanoseconds of processor time that all threads of a process have used, ended ones included. */
int64_t cpu_ns(pid_t pid);

/* Writes a message to standard error and ends the program with code 1, and with it what it started. */
_Noreturn void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Memory whose pages are there already, so that none is found missing while a clock runs. */
char *touched(size_t size);

/* The whole of a file. */
char *contents(const char *path, size_t *size);

void store(const char *path, const char *data, size_t size);

/* Sorts samples, and prints two members of JSON: the 50th and the 99th of a hundred. */
void print_percentiles(int64_t *samples, size_t count);

/* Starts a program; `input` and `output` become its standard streams unless negative. */
pid_t start(char **command, int input, int output);

int measure_spawn(char **command);
int measure_stdio(char **argv);
int measure_http(char **argv);

/* Serves until it is killed. */
int serve_floor(char **argv);

/* Answers lines of standard input until it ends. */
int serve_lines(void);

#endif
