/* Values that one iteration hands to the next in a register although they lie in memory: the compiler's own loads and stores that it has
 * saved, and variables of the program. New code loads them again, if they still are where they were. */
#include "check.h"

/* The compiler keeps a[i][j - 1] and a[i][j]. Without them the scheduler finds [i + t, j + i + 2 t]. */
// transformed: yes
KERNEL void k_nine_points(long times, long n, double *a) {
    for (long t = 0; t < times; t++)
        for (long i = 1; i < n - 1; i++)
            for (long j = 1; j < n - 1; j++)
                a[i * n + j] = (a[(i - 1) * n + j - 1] + a[(i - 1) * n + j] + a[(i - 1) * n + j + 1] + a[i * n + j - 1] + a[i * n + j] +
                                a[i * n + j + 1] + a[(i + 1) * n + j - 1] + a[(i + 1) * n + j] + a[(i + 1) * n + j + 1]) / 9.0;
}

/* In one dimension. */
// transformed: any
KERNEL void k_three_points(long times, long n, double *a) {
    for (long t = 0; t < times; t++)
        for (long i = 1; i < n - 1; i++)
            a[i] = (a[i - 1] + a[i] + a[i + 1]) / 3.0;
}

/* Two values, of which one takes the other's place. */
// transformed: any
KERNEL void k_two_back(long times, long n, float *a) {
    for (long t = 0; t < times; t++)
        for (long i = 2; i < n; i++)
            a[i] = 0.5f * a[i - 1] + 0.25f * a[i - 2] + 0.125f * a[i];
}

/* The same as variables, also behind the loop. */
// transformed: any
KERNEL double k_used_behind(long times, long n, double *a) {
    double sum = 0.0;
    for (long t = 0; t < times; t++) {
        double left = a[0];
        for (long i = 1; i < n; i++) {
            left = 0.5 * left + 0.25 * a[i];
            a[i] = left;
        }
        sum += left;
    }
    return sum;
}

/* What is handed on has been overwritten: the old value of the left neighbour. */
// transformed: any
KERNEL void k_old_value(long times, long n, double *a) {
    for (long t = 0; t < times; t++) {
        double old = a[0];
        for (long i = 1; i < n; i++) {
            double here = a[i];
            a[i] = 0.5 * (old + here);
            old = here;
        }
    }
}

/* It is overwritten in the next iteration, before it is used. */
// transformed: any
KERNEL void k_overwritten(long times, long n, double *a, double *restrict b) {
    for (long t = 0; t < times; t++) {
        double last = a[0];
        for (long i = 1; i < n; i++) {
            a[i - 1] = b[i];
            b[i] = last + (double)t;
            last = a[i];
        }
    }
}

/* ... or by a later element of another row, where the rows meet. */
// transformed: any
KERNEL void k_overwritten_far(long times, long n, long d, double *a) {
    for (long t = 0; t < times; t++) {
        double last = a[n];
        for (long i = 1; i < n; i++) {
            a[d * i] = 0.5 * a[d * i] + 1.0;
            a[2 * n + i] = last;
            last = a[n + i];
        }
    }
}

/* The first value comes from elsewhere: another array, another element, no memory at all. */
// transformed: any
KERNEL void k_first_of_another(long times, long n, double *a, const double *restrict b) {
    for (long t = 0; t < times; t++) {
        double left = b[0];
        for (long i = 1; i < n; i++)
            left = a[i] = 0.5 * (left + a[i]);
    }
}
// transformed: any
KERNEL void k_first_farther(long times, long n, double *a) {
    for (long t = 0; t < times; t++) {
        double left = a[2];
        for (long i = 1; i < n; i++)
            left = a[i] = 0.5 * (left + a[i]);
    }
}
// transformed: any
KERNEL void k_first_constant(long times, long n, double *a) {
    for (long t = 0; t < times; t++) {
        double left = 1.0;
        for (long i = 1; i < n; i++)
            left = a[i] = 0.5 * (left + a[i]);
    }
}

/* It is not handed on in every iteration. */
// transformed: any
KERNEL void k_sometimes(long times, long n, double *a) {
    for (long t = 0; t < times; t++) {
        double left = a[0];
        for (long i = 1; i < n; i++) {
            a[i] = 0.5 * (left + a[i]);
            if (i % 3 != 1)
                left = a[i];
        }
    }
}

