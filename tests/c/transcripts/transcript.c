#include "transcript.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *written;
    enum mark mark;
} marks[] = {
    {"", MARK_NOTHING}, {"#", MARK_NOTHING},       {"@", MARK_OPTION}, {">", MARK_SEND},
    {"!", MARK_ACTION}, {">>", MARK_SEND_BYTES}, {"<", MARK_EXPECT},
};

bool is_step(enum mark mark)
{
    return mark == MARK_SEND || mark == MARK_SEND_BYTES || mark == MARK_ACTION;
}

static void add_line(struct transcript *transcript, char *text, struct memory *memory)
{
    char *rest = text;
    const char *written = next_word(&rest);
    size_t index;
    for (index = 0; index < sizeof marks / sizeof *marks; index++) {
        struct line *line;
        if (strcmp(marks[index].written, written) != 0) continue;
        transcript->lines = grow(transcript->lines, transcript->count + 1, sizeof *transcript->lines);
        line = &transcript->lines[transcript->count++];
        line->mark = marks[index].mark;
        line->rest = rest;
        return;
    }
    complain(memory, "line %zu has an unknown mark: %.20s", transcript->count + 1, written);
}

/* Each option once, and before the first step. */
static void check_options(const struct transcript *transcript, struct memory *memory)
{
    size_t index, other;
    bool has_begun = false;
    for (index = 0; index < transcript->count; index++) {
        const struct line *line = &transcript->lines[index];
        size_t length = strcspn(line->rest, " ");
        has_begun = has_begun || is_step(line->mark);
        if (line->mark != MARK_OPTION) continue;
        if (has_begun) complain(memory, "line %zu is an option after the first step", index + 1);
        for (other = 0; other < index; other++) {
            const struct line *earlier = &transcript->lines[other];
            if (earlier->mark == MARK_OPTION && strcspn(earlier->rest, " ") == length
                && memcmp(earlier->rest, line->rest, length) == 0) {
                complain(memory, "line %zu is an option for the second time", index + 1);
            }
        }
    }
}

void transcript_read(struct transcript *transcript, const char *path, struct memory *memory)
{
    struct text *text = &transcript->text;
    char *start, *end;
    if (!text_add_file(text, path) || text->length == 0) {
        complain(memory, "cannot be read, or is empty");
        return;
    }
    if (strlen(text->at) != text->length || text->at[text->length - 1] != '\n') {
        complain(memory, "not a text whose last line ends");
        return;
    }
    for (start = text->at; *start; start = end + 1) {
        end = strchr(start, '\n');
        *end = '\0';
        add_line(transcript, start, memory);
    }
    if (!has_problem(memory)) check_options(transcript, memory);
}

void transcript_free(struct transcript *transcript)
{
    free(transcript->lines);
    text_free(&transcript->text);
}
