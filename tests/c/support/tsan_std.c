/* Tells ThreadSanitizer what happens inside Rust's standard library, which ships uninstrumented.
 *
 * The fast paths of std's locks are inlined into instrumented code and need nothing. Their slow
 * paths are not: a thread that had to wait comes back holding the lock, and the sanitizer did not
 * see how. So each slow path is wrapped (ld --wrap) and followed by the acquisition that it made.
 *
 * An Arc lets go with a release and, if it was the last, an acquire fence. The sanitizer does not
 * understand fences, so a release that subtracts counts as an acquire too. That hides nothing but
 * a race between threads that both have just let go of the same counter.
 *
 * run.py finds the names of the slow paths in the library and gives them as macros. */
#include <stdint.h>
#include <string.h>

void __tsan_acquire(void *address);
void __tsan_release(void *address);

enum { ORDER_RELEASE = 3, ORDER_ACQUIRE_RELEASE = 4 };

#define PASTE_NOW(a, b) a##b
#define PASTE(a, b) PASTE_NOW(a, b)

#define WRAP_LOCK(symbol)                                                                        \
    void PASTE(__real_, symbol)(void *lock);                                                     \
    void PASTE(__wrap_, symbol)(void *lock);                                                     \
    void PASTE(__wrap_, symbol)(void *lock)                                                      \
    {                                                                                            \
        PASTE(__real_, symbol)(lock);                                                            \
        __tsan_acquire(lock);                                                                    \
    }

#ifdef MUTEX_LOCK
WRAP_LOCK(MUTEX_LOCK)
#endif
#ifdef RWLOCK_READ
WRAP_LOCK(RWLOCK_READ)
#endif
#ifdef RWLOCK_WRITE
WRAP_LOCK(RWLOCK_WRITE)
#endif

/* Waiting on a condition lets go of the mutex and takes it again, both out of sight. */
#ifdef CONDVAR_WAIT
void PASTE(__real_, CONDVAR_WAIT)(void *condition, void *mutex);
void PASTE(__wrap_, CONDVAR_WAIT)(void *condition, void *mutex);
void PASTE(__wrap_, CONDVAR_WAIT)(void *condition, void *mutex)
{
    __tsan_release(mutex);
    PASTE(__real_, CONDVAR_WAIT)(condition, mutex);
    __tsan_acquire(mutex);
}
#endif
#ifdef CONDVAR_WAIT_TIMEOUT
_Bool PASTE(__real_, CONDVAR_WAIT_TIMEOUT)(void *condition, void *mutex, uint64_t seconds, uint32_t nanoseconds);
_Bool PASTE(__wrap_, CONDVAR_WAIT_TIMEOUT)(void *condition, void *mutex, uint64_t seconds, uint32_t nanoseconds);
_Bool PASTE(__wrap_, CONDVAR_WAIT_TIMEOUT)(void *condition, void *mutex, uint64_t seconds, uint32_t nanoseconds)
{
    _Bool in_time;
    __tsan_release(mutex);
    in_time = PASTE(__real_, CONDVAR_WAIT_TIMEOUT)(condition, mutex, seconds, nanoseconds);
    __tsan_acquire(mutex);
    return in_time;
}
#endif

/* What runs once must be released before others can see that it is done, which is before the slow path
 * returns: so the closure is wrapped as well. It is a pointer to its data and one to its table, in
 * which size, alignment and destructor come first, then call_once and call_mut. */
#ifdef ONCE_CALL
enum { CALL_MUT = 4, TABLE = 5 };

typedef struct closure { void *data; void *const *table; void *once; } closure;

static void run_and_release(void *data, void *state)
{
    closure *inner = data;
    void (*call_mut)(void *data, void *state);
    memcpy(&call_mut, &inner->table[CALL_MUT], sizeof call_mut);
    call_mut(inner->data, state);
    __tsan_release(inner->once);
}

void PASTE(__real_, ONCE_CALL)(void *once, _Bool ignore_poison, void *data, void *const *table, void *location);
void PASTE(__wrap_, ONCE_CALL)(void *once, _Bool ignore_poison, void *data, void *const *table, void *location);
void PASTE(__wrap_, ONCE_CALL)(void *once, _Bool ignore_poison, void *data, void *const *table, void *location)
{
    void (*call_mut)(void *data, void *state) = run_and_release;
    closure inner;
    void *outer[TABLE];
    inner.data = data;
    inner.table = table;
    inner.once = once;
    memcpy(outer, table, sizeof outer);
    memcpy(&outer[CALL_MUT], &call_mut, sizeof call_mut);
    PASTE(__real_, ONCE_CALL)(once, ignore_poison, &inner, outer, location);
    __tsan_acquire(once);
}
#endif

uint64_t __real___tsan_atomic64_fetch_sub(volatile uint64_t *counter, uint64_t value, int order);
uint64_t __wrap___tsan_atomic64_fetch_sub(volatile uint64_t *counter, uint64_t value, int order);
uint64_t __wrap___tsan_atomic64_fetch_sub(volatile uint64_t *counter, uint64_t value, int order)
{
    if (order == ORDER_RELEASE) order = ORDER_ACQUIRE_RELEASE;
    return __real___tsan_atomic64_fetch_sub(counter, value, order);
}