/* Through an inner loop: the value of the row above, read in every column. */
// transformed: any
KERNEL void k_through_inner(long times, long n, long m, int *a) {
    for (long t = 0; t < times; t++) {
        int above = a[0];
        for (long i = 1; i < n; i++) {
            for (long j = 1; j < m; j++)
                a[i * m + j] = 3 * a[i * m + j] + above + (int)t;
            above = a[i * m];
        }
    }
}

/* Narrower in memory than as it is handed on. */
// transformed: any
KERNEL void k_widened(long times, long n, unsigned char *a) {
    for (long t = 0; t < times; t++) {
        int left = a[0];
        for (long i = 1; i < n; i++) {
            a[i] = (unsigned char)(left + a[i] + 3 * (int)t);
            left = a[i];
        }
    }
}

/* Downwards, every other element. */
// transformed: any
KERNEL void k_downwards(long times, long n, double *a) {
    for (long t = 0; t < times; t++) {
        double right = a[2 * n];
        for (long i = n - 1; i >= 0; i--) {
            right = 0.5 * right + 0.25 * a[2 * i] + a[2 * i + 1];
            a[2 * i] = right;
        }
    }
}

/* Values that are used behind the nest and are complete in the last iteration of a loop. */
// transformed: any
KERNEL long k_counted(long n, long *restrict a, const long *restrict b) {
    long count = 1;
    for (long i = n - 2; i >= 2; i--) {
        long sum = b[i], first = 1;
        for (long j = i - 1; j >= 2; j--) {
            if (!first)
                sum += b[(i + 1) * n + j];
            first = 0;
        }
        count += first ? 3 : 2;
        a[i * n + i] = sum;
    }
    return count;
}
// transformed: any
KERNEL double k_sum_of_steps(long times, long n, double *a) {
    double sum = 0.0;
    for (long t = 0; t < times; t++) {
        for (long i = 1; i < n - 1; i++)
            a[i] = (a[i - 1] + a[i] + a[i + 1]) / 3.0;
        sum += a[t];
    }
    return sum;
}
// transformed: any
KERNEL double k_last_step(long times, long n, double *a) {
    double last = 0.0;
    for (long t = 0; t < times; t++) {
        last = a[t] * 2.0;
        for (long i = 1; i < n - 1; i++)
            a[i] = (a[i - 1] + a[i] + a[i + 1]) / 3.0;
    }
    return last;
}

/* Sizes of 32 bits: that the inner loops run less than 2^31 times is no reason to make one loop of two, 2^31 i + j. */
// transformed: any
KERNEL void k_many_times(int n, int m, double *a) {
    for (int i = 2; i < m; i++)
        for (int j = 1; j < n; j++)
            for (int k = j - 3; k >= 1; k--)
                a[2 * i] += a[2 * (i - 2)];
}

MAIN {
    FOR_SIZES(n) {
        RUN(f64, k_nine_points, n, 5, n, A);
        RUN(f64, k_nine_points, -n, n, 12, A);
        RUN(f64, k_three_points, n, n, 100, A);
        RUN(f64, k_three_points, -n, 20, n, A);
        RUN(f32, k_two_back, n, 20, n, A);
        RUN_VALUE(f64, k_used_behind, n, 20, n, A);
        RUN(f64, k_old_value, n, 20, n, A);
        RUN(f64, k_overwritten, n, 20, n, A, B);
        RUN(f64, k_overwritten_far, n, 20, n, 1, A);
        RUN(f64, k_overwritten_far, -n, 20, n, 2, A);
        RUN(f64, k_first_of_another, n, 20, n, A, B);
        RUN(f64, k_first_farther, n, 20, n, A);
        RUN(f64, k_first_constant, n, 20, n, A);
        RUN(f64, k_sometimes, n, 20, n, A);
        RUN(bits, k_through_inner, n, 20, n, 30, A);
        RUN(bits, k_widened, n, 20, n, A);
        RUN(f64, k_downwards, n, 20, n, A);
        RUN_VALUE(bits, k_counted, n, n, A, B);
        RUN(f64, k_many_times, n, (int)n, 20, A);
        RUN_VALUE(f64, k_sum_of_steps, n, 20, n, A);
        RUN_VALUE(f64, k_last_step, n, 20, n, A);
    }
    return 0;
}
