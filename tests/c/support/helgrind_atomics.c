/* Lets helgrind see the atomics of a library that was instrumented for ThreadSanitizer.
 *
 * Helgrind knows pthreads, but Rust's locks and reference counts are bare atomics and futexes. The
 * instrumented library calls a function for each atomic operation; here those functions do the
 * operation and tell helgrind the order that it makes. Plain accesses helgrind sees by itself, so
 * what the instrumentation says of them is ignored.
 *
 * std's own slow paths stay out of sight. They take a lock only after somebody let go of it, so
 * run.py wraps them here as in tsan_std.c. */
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <valgrind/helgrind.h>

enum { RELAXED, CONSUME, ACQUIRE, RELEASE, ACQUIRE_RELEASE, SEQUENTIAL };

static int acquires(int order) { return order != RELAXED && order != RELEASE; }
static int releases(int order) { return order >= RELEASE; }

/* One atomic operation at a time, so that its order is told in the order in which it happened.
 * A pthread mutex would be seen, and would order everything. */
static char gate;

static void enter(volatile void *address, size_t size)
{
    VALGRIND_HG_DISABLE_CHECKING(&gate, sizeof gate);
    VALGRIND_HG_DISABLE_CHECKING(address, size);
    while (__atomic_test_and_set(&gate, __ATOMIC_SEQ_CST)) sched_yield();
}

static void leave(void) { __atomic_clear(&gate, __ATOMIC_SEQ_CST); }

static void told_before(volatile void *address, int order) { if (acquires(order)) ANNOTATE_HAPPENS_AFTER(address); }
static void told_after(volatile void *address, int order) { if (releases(order)) ANNOTATE_HAPPENS_BEFORE(address); }

/* A read-modify-write continues the release sequence, so it always takes over what was released. */
#define CHANGE(bits, type, name, builtin)                                                        \
    type __tsan_atomic##bits##_##name(volatile type *p, type value, int order);                  \
    type __tsan_atomic##bits##_##name(volatile type *p, type value, int order)                   \
    {                                                                                            \
        type old;                                                                                \
        enter(p, sizeof *p);                                                                     \
        if (order != RELAXED) told_before(p, ACQUIRE_RELEASE);                                   \
        old = builtin(p, value, __ATOMIC_SEQ_CST);                                               \
        told_after(p, order);                                                                    \
        leave();                                                                                 \
        return old;                                                                              \
    }

