// Nests of many kinds for a device: types, sizes that no block divides, conditions, triangles, time steps, several arrays.
// Every line of the output is the name of a nest, a size, and a hash of all that it wrote and of what lies around it. Sizes may be given as
// arguments.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 70
#define EDGE 16
#define CUBE 37
#define ROWS 66
#define COLUMNS 131
#define TERMS 20
#define NEST __attribute__((noinline))

typedef struct {
  int32_t key;
  double value;
  float weight;
} Record;

static double A[MOST * MOST + 2 * EDGE], B[MOST * MOST + 2 * EDGE], C[MOST * MOST + 2 * EDGE];
static float V[CUBE * CUBE * CUBE], W[CUBE * CUBE * CUBE];
static double P[ROWS * COLUMNS], Q[ROWS * TERMS], S[TERMS * COLUMNS];
static float X[MOST * MOST], Y[MOST * MOST + 1], Z[MOST * MOST];
static int8_t I8[MOST * MOST];
static uint16_t I16[MOST * MOST];
static int32_t I32[MOST * MOST];
static int64_t I64[MOST * MOST];
static Record R[MOST * MOST];

NEST void product(long n, long m, long k, double *restrict c, const double *restrict a, const double *restrict b) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < m; j++) {
      c[i * m + j] *= 0.5;
      for (long l = 0; l < k; l++)
        c[i * m + j] += a[i * k + l] * b[l * m + j];
    }
}
NEST void sum(long n, const float *x, const float *y, float *z) {
  for (long i = 0; i < n; i++)
    z[i] = x[i] + 2.0f * y[i];
}
NEST void steps(long t, long n, double *restrict a, double *restrict b) {
  for (long s = 0; s < t; s++) {
    for (long i = 1; i < n - 1; i++)
      b[i] = (a[i - 1] + a[i] + a[i + 1]) / 3.0;
    for (long i = 1; i < n - 1; i++)
      a[i] = b[i];
  }
}
NEST void chosen(long n, const double *restrict a, double *restrict b) {
  for (long i = 0; i < n; i++)
    if (a[i] > 1.5)
      b[i] = a[i] * 2.0;
}
NEST void triangle(long n, double *restrict a, const double *restrict b) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j <= i; j++)
      a[i * n + j] += b[j * n + i] / (1.0 + (double)j);
}
NEST void transposed(long n, float *restrict x, const float *restrict y) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      x[i * n + j] = y[j * n + i] * 3.0f;
}
NEST void columns(long n, double *restrict a, const double *restrict b) {
  for (long j = 0; j < n; j++)
    for (long i = 0; i < n; i++)
      a[i * n + j] = sqrt(fabs(b[i * n + j])) - b[i * n + j];
}
NEST void integers(long n, int8_t *restrict a, uint16_t *restrict b, int32_t *restrict c, int64_t *restrict d) {
  for (long i = 0; i < n; i++) {
    a[i] = (int8_t)(a[i] * 7 + (int8_t)c[i]);
    b[i] = (uint16_t)(b[i] / 3 + (b[i] << 2));
    d[i] = (int64_t)((uint64_t)d[i] * (uint64_t)c[i] - (uint64_t)(d[i] >> 3) + (uint64_t)(c[i] > 0 ? d[i] % c[i] : 5));
    c[i] = c[i] < 0 ? ~c[i] : c[i] ^ b[i];
  }
}
NEST void mixed(long n, const int32_t *restrict a, const float *restrict x, double *restrict b) {
  for (long i = 0; i < n; i++)
    b[i] = (double)a[i] + (double)x[i] * 0.1 + (double)(float)(b[i] / 7.0);
}
NEST void records(long n, Record *restrict r) {
  for (long i = 0; i < n; i++) {
    r[i].value = r[i].value * r[i].key;
    r[i].weight = r[i].weight + 1.5f;
  }
}
NEST void strided(long n, double *restrict a) {
  for (long i = 0; i < n / 3; i++)
    a[3 * i + 1] = a[3 * i] - 1.0;
}
NEST void cube(long n, float *restrict x, const float *restrict y) {
  for (long i = 1; i < n - 1; i++)
    for (long j = 1; j < n - 1; j++)
      for (long k = 1; k < n - 1; k++)
        x[(i * n + j) * n + k] = (y[((i - 1) * n + j) * n + k] + y[(i * n + j + 1) * n + k] + y[(i * n + j) * n + k - 1]) * 0.3f;
}
NEST void rows(long n, long m, const double *restrict a, double *restrict b, double *restrict c) {
  for (long i = 0; i < n; i++) {
    b[i] = a[i * m];
    for (long j = 1; j < m; j++)
      c[i * m + j] = a[i * m + j] - a[i * m + j - 1];
  }
}
NEST void far(unsigned long n, unsigned long m, double *restrict a, const double *restrict b) {
  // The largest number that a device would have to know is 2^63.
  for (unsigned long i = 1; i <= 1844674407370955161u && i <= n; i++)
    for (unsigned long j = 0; j <= 5 * i + 3; j++)
      a[(5 * i + 2) * m + j] -= b[(5 * i + 2) * m + j];
}
NEST void inner_edge(long t, long n, double *a) {
  for (long s = 0; s < t; s++) {
    for (long i = 0; i < n; i++)
      a[i] = a[i] * 1.25 + (double)s;
    a[0] = a[n - 1];
  }
}
NEST void moved(long n, double *restrict a, const double *restrict b, double scale, int negate) {
  for (long i = 0; i < n; i++)
    a[i] = negate ? -(b[i] * scale) : b[i] * scale;
}

