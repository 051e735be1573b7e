/* The shared library loaded by hand: it comes and goes, several copies live side by side, and it
 * exports nothing but its own functions. The argument is its path. */
#define _GNU_SOURCE
#include <mcplite.h>

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Those of check.h are no use here: they are for programs that are linked to the library. */
static int failures;

#define CHECK(condition)                                                                         \
    do {                                                                                         \
        if (!(condition)) {                                                                      \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                      \
            failures++;                                                                          \
        }                                                                                        \
    } while (0)

static int says(const char *text, const char *part) { return text && strstr(text, part); }

/* The few functions that a conversation takes, found by name. */
typedef struct library {
    void *handle;
    mcp_server *(*server_new)(const char *, const char *);
    void (*server_free)(mcp_server *);
    mcp_session *(*session_new)(mcp_server *);
    void (*session_free)(mcp_session *);
    mcp_status (*handle_message)(mcp_session *, const char *, size_t);
    const char *(*poll)(mcp_session *, size_t *);
    mcp_status (*register_tool)(mcp_server *, const char *, const char *, const char *, mcp_handler, void *, mcp_destroy);
    mcp_status (*reply_text)(mcp_call *, const char *, size_t);
} library;

/* ISO C has no cast from an object to a function. */
static int find(void *handle, const char *name, void *out_function)
{
    void *found = dlsym(handle, name);
    memcpy(out_function, &found, sizeof found);
    return found != NULL;
}

static int open_library(library *l, void *handle)
{
    l->handle = handle;
    if (!handle) {
        fprintf(stderr, "%s\n", dlerror());
        CHECK(!"the library loads");
        return 0;
    }
    return find(handle, "mcp_server_new", &l->server_new) && find(handle, "mcp_server_free", &l->server_free)
        && find(handle, "mcp_session_new", &l->session_new) && find(handle, "mcp_session_free", &l->session_free)
        && find(handle, "mcp_handle_message", &l->handle_message) && find(handle, "mcp_session_poll", &l->poll)
        && find(handle, "mcp_register_tool", &l->register_tool) && find(handle, "mcp_reply_text", &l->reply_text);
}

static mcp_status answer(void *user_data, mcp_call *call)
{
    return ((library *)user_data)->reply_text(call, "from a loaded library", MCP_Z);
}

static void talk(library *l)
{
    static const char hello[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{"
        "\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"c\",\"version\":\"1\"}}}";
    static const char ready[] = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}";
    static const char call[] = "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"answer\",\"arguments\":{}}}";
    mcp_server *server = l->server_new("loading", "1");
    mcp_session *session = l->session_new(server);
    CHECK(l->register_tool(server, "answer", NULL, NULL, answer, l, NULL) == MCP_OK);
    CHECK(l->handle_message(session, hello, sizeof hello - 1) == MCP_OK);
    CHECK(says(l->poll(session, NULL), "\"protocolVersion\""));
    CHECK(l->handle_message(session, ready, sizeof ready - 1) == MCP_OK);
    CHECK(l->handle_message(session, call, sizeof call - 1) == MCP_OK);
    CHECK(says(l->poll(session, NULL), "from a loaded library"));
    l->session_free(session);
    l->server_free(server);
}

static void *talk_in_thread(void *data)
{
    talk(data);
    return NULL;
}

static void it_comes_and_goes(const char *path)
{
    int round;
    for (round = 0; round < 200; round++) {
        library l;
        pthread_t thread;
        if (!open_library(&l, dlopen(path, RTLD_NOW | RTLD_LOCAL))) {
            CHECK(!"every function is there");
            return;
        }
        if (pthread_create(&thread, NULL, talk_in_thread, &l)) abort();
        pthread_join(thread, NULL);
        CHECK(dlclose(l.handle) == 0);
    }
    /* If it were still there it would be no harm, but then something of it was left in a thread. */
    CHECK(dlopen(path, RTLD_NOW | RTLD_NOLOAD) == NULL);
}

/* The thread that used it goes on after the library is gone, and then ends. */
static void *load_use_and_unload(void *path)
{
    library l;
    if (open_library(&l, dlopen(path, RTLD_NOW | RTLD_LOCAL))) {
        talk(&l);
        CHECK(dlclose(l.handle) == 0);
    }
    return NULL;
}

static void a_thread_outlives_it(char *path)
{
    int round;
    for (round = 0; round < 20; round++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, load_use_and_unload, path)) abort();
        pthread_join(thread, NULL);
    }
}

/* A second copy, under another name, as two plugins of one program would bring it. */
static int copy_file(const char *from, const char *to)
{
    FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
    static char block[1 << 16];
    size_t got;
    int good = in && out;
    while (good && (got = fread(block, 1, sizeof block, in)) > 0) good = fwrite(block, 1, got, out) == got;
    if (in) fclose(in);
    if (out) good = fclose(out) == 0 && good;
    return good;
}

static void two_copies_live_side_by_side(const char *path, const char *folder)
{
    char copy[4096];
    library first, second;
    snprintf(copy, sizeof copy, "%s-second-libmcplite.so", folder);
    CHECK(copy_file(path, copy));
    if (open_library(&first, dlopen(path, RTLD_NOW | RTLD_GLOBAL))
        && open_library(&second, dlopen(copy, RTLD_NOW | RTLD_GLOBAL))) {
        CHECK(first.server_new != second.server_new);
        talk(&first);
        talk(&second);
        CHECK(dlclose(first.handle) == 0);
        talk(&second);
        CHECK(dlclose(second.handle) == 0);
    }
    unlink(copy);
}

/* Whatever else were exported could clash with something of the host's. */
static void it_exports_nothing_else(const char *path)
{
    FILE *file = fopen(path, "rb");
    ElfW(Ehdr) header;
    ElfW(Shdr) sections[128];
    size_t i, j, functions = 0;
    CHECK(file && fread(&header, sizeof header, 1, file) == 1 && header.e_shnum <= 128);
    if (failures) return;
    fseek(file, (long)header.e_shoff, SEEK_SET);
    CHECK(fread(sections, sizeof sections[0], header.e_shnum, file) == header.e_shnum);
    for (i = 0; i < header.e_shnum; i++) {
        size_t count = sections[i].sh_type == SHT_DYNSYM ? sections[i].sh_size / sizeof(ElfW(Sym)) : 0;
        const ElfW(Shdr) *names = &sections[sections[i].sh_link];
        ElfW(Sym) *symbols = malloc(count * sizeof *symbols + 1);
        char *text = malloc(count ? names->sh_size : 1);
        if (count) {
            fseek(file, (long)sections[i].sh_offset, SEEK_SET);
            CHECK(fread(symbols, sizeof *symbols, count, file) == count);
            fseek(file, (long)names->sh_offset, SEEK_SET);
            CHECK(fread(text, 1, names->sh_size, file) == names->sh_size);
        }
        for (j = 0; j < count; j++) {
            const char *name = text + symbols[j].st_name;
            if (symbols[j].st_shndx == SHN_UNDEF || !*name) continue;
            functions++;
            if (strncmp(name, "mcp_", 4) != 0) {
                fprintf(stderr, "exports %s\n", name);
                CHECK(!"only its own functions");
            }
        }
        free(symbols);
        free(text);
    }
    CHECK(functions > 100);
    fclose(file);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: loading LIBRARY\n");
        return 2;
    }
    it_exports_nothing_else(argv[1]);
    it_comes_and_goes(argv[1]);
    a_thread_outlives_it(argv[1]);
    two_copies_live_side_by_side(argv[1], argv[0]);
    return failures != 0;
}
