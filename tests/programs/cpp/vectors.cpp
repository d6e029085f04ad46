// std::vector: its data pointer and its size are loaded inside the nest, because a store might change them. The guard loads
// them once and checks that no store does.
#include "../c/check.h"
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

using vector = std::vector<double>;
using words = std::vector<unsigned long>;

// transformed: yes
KERNEL void k_product(int n, vector &c, const vector &a, const vector &b) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            c[i * n + j] *= 0.5;
            for (int k = 0; k < n; k++)
                c[i * n + j] += a[i * n + k] * b[k * n + j];
        }
}

// The sums are integers, so that types do not tell the stores from the headers.
// transformed: yes
KERNEL void k_integers(long n, words &c, const words &a, const words &b) {
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++)
            for (long k = 0; k < n; k++)
                c[i * n + j] += a[i * n + k] * b[k * n + j];
}

// Every access is checked and may throw.
// transformed: yes
KERNEL void k_checked(long n, vector &c, const vector &a, const vector &b) {
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++)
            for (long k = 0; k < n; k++)
                c.at(i * n + j) += a.at(i * n + k) * b.at(k * n + j);
}

// transformed: yes
KERNEL void k_checked_integers(long n, words &c, const words &a) {
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++)
            for (long k = 0; k < n; k++)
                c.at(i * n + j) += a.at(k * n + j);
}

// The bound is the size, read again for every iteration.
// transformed: yes
KERNEL void k_size(vector &c, const vector &a, const vector &b) {
    for (size_t j = 0; j < b.size(); j++)
        for (size_t i = 0; i < a.size(); i++)
            c[i * b.size() + j] += a[i] * b[j];
}

struct Vectors {
    words c, a, b;
    long n;
};

// Everything is in one object, sizes included: each is read again in every iteration.
// transformed: yes
KERNEL void k_members(Vectors &all) {
    for (long i = 0; i < all.n; i++)
        for (long j = 0; j < all.n; j++)
            for (long k = 0; k < all.n; k++)
                all.c[i * all.n + j] += all.a[i * all.n + k] * all.b[k * all.n + j];
}

// The header of `a` may be among the elements of `c`: see below.
// transformed: yes
KERNEL void k_header(long n, std::vector<unsigned long *> &c, words &a, words &b) {
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++) {
            c[j * n + i] = a.data() + i;
            b[j * n + i] += a[i] + j;
        }
}

template <typename T> FRAME void show(const char *kernel, long size, const std::vector<T> &values) {
    uint64_t hash = 14695981039346656037u;
    for (const T &value : values) {
        uint64_t word;
        memcpy(&word, &value, 8);
        hash = (hash ^ word) * 1099511628211u;
        hash ^= hash >> 29;
    }
    printf("%s %ld %016llx\n", kernel, size, (unsigned long long)hash);
}

FRAME vector doubles(long count) {
    vector values;
    for (long i = 0; i < count; i++)
        values.push_back((double)(int64_t)(next_bits() >> 11) / (double)(1ll << 52) - 1.0);
    return values;
}
FRAME words integers(long count) {
    words values;
    for (long i = 0; i < count; i++)
        values.push_back(next_bits() >> 40);
    return values;
}

// `short_by` elements are missing in one of the vectors.
FRAME void checked(long n, long short_by) {
    vector c = doubles(n * n), a = doubles(n * n), b = doubles(n * n - short_by);
    try {
        k_checked(n, c, a, b);
        printf("no exception\n");
    } catch (const std::out_of_range &error) {
        printf("%s\n", error.what());
    }
    show("k_checked", n, c);
    words d = integers(n * n - short_by), e = integers(n * n);
    try {
        k_checked_integers(n, d, e);
        printf("no exception\n");
    } catch (const std::out_of_range &error) {
        printf("%s\n", error.what());
    }
    show("k_checked_integers", n, d);
}

// An exception that nobody catches ends a child with the same signal.
FRAME void uncaught(long n) {
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        fclose(stderr);
        vector c = doubles(n * n), a = doubles(n * n), b = doubles(n * n - 3);
        k_checked(n, c, a, b);
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    printf("uncaught: exit %d signal %d\n", WEXITSTATUS(status), WIFSIGNALED(status) ? WTERMSIG(status) : 0);
}

// The header of `a` lies among the elements of `c`: what is stored there moves the data of `a`.
FRAME void moved_header(long n) {
    words a = integers(2 * n + 2), b = integers(n * n);
    std::vector<unsigned long *> away(n * n + 3);
    k_header(n, away, a, b);
    unsigned long sum = 0;
    for (long i = 0; i < n * n; i++)
        sum = sum * 3 + (away[i] - a.data());
    printf("away %lu\n", sum);
    show("k_header", n, b);

    const long place = n * n / 2;
    auto *header = (words *)&away[place];
    memcpy((void *)header, (void *)&a, sizeof a);
    k_header(n, away, *header, b);
    for (long i = 0; i < n * n; i++)
        sum = sum * 3 + (away[i] - a.data());
    printf("moved %lu\n", sum);
    show("k_header", n, b);
}

MAIN {
    FOR_SIZES(n) {
        state_ = n;
        vector c = doubles(n * n), a = doubles(n * n), b = doubles(n * n);
        k_product(n, c, a, b);
        show("k_product", n, c);
        // The result is one of the factors.
        k_product(n, c, a, c);
        show("k_product", n, c);
        vector e = doubles(n), f = doubles(n + 3), g = doubles(n * (n + 3));
        k_size(g, e, f);
        show("k_size", n, g);
        words i = integers(n * n), j = integers(n * n), k = integers(n * n);
        k_integers(n, i, j, k);
        show("k_integers", n, i);
        k_integers(n, i, i, k);
        show("k_integers", n, i);
        Vectors all{i, j, k, n};
        k_members(all);
        show("k_members", n, all.c);
        checked(n, 0);
        if (n > 2) {
            checked(n, 1);
            checked(n, n);
        }
        if (n > 0)
            moved_header(n);
    }
    uncaught(64);
    return 0;
}
