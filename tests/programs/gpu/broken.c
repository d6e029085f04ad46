/* Stands between a program and the run-time library, and breaks what one of its nests asks for. It is preloaded in front of the library.
 *
 * BROKEN says what, as words with spaces between them; nests are numbered in the order in which they are first executed:
 *
 *     list FOLDER                  nothing: lines about nests, arrays and kernels on the standard error, texts as files N.ptx in a folder
 *     N text FILE                  the kernels are those of a file
 *     N array A in                 array A is not copied to the device
 *     N array A out                it is not copied back
 *     N array A last               the device has it without its last byte, or the last one of each row
 *     N array A first              without its first eight bytes, or those of each row
 *     N launch K AXIS GRID BLOCK   kernel K has so many blocks and threads more along an axis; no launch if there are none
 *
 * All other nests run on the host, so that only the broken one takes time. */
#define _GNU_SOURCE
#include "../../../runtime/include/tessera_rt.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 256 };
static const tessera_rt_nest *seen[MOST];
static int count, current, array, wanted = -1, axis, more_blocks, more_threads;
static long index_of_part = -1;
static char part[16], how[16], file[1024];
static int is_list;

static void *library(const char *name) {
  void *found = dlsym(RTLD_NEXT, name);
  if (!found)
    exit(95);
  return found;
}

static void read_what(void) {
  static int is_read;
  const char *what = getenv("BROKEN");
  if (is_read++ || !what)
    return;
  is_list = sscanf(what, "list %1023s", file) == 1;
  if (is_list || sscanf(what, "%d %15s", &wanted, part) != 2)
    return;
  if (!strcmp(part, "text"))
    sscanf(what, "%*d %*s %1023s", file);
  if (!strcmp(part, "array"))
    sscanf(what, "%*d %*s %ld %15s", &index_of_part, how);
  if (!strcmp(part, "launch"))
    sscanf(what, "%*d %*s %ld %d %d %d", &index_of_part, &axis, &more_blocks, &more_threads);
}

static const tessera_rt_nest *with_text(const tessera_rt_nest *nest) {
  static tessera_rt_nest other;
  static char *text;
  if (!text) {
    FILE *from = fopen(file, "rb");
    if (!from || fseek(from, 0, SEEK_END))
      exit(94);
    long bytes = ftell(from);
    rewind(from);
    text = calloc((size_t)bytes + 1, 1);
    if (!text || fread(text, 1, (size_t)bytes, from) != (size_t)bytes)
      exit(93);
    fclose(from);
    other = *nest;
    other.ptx = text;
    other.ptx_bytes = (uint64_t)bytes;
  }
  return &other;
}

tessera_rt_session *tessera_rt_begin(const tessera_rt_nest *nest, tessera_rt_estimate *estimate) {
  read_what();
  array = 0;
  for (current = 0; current < count && seen[current] != nest; current++)
    ;
  if (current == count) {
    if (count == MOST)
      exit(92);
    seen[count++] = nest;
    if (is_list) {
      char name[1100];
      snprintf(name, sizeof name, "%s/%d.ptx", file, current);
      FILE *to = fopen(name, "wb");
      if (!to || fwrite(nest->ptx, 1, nest->ptx_bytes, to) != nest->ptx_bytes || fclose(to))
        exit(91);
      fprintf(stderr, "broken: %d nest %s\n", current, nest->name);
    }
  }
  if (!is_list && current != wanted)
    return NULL;
  if (!is_list && !strcmp(part, "text"))
    nest = with_text(nest);
  tessera_rt_session *(*begin)(const tessera_rt_nest *, tessera_rt_estimate *) = library("tessera_rt_begin");
  return begin(nest, estimate);
}

uint64_t tessera_rt_rectangle(tessera_rt_session *session, void *host, uint64_t row_bytes, uint64_t rows, uint64_t pitch,
                              uint32_t flags) {
  uint64_t (*give)(tessera_rt_session *, void *, uint64_t, uint64_t, uint64_t, uint32_t) = library("tessera_rt_rectangle");
  uint64_t skipped = 0;
  if (is_list)
    fprintf(stderr, "broken: %d array %d flags %u bytes %llu\n", current, array, flags, (unsigned long long)(row_bytes * rows));
  if (!is_list && !strcmp(part, "array") && array == index_of_part && row_bytes * rows > 0) {
    if (!strcmp(how, "in"))
      flags = flags & TESSERA_RT_OUT ? TESSERA_RT_OUT | TESSERA_RT_OVERWRITTEN : 0;
    if (!strcmp(how, "out"))
      flags = TESSERA_RT_IN;
    if (!strcmp(how, "last"))
      row_bytes = flags ? row_bytes - 1 : 0;
    if (!strcmp(how, "first"))
      skipped = row_bytes < 8 ? row_bytes : 8;
  }
  array++;
  return give(session, (char *)host + skipped, row_bytes - skipped, rows, pitch, flags) - skipped;
}

uint64_t tessera_rt_array(tessera_rt_session *session, void *host, uint64_t bytes, uint32_t flags) {
  return tessera_rt_rectangle(session, host, bytes, 1, bytes, flags);
}

int32_t tessera_rt_launch(tessera_rt_session *session, uint32_t kernel, const uint32_t grid[3], const uint32_t block[3],
                          uint32_t shared_bytes, const void *const *parameters) {
  int32_t (*launch)(tessera_rt_session *, uint32_t, const uint32_t *, const uint32_t *, uint32_t, const void *const *) =
      library("tessera_rt_launch");
  uint32_t blocks[3], threads[3];
  memcpy(blocks, grid, sizeof blocks);
  memcpy(threads, block, sizeof threads);
  if (is_list)
    fprintf(stderr, "broken: %d kernel %u grid %u %u %u block %u %u %u\n", current, kernel, grid[0], grid[1], grid[2], block[0],
            block[1], block[2]);
  if (!is_list && !strcmp(part, "launch") && kernel == (uint32_t)index_of_part) {
    blocks[axis] += (uint32_t)more_blocks;
    threads[axis] += (uint32_t)more_threads;
  }
  return launch(session, kernel, blocks, threads, shared_bytes, parameters);
}