static uint64_t hash_of(const void *start, size_t bytes, uint64_t h) {
  const unsigned char *byte = start;
  for (size_t i = 0; i < bytes; i++)
    h = (h ^ byte[i]) * 1099511628211u;
  return h;
}
static void fill(void) {
  uint64_t state = 88172645463325252u;
  for (long i = 0; i < MOST * MOST + 2 * EDGE; i++) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    A[i] = (double)(int64_t)(state >> 40) / 4096.0 - 1000.0;
    B[i] = (double)(state % 1000) / 300.0;
    C[i] = (double)(i % 17) - 3.0;
    if (i < MOST * MOST) {
      X[i] = (float)A[i], Y[i] = (float)B[i], Z[i] = 1.0f;
      I8[i] = (int8_t)state, I16[i] = (uint16_t)(state >> 8), I32[i] = (int32_t)(state >> 16), I64[i] = (int64_t)state;
      R[i].key = (int32_t)(state % 7) - 3, R[i].value = A[i], R[i].weight = Y[i];
    }
  }
}
static void fill_cubes(void) {
  for (long i = 0; i < CUBE * CUBE * CUBE; i++)
    V[i] = (float)(i % 101), W[i] = (float)(i * 7 % 103) * 0.5f;
}
static void fill_factors(void) {
  for (long i = 0; i < ROWS * COLUMNS; i++)
    P[i] = (double)(i % 37) * 0.5 - 3.0;
  for (long i = 0; i < ROWS * TERMS; i++)
    Q[i] = (double)(i * 11 % 53) / 7.0;
  for (long i = 0; i < TERMS * COLUMNS; i++)
    S[i] = (double)(i * 5 % 61) / 3.0 - 9.0;
}
static void told(const char *name, long n) {
  uint64_t h = 14695981039346656037u;
  h = hash_of(A, sizeof A, h), h = hash_of(B, sizeof B, h), h = hash_of(C, sizeof C, h);
  h = hash_of(X, sizeof X, h), h = hash_of(Y, sizeof Y, h), h = hash_of(Z, sizeof Z, h);
  h = hash_of(I8, sizeof I8, h), h = hash_of(I16, sizeof I16, h), h = hash_of(I32, sizeof I32, h);
  h = hash_of(I64, sizeof I64, h);
  for (long i = 0; i < MOST * MOST; i++)
    h = hash_of(&R[i].key, 4, h), h = hash_of(&R[i].value, 8, h), h = hash_of(&R[i].weight, 4, h);
  printf("%s %ld %016llx\n", name, n, (unsigned long long)h);
}

int main(int argc, char **argv) {
  static const long sizes[] = {0, 1, 2, 3, 31, 32, 33, 70};
  int count = argc > 1 ? argc - 1 : (int)(sizeof sizes / sizeof *sizes);
  for (int s = 0; s < count; s++) {
    // Sums of one matrix have no terms.
    long n = argc > 1 ? atol(argv[s + 1]) : sizes[s], k = n % 3 == 0 ? 0 : n < 17 ? n : 17;
    if (n < 0 || n > MOST)
      return 1;
    double *a = A + EDGE, *b = B + EDGE, *c = C + EDGE;
    fill();
    product(n, n < 2 ? n : n - 1, k, c, a, b), told("product", n);
    sum(n * n, X, Y, Z), told("sum", n);
    sum(n * n, X, X, Z), told("sum of one array", n);
    sum(n * n, X, Y, Y), told("sum in place", n);
    sum(n * n, X, Y, n == 0 ? Y : Y + 1), told("sum one further on", n);
    steps(5, n * n, a, b), told("steps", n);
    chosen(n * n, a, b), told("chosen", n);
    triangle(n, a, b), told("triangle", n);
    transposed(n, X, Y), told("transposed", n);
    columns(n, c, a), told("columns", n);
    integers(n * n, I8, I16, I32, I64), told("integers", n);
    mixed(n * n, I32, X, b), told("mixed", n);
    records(n * n, R), told("records", n);
    strided(n * n, c), told("strided", n);
    cube(n < 17 ? n : 17, X, Z), told("cube", n);
    fill_cubes();
    cube(n < CUBE ? n : CUBE, V, W);
    printf("large cube %ld %016llx\n", n, (unsigned long long)hash_of(V, sizeof V, 1));
    if (n == MOST) {
      // More than a block of threads with tiles of registers.
      fill_factors();
      product(ROWS, COLUMNS, TERMS, P, Q, S);
      printf("wide product %016llx\n", (unsigned long long)hash_of(P, sizeof P, 1));
    }
    rows(n, n, a, b, c), told("rows", n);
    rows(n < 16 ? n : 16, 4 * n, c, b, a), told("long rows", n);
    far((unsigned long)n / 8, 56, c, a), told("far", n);
    inner_edge(4, n == 0 ? 1 : n * n, a), told("inner_edge", n);
    moved(n * n, a, b, 0.3, (int)(n & 1)), told("moved", n);
  }
  return 0;
}
