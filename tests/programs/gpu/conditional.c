// Arrays of which conditions on data leave a part, or all, untouched: they may be null, or end in front of a page that nobody may read.
// A device, which gets arrays as a whole, must not read what the loops do not. Nor does errno change, as loops do not set it.
#define _GNU_SOURCE
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define N 3000
#define NEST __attribute__((noinline))

NEST void masked(long n, const int *restrict mask, const double *restrict x, double *restrict y) {
  for (long i = 0; i < n; i++)
    if (mask[i] > 0)
      y[i] = x[i] * 2.0;
}
NEST void either(long n, const int *restrict mask, const double *restrict x, const double *restrict y, double *restrict z) {
  for (long i = 0; i < n; i++)
    if (mask[i] > 0)
      z[i] = x[i] * 2.0;
    else
      z[i] = y[i] + 1.0;
}
NEST void added(long n, const int *restrict mask, const double *restrict x, double *restrict y) {
  for (long i = 0; i < n; i++) {
    if (mask[i] > 0)
      y[i] += x[n - 1 - i];
    y[i] += x[0];
  }
}

static int mask[N];
static double other[N];

// So many doubles, with pages on both sides that nobody may touch, right in front of the second one.
static double *in_front_of_the_end(size_t count) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = (count * sizeof(double) + page - 1) / page * page;
  char *start = mmap(NULL, bytes + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (start == MAP_FAILED || mprotect(start + page, bytes, PROT_READ | PROT_WRITE))
    exit(1);
  double *first = (double *)(start + page + bytes) - count;
  for (size_t i = 0; i < count; i++)
    first[i] = (double)(i % 91) * 0.25;
  return first;
}
static void told(const char *what, const double *values, long count) {
  uint64_t hash = 14695981039346656037u;
  for (long i = 0; i < count; i++) {
    uint64_t bits;
    memcpy(&bits, &values[i], sizeof bits);
    hash = (hash ^ bits) * 1099511628211u;
  }
  printf("%s %016llx %d\n", what, (unsigned long long)hash, errno);
}

int main(void) {
  double *x = in_front_of_the_end(N), *y = in_front_of_the_end(N), *half = in_front_of_the_end(N / 2);
  errno = 33;
  for (int set = 0; set <= 2; set++) {
    for (long i = 0; i < N; i++)
      mask[i] = set == 2 || (set == 1 && i < N / 2), other[i] = (double)i;
    if (set == 0) {
      masked(N, mask, NULL, NULL), told("nothing of both", other, N);
      either(N, mask, NULL, x, y), told("only the second", y, N);
      masked(N, mask, half, y), told("nothing of a half", y, N);
    }
    if (set == 1) {
      masked(N, mask, half, y), told("half of one", y, N);
      masked(N, mask, x, half), told("half of the result", half, N / 2);
      either(N, mask, half, x, y), told("half of the first", y, N);
      added(N, mask, x, other), told("a half", other, N);
    }
    if (set == 2) {
      masked(N, mask, x, y), told("all", y, N);
      either(N, mask, x, NULL, y), told("only the first", y, N);
      either(N, mask, x, other, y), told("the first", y, N);
      added(N, mask, x, other), told("all of it", other, N);
    }
  }
  return 0;
}