#define COMPARE(bits, type, name)                                                                \
    int __tsan_atomic##bits##_##name(volatile type *p, type *wanted, type value, int order, int otherwise); \
    int __tsan_atomic##bits##_##name(volatile type *p, type *wanted, type value, int order, int otherwise)  \
    {                                                                                            \
        int done;                                                                                \
        enter(p, sizeof *p);                                                                     \
        done = __atomic_compare_exchange_n(p, wanted, value, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
        told_before(p, done ? order : otherwise);                                                \
        if (done) told_after(p, order);                                                          \
        leave();                                                                                 \
        return done;                                                                             \
    }

#define COMPARE_VALUE(bits, type)                                                                \
    type __tsan_atomic##bits##_compare_exchange_val(volatile type *p, type wanted, type value, int order, int otherwise); \
    type __tsan_atomic##bits##_compare_exchange_val(volatile type *p, type wanted, type value, int order, int otherwise)  \
    {                                                                                            \
        __tsan_atomic##bits##_compare_exchange_strong(p, &wanted, value, order, otherwise);      \
        return wanted;                                                                           \
    }

#define ATOMICS(bits, type)                                                                      \
    type __tsan_atomic##bits##_load(const volatile type *p, int order);                          \
    type __tsan_atomic##bits##_load(const volatile type *p, int order)                           \
    {                                                                                            \
        type value;                                                                              \
        enter((volatile void *)(uintptr_t)p, sizeof *p);                                         \
        value = __atomic_load_n(p, __ATOMIC_SEQ_CST);                                            \
        told_before((volatile void *)(uintptr_t)p, order);                                       \
        leave();                                                                                 \
        return value;                                                                            \
    }                                                                                            \
    void __tsan_atomic##bits##_store(volatile type *p, type value, int order);                   \
    void __tsan_atomic##bits##_store(volatile type *p, type value, int order)                    \
    {                                                                                            \
        enter(p, sizeof *p);                                                                     \
        __atomic_store_n(p, value, __ATOMIC_SEQ_CST);                                            \
        told_after(p, order);                                                                    \
        leave();                                                                                 \
    }                                                                                            \
    CHANGE(bits, type, exchange, __atomic_exchange_n)                                            \
    CHANGE(bits, type, fetch_add, __atomic_fetch_add)                                            \
    CHANGE(bits, type, fetch_sub, __atomic_fetch_sub)                                            \
    CHANGE(bits, type, fetch_and, __atomic_fetch_and)                                            \
    CHANGE(bits, type, fetch_or, __atomic_fetch_or)                                              \
    CHANGE(bits, type, fetch_xor, __atomic_fetch_xor)                                            \
    CHANGE(bits, type, fetch_nand, __atomic_fetch_nand)                                          \
    COMPARE(bits, type, compare_exchange_strong)                                                 \
    COMPARE(bits, type, compare_exchange_weak)                                                   \
    COMPARE_VALUE(bits, type)

ATOMICS(8, uint8_t)
ATOMICS(16, uint16_t)
ATOMICS(32, uint32_t)
ATOMICS(64, uint64_t)

void __tsan_atomic_thread_fence(int order);
void __tsan_atomic_thread_fence(int order) { (void)order; __atomic_thread_fence(__ATOMIC_SEQ_CST); }
void __tsan_atomic_signal_fence(int order);
void __tsan_atomic_signal_fence(int order) { (void)order; }

/* For tsan_std.c. */
void __tsan_acquire(void *address);
void __tsan_acquire(void *address) { enter(address, 4); told_before(address, ACQUIRE); leave(); }
void __tsan_release(void *address);
void __tsan_release(void *address) { enter(address, 4); told_before(address, ACQUIRE); told_after(address, RELEASE); leave(); }

void *__tsan_memcpy(void *to, const void *from, size_t length);
void *__tsan_memcpy(void *to, const void *from, size_t length) { return memcpy(to, from, length); }
void *__tsan_memmove(void *to, const void *from, size_t length);
void *__tsan_memmove(void *to, const void *from, size_t length) { return memmove(to, from, length); }
void *__tsan_memset(void *to, int byte, size_t length);
void *__tsan_memset(void *to, int byte, size_t length) { return memset(to, byte, length); }

#define IGNORED(name)                                                                            \
    void __tsan_##name(void *address);                                                           \
    void __tsan_##name(void *address) { (void)address; }
#define IGNORED_SIZES(name)                                                                      \
    IGNORED(name##1) IGNORED(name##2) IGNORED(name##4) IGNORED(name##8) IGNORED(name##16)

IGNORED_SIZES(read) IGNORED_SIZES(write) IGNORED_SIZES(read_write)
IGNORED_SIZES(unaligned_read) IGNORED_SIZES(unaligned_write) IGNORED_SIZES(unaligned_read_write)
IGNORED(func_entry) IGNORED(vptr_read)

void __tsan_read_range(void *address, size_t size);
void __tsan_read_range(void *address, size_t size) { (void)address; (void)size; }
void __tsan_write_range(void *address, size_t size);
void __tsan_write_range(void *address, size_t size) { (void)address; (void)size; }
void __tsan_vptr_update(void **address, void *value);
void __tsan_vptr_update(void **address, void *value) { (void)address; (void)value; }
void __tsan_func_exit(void);
void __tsan_func_exit(void) {}
void __tsan_init(void);
void __tsan_init(void) {}
