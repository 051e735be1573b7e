/* Counts what a program allocates, whatever it is written in: LD_PRELOAD it into programs on glibc.
 *
 * At the end of the program, the counts are written to the file that MCPLITE_BENCH_ALLOCATIONS names. A change
 * of size counts as an allocation. Bytes are those that the C library really set aside. */
#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

/* The functions of glibc behind those that this file takes the place of. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t align, size_t size);
void __libc_free(void *memory);

/* What is alive now; a program asks by this name whether it is counted. */
long long counted_live_bytes(void);

static atomic_llong allocations, bytes, live_bytes, peak_live_bytes;

static void *counted(void *memory, size_t before) {
    if (memory == NULL)
        return NULL;
    long long size = (long long)malloc_usable_size(memory), growth = size - (long long)before;
    long long live = atomic_fetch_add(&live_bytes, growth) + growth;
    long long peak = atomic_load(&peak_live_bytes);
    while (live > peak && !atomic_compare_exchange_weak(&peak_live_bytes, &peak, live)) {
    }
    atomic_fetch_add(&allocations, 1);
    atomic_fetch_add(&bytes, size);
    return memory;
}

void *malloc(size_t size) {
    return counted(__libc_malloc(size), 0);
}

void *calloc(size_t count, size_t size) {
    return counted(__libc_calloc(count, size), 0);
}

void *realloc(void *memory, size_t size) {
    if (size == 0) {
        free(memory);
        return NULL;
    }
    size_t before = memory == NULL ? 0 : malloc_usable_size(memory);
    return counted(__libc_realloc(memory, size), before);
}

void *memalign(size_t align, size_t size) {
    return counted(__libc_memalign(align, size), 0);
}

void *aligned_alloc(size_t align, size_t size) {
    return memalign(align, size);
}

int posix_memalign(void **out, size_t align, size_t size) {
    void *memory = memalign(align, size);
    if (memory == NULL)
        return ENOMEM;
    *out = memory;
    return 0;
}

void free(void *memory) {
    if (memory != NULL)
        atomic_fetch_sub(&live_bytes, (long long)malloc_usable_size(memory));
    __libc_free(memory);
}

long long counted_live_bytes(void) {
    return atomic_load(&live_bytes);
}

__attribute__((destructor)) static void report(void) {
    const char *path = getenv("MCPLITE_BENCH_ALLOCATIONS");
    long long counts[] = {allocations, bytes, live_bytes, peak_live_bytes};
    FILE *file = path == NULL ? NULL : fopen(path, "w");
    if (file == NULL)
        return;
    fprintf(file, "{\"allocations\":%lld,\"bytes\":%lld,\"live_bytes\":%lld,\"peak_live_bytes\":%lld}\n",
            counts[0], counts[1], counts[2], counts[3]);
    fclose(file);
}
