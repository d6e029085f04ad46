// A program that refers to the run time weakly, as generated code should: it also starts without the library.
#include <stdio.h>

#include "tessera_rt.h"

#pragma weak tessera_rt_begin
#pragma weak tessera_rt_end

static const char ptx[] = ".version 6.0\n.target sm_50\n.address_size 64\n.visible .entry tessera_rt_empty()\n{\n    ret;\n}\n";
static const char *const names[] = {"tessera_rt_empty"};
static const tessera_rt_nest nest = {TESSERA_RT_ABI_VERSION, 1, "weak.c", ptx, sizeof ptx - 1, names};

int main(void) {
    tessera_rt_session *session = tessera_rt_begin ? tessera_rt_begin(&nest, 0) : 0;
    puts(session && tessera_rt_end(session) ? "device" : "host");
    return 0;
}
