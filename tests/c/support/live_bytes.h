/* Counts the bytes that a program holds, exactly: what the C library keeps at hand after a free is none of
 * them. For programs that link statically with glibc's allocator beneath; include it once. */
#ifndef LIVE_BYTES_H
#define LIVE_BYTES_H

#include <errno.h>
#include <malloc.h>
#include <stdlib.h>

/* The functions of glibc behind those that this file takes the place of. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t align, size_t size);
void __libc_free(void *memory);

static long live_byte_count;

static long live_bytes(void) { return __atomic_load_n(&live_byte_count, __ATOMIC_RELAXED); }

static void *count_live(void *memory, size_t before)
{
    if (memory)
        __atomic_add_fetch(&live_byte_count, (long)malloc_usable_size(memory) - (long)before, __ATOMIC_RELAXED);
    return memory;
}

void *malloc(size_t size) { return count_live(__libc_malloc(size), 0); }

void *calloc(size_t count, size_t size) { return count_live(__libc_calloc(count, size), 0); }

void *memalign(size_t align, size_t size) { return count_live(__libc_memalign(align, size), 0); }

void *aligned_alloc(size_t align, size_t size) { return memalign(align, size); }

int posix_memalign(void **out, size_t align, size_t size)
{
    void *memory = memalign(align, size);
    if (!memory) return ENOMEM;
    *out = memory;
    return 0;
}

void free(void *memory)
{
    if (memory) __atomic_sub_fetch(&live_byte_count, (long)malloc_usable_size(memory), __ATOMIC_RELAXED);
    __libc_free(memory);
}

void *realloc(void *memory, size_t size)
{
    size_t before = memory ? malloc_usable_size(memory) : 0;
    if (memory && size == 0) {
        free(memory);
        return NULL;
    }
    return count_live(__libc_realloc(memory, size), before);
}

#endif
