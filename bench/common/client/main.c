/* A client that costs little and always the same, so that what is measured is the server.
 *
 *     client spawn COMMAND...
 *     client stdio REVISION PINGS CALLS WINDOW SECONDS ANSWERS COMMAND...
 *     client http PORT PID CONNECTIONS WARM_SECONDS SECONDS REQUEST BODY
 *     client floor PORT
 *     client lines
 *
 * Prints one object of JSON. Times are in nanoseconds, sizes in kilobytes. Of the calls, at most WINDOW are
 * unanswered at any time; with 0, all are written as fast as they are taken.
 */
#include "client.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static pid_t child;

static int64_t nanoseconds(struct timespec time) {
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

int64_t now_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return nanoseconds(time);
}

int64_t cpu_ns(pid_t pid) {
    clockid_t clock;
    struct timespec time;
    if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &time) != 0)
        fail("the server has gone: there is no process %d", (int)pid);
    return nanoseconds(time);
}

void fail(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fputs("client: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    if (child > 0)
        kill(child, SIGKILL);
    exit(1);
}

char *touched(size_t size) {
    char *memory = malloc(size ? size : 1);
    if (memory == NULL)
        fail("no memory for %zu bytes", size);
    return memset(memory, 1, size);
}

char *contents(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0)
        fail("cannot read %s: %s", path, strerror(errno));
    *size = (size_t)ftell(file);
    rewind(file);
    char *data = touched(*size);
    if (fread(data, 1, *size, file) != *size)
        fail("cannot read %s", path);
    fclose(file);
    return data;
}

void store(const char *path, const char *data, size_t size) {
    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(data, 1, size, file) != size || fclose(file) != 0)
        fail("cannot write %s: %s", path, strerror(errno));
}

static int ascending(const void *left, const void *right) {
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

void print_percentiles(int64_t *samples, size_t count) {
    qsort(samples, count, sizeof *samples, ascending);
    printf("\"p50_ns\":%lld,\"p99_ns\":%lld", (long long)samples[count / 2],
           (long long)samples[count * 99 / 100]);
}

pid_t start(char **command, int input, int output) {
    posix_spawn_file_actions_t actions;
    pid_t pid;
    posix_spawn_file_actions_init(&actions);
    if (input >= 0)
        posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
    if (output >= 0)
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    int error = posix_spawn(&pid, command[0], &actions, NULL, command, environ);
    if (error != 0)
        fail("cannot start %s: %s", command[0], strerror(error));
    posix_spawn_file_actions_destroy(&actions);
    return child = pid;
}

int measure_spawn(char **command) {
    struct rusage usage;
    int status;
    int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    int64_t begin = now_ns();
    pid_t pid = start(command, nowhere, nowhere);
    wait4(pid, &status, 0, &usage);
    child = 0;
    if (status != 0)
        fail("%s ended with status %d", command[0], status);
    int64_t wall = now_ns() - begin;
    int64_t cpu = ((int64_t)usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000000 +
                  ((int64_t)usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000;
    printf("{\"wall_ns\":%lld,\"cpu_ns\":%lld}\n", (long long)wall, (long long)cpu);
    return 0;
}

int main(int argc, char **argv) {
    if (argc > 2 && strcmp(argv[1], "spawn") == 0)
        return measure_spawn(argv + 2);
    if (argc > 8 && strcmp(argv[1], "stdio") == 0)
        return measure_stdio(argv + 2);
    if (argc == 9 && strcmp(argv[1], "http") == 0)
        return measure_http(argv + 2);
    if (argc == 3 && strcmp(argv[1], "floor") == 0)
        return serve_floor(argv + 2);
    if (argc == 2 && strcmp(argv[1], "lines") == 0)
        return serve_lines();
    fail("see the head of main.c for how it is called");
}
