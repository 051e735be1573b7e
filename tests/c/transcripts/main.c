/* Plays the transcripts of a folder through the C ABI and demands the same bytes.
 *
 *   transcripts DIR [--bytes] [--peek]
 *
 * --bytes feeds client lines byte by byte, --peek takes the output in odd pieces. */
#define _POSIX_C_SOURCE 200809L

#include "player.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct names {
    char **all;
    size_t count;
};

static int by_name(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

static bool is_transcript(const char *name)
{
    size_t length = strlen(name);
    return length > 4 && strcmp(name + length - 4, ".txt") == 0;
}

static void find_transcripts(const char *folder, struct names *names)
{
    struct dirent *entry;
    DIR *directory = opendir(folder);
    if (!directory) return;
    while ((entry = readdir(directory)) != NULL) {
        if (!is_transcript(entry->d_name)) continue;
        names->all = grow(names->all, names->count + 1, sizeof *names->all);
        names->all[names->count++] = copy_text(entry->d_name);
    }
    closedir(directory);
    if (names->count) qsort(names->all, names->count, sizeof *names->all, by_name);
}

static bool read_options(int count, char **options, struct manner *manner)
{
    int index;
    for (index = 0; index < count; index++) {
        if (strcmp(options[index], "--bytes") == 0) {
            manner->by_bytes = true;
        } else if (strcmp(options[index], "--peek") == 0) {
            manner->by_peeking = true;
        } else {
            return false;
        }
    }
    return true;
}

int main(int argc, char **argv)
{
    struct names names = {0};
    struct manner manner = {0};
    size_t index, passed = 0, total;
    if (argc < 2 || !read_options(argc - 2, argv + 2, &manner)) {
        fprintf(stderr, "usage: transcripts DIR [--bytes] [--peek]\n");
        return 2;
    }
    find_transcripts(argv[1], &names);
    for (index = 0; index < names.count; index++) {
        struct text path = {0};
        text_print(&path, "%s/%s", argv[1], names.all[index]);
        if (play(argv[1], text_said(&path), manner)) passed++;
        text_free(&path);
        free(names.all[index]);
    }
    total = names.count;
    free(names.all);
    printf("%zu passed, %zu failed\n", passed, total - passed);
    if (total == 0) fprintf(stderr, "there are no transcripts in %s\n", argv[1]);
    return total > 0 && passed == total ? 0 : 1;
}
