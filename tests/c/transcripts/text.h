/* Text that grows, and what is read from it. Running out of memory ends the program. */
#ifndef TEXT_H
#define TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All zero is an empty text. `at` ends with a NUL once something was added. */
struct text {
    char *at;
    size_t length;
    size_t capacity;
};

void text_add(struct text *text, const void *bytes, size_t length);
void text_print(struct text *text, const char *format, ...);
/* What it says, never NULL. */
const char *text_said(const struct text *text);
void text_clear(struct text *text);
void text_free(struct text *text);
/* Adds a whole file; false if it cannot be read. */
bool text_add_file(struct text *text, const char *path);

/* A copy with a NUL behind it, to be freed. */
char *copy_bytes(const void *bytes, size_t length);
char *copy_text(const char *text);
/* Memory for `count` elements of `size`, one after the other; `old` may be NULL. */
void *grow(void *old, size_t count, size_t size);

/* Cuts off and returns what stands before the next space; the rest may be empty. */
char *next_word(char **rest);
/* A whole decimal number and nothing else. */
bool read_number(const char *text, int64_t *out_number);
/* The shortest text that gives the same number back, for numbers that need no exponent. */
#define NUMBER_SIZE 32
void write_number(char text[NUMBER_SIZE], double number);

#endif
