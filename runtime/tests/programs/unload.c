// A program that loads the run time, uses it and unloads it, several times and from threads that end afterwards.
// usage: unload libtessera_rt.so
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "tessera_rt.h"

static const char ptx[] = ".version 6.0\n.target sm_50\n.address_size 64\n.visible .entry tessera_rt_empty()\n{\n    ret;\n}\n";
static const char *const names[] = {"tessera_rt_empty"};
static const tessera_rt_nest nest = {TESSERA_RT_ABI_VERSION, 1, "unload.c", ptx, sizeof ptx - 1, names};

static void *use(void *library) {
    tessera_rt_session *(*begin)(const tessera_rt_nest *, const tessera_rt_estimate *) = dlsym(library, "tessera_rt_begin");
    uint64_t (*array)(tessera_rt_session *, void *, uint64_t, uint32_t) = dlsym(library, "tessera_rt_array");
    int32_t (*end)(tessera_rt_session *) = dlsym(library, "tessera_rt_end");
    char bytes[100];
    memset(bytes, 'x', sizeof bytes);
    tessera_rt_session *session = begin(&nest, 0);
    array(session, bytes, sizeof bytes, TESSERA_RT_OUT);
    int done = end(session);
    for (unsigned i = 0; i < sizeof bytes; i++)
        if (bytes[i] != 'x') return "wrong";
    return done ? "device" : "host";
}

int main(int count, char **words) {
    for (int round = 0; round < 5; round++) {
        void *library = dlopen(words[count - 1], RTLD_NOW | RTLD_LOCAL);
        if (!library) return fprintf(stderr, "%s\n", dlerror()), 1;
        pthread_t thread;
        void *where;
        pthread_create(&thread, 0, use, library);
        pthread_join(thread, &where);
        printf("%s %s\n", (const char *)use(library), (const char *)where);
        dlclose(library);
    }
    return 0;
}
