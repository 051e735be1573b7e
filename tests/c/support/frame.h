/* What every message of the library must be: one JSON value, in UTF-8, on one line.
 * Written apart from the library on purpose, so that it does not judge itself. */
#ifndef FRAME_H
#define FRAME_H

#include <stddef.h>
#include <string.h>

struct frame {
    const unsigned char *at, *end;
    int depth;
};

static int frame_value(struct frame *frame);

static int frame_next(struct frame *frame, unsigned char byte)
{
    while (frame->at < frame->end && (*frame->at == ' ' || *frame->at == '\t')) frame->at++;
    if (frame->at == frame->end || *frame->at != byte) return 0;
    frame->at++;
    return 1;
}

static int frame_word(struct frame *frame, const char *word)
{
    size_t length = strlen(word);
    if ((size_t)(frame->end - frame->at) < length || memcmp(frame->at, word, length) != 0) return 0;
    frame->at += length;
    return 1;
}

static int frame_digits(struct frame *frame)
{
    const unsigned char *start = frame->at;
    while (frame->at < frame->end && *frame->at >= '0' && *frame->at <= '9') frame->at++;
    return frame->at > start;
}

static int frame_number(struct frame *frame)
{
    if (frame->at < frame->end && *frame->at == '-') frame->at++;
    if (frame->at < frame->end && *frame->at == '0') frame->at++;
    else if (!frame_digits(frame)) return 0;
    if (frame->at < frame->end && *frame->at == '.') {
        frame->at++;
        if (!frame_digits(frame)) return 0;
    }
    if (frame->at < frame->end && (*frame->at == 'e' || *frame->at == 'E')) {
        frame->at++;
        if (frame->at < frame->end && (*frame->at == '+' || *frame->at == '-')) frame->at++;
        if (!frame_digits(frame)) return 0;
    }
    return 1;
}

/* One character beyond ASCII, in its shortest form and no surrogate. */
static int frame_wide(struct frame *frame)
{
    unsigned first = frame->at[0], code;
    int more = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : 1, i;
    static const unsigned least[] = {0, 0x80, 0x800, 0x10000};
    if (first < 0xc2 || first > 0xf4 || frame->end - frame->at <= more) return 0;
    code = first & (0x3fu >> more);
    for (i = 1; i <= more; i++) {
        if ((frame->at[i] & 0xc0) != 0x80) return 0;
        code = code << 6 | (frame->at[i] & 0x3f);
    }
    frame->at += more + 1;
    return code >= least[more] && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
}

static int frame_escape(struct frame *frame)
{
    int i;
    if (frame->end - frame->at < 2 || !strchr("\"\\/bfnrtu", frame->at[1])) return 0;
    if (frame->at[1] != 'u') {
        frame->at += 2;
        return 1;
    }
    if (frame->end - frame->at < 6) return 0;
    for (i = 2; i < 6; i++)
        if (!frame->at[i] || !strchr("0123456789abcdefABCDEF", frame->at[i])) return 0;
    frame->at += 6;
    return 1;
}

static int frame_string(struct frame *frame)
{
    if (!frame_next(frame, '"')) return 0;
    while (frame->at < frame->end && *frame->at != '"') {
        if (*frame->at < 0x20) return 0;
        if (*frame->at == '\\') {
            if (!frame_escape(frame)) return 0;
        } else if (*frame->at >= 0x80) {
            if (!frame_wide(frame)) return 0;
        } else frame->at++;
    }
    return frame_next(frame, '"');
}

static int frame_sequence(struct frame *frame, unsigned char close, int has_names)
{
    if (++frame->depth > 600) return 0;
    if (frame_next(frame, close)) return frame->depth--, 1;
    do {
        if (has_names && !(frame_string(frame) && frame_next(frame, ':'))) return 0;
        if (!frame_value(frame)) return 0;
    } while (frame_next(frame, ','));
    frame->depth--;
    return frame_next(frame, close);
}

static int frame_value(struct frame *frame)
{
    while (frame->at < frame->end && (*frame->at == ' ' || *frame->at == '\t')) frame->at++;
    if (frame->at == frame->end) return 0;
    switch (*frame->at) {
    case '{': frame->at++; return frame_sequence(frame, '}', 1);
    case '[': frame->at++; return frame_sequence(frame, ']', 0);
    case '"': return frame_string(frame);
    case 't': return frame_word(frame, "true");
    case 'f': return frame_word(frame, "false");
    case 'n': return frame_word(frame, "null");
    default: return frame_number(frame);
    }
}

/* Whether the text is one JSON value without a line break, and nothing else. */
static int frame_is_good(const char *text, size_t length)
{
    struct frame frame;
    frame.at = (const unsigned char *)text;
    frame.end = frame.at + length;
    frame.depth = 0;
    if (memchr(text, '\n', length) || memchr(text, '\r', length)) return 0;
    return frame_value(&frame) && frame.at == frame.end;
}

#endif
