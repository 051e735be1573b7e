/* A transcript file, cut into its lines. */
#ifndef TRANSCRIPT_H
#define TRANSCRIPT_H

#include "memory.h"

enum mark {
    MARK_NOTHING, /* an empty line or a comment */
    MARK_OPTION,
    MARK_SEND,
    MARK_SEND_BYTES,
    MARK_ACTION,
    MARK_EXPECT
};

struct line {
    enum mark mark;
    /* What follows the mark and its space. */
    char *rest;
};

struct transcript {
    struct text text;
    struct line *lines;
    size_t count;
};

/* What cannot be read is complained of, with the number of its line. */
void transcript_read(struct transcript *transcript, const char *path, struct memory *memory);
bool is_step(enum mark mark);
void transcript_free(struct transcript *transcript);

#endif
