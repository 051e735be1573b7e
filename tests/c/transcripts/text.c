#include "text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *grow(void *old, size_t count, size_t size)
{
    void *grown = realloc(old, count * size);
    if (!grown) {
        fprintf(stderr, "out of memory\n");
        exit(2);
    }
    return grown;
}

static void reserve(struct text *text, size_t more)
{
    size_t needed = text->length + more + 1;
    if (needed <= text->capacity) return;
    text->capacity = needed * 2;
    text->at = grow(text->at, text->capacity, 1);
}

void text_add(struct text *text, const void *bytes, size_t length)
{
    reserve(text, length);
    if (length) memcpy(text->at + text->length, bytes, length);
    text->length += length;
    text->at[text->length] = '\0';
}

void text_print(struct text *text, const char *format, ...)
{
    va_list arguments;
    int length;
    va_start(arguments, format);
    length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (length < 0) return;
    reserve(text, (size_t)length);
    va_start(arguments, format);
    vsnprintf(text->at + text->length, (size_t)length + 1, format, arguments);
    va_end(arguments);
    text->length += (size_t)length;
}

const char *text_said(const struct text *text)
{
    return text->at ? text->at : "";
}

void text_clear(struct text *text)
{
    text->length = 0;
    if (text->at) text->at[0] = '\0';
}

void text_free(struct text *text)
{
    free(text->at);
    text->at = NULL;
    text->length = text->capacity = 0;
}

bool text_add_file(struct text *text, const char *path)
{
    char piece[4096];
    size_t length;
    bool complete;
    FILE *file = fopen(path, "rb");
    if (!file) return false;
    while ((length = fread(piece, 1, sizeof piece, file)) > 0) text_add(text, piece, length);
    complete = !ferror(file);
    fclose(file);
    return complete;
}

char *copy_bytes(const void *bytes, size_t length)
{
    char *copy = grow(NULL, length + 1, 1);
    if (length) memcpy(copy, bytes, length);
    copy[length] = '\0';
    return copy;
}

char *copy_text(const char *text)
{
    return copy_bytes(text, strlen(text));
}

char *next_word(char **rest)
{
    char *word = *rest;
    char *space = strchr(word, ' ');
    if (space) {
        *space = '\0';
        *rest = space + 1;
    } else {
        *rest = word + strlen(word);
    }
    return word;
}

bool read_number(const char *text, int64_t *out_number)
{
    char *end;
    if (text[0] < '0' || text[0] > '9') return false;
    errno = 0;
    *out_number = strtoll(text, &end, 10);
    return errno == 0 && *end == '\0';
}

void write_number(char text[NUMBER_SIZE], double number)
{
    int digits;
    for (digits = 15; digits <= 17; digits++) {
        snprintf(text, NUMBER_SIZE, "%.*g", digits, number);
        if (strtod(text, NULL) == number) return;
    }
}
