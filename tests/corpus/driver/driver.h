// What the driver needs to know about a kernel. Glue that the tests and the bench write from `problems.txt` defines it.
#ifndef DRIVER_H
#define DRIVER_H

enum element { DOUBLE, FLOAT, INT };

// The values an array starts with.
enum values {
    UNIT,     // between 0 and 1
    SMALL,    // with a sum below 1/8
    DOMINANT, // a square matrix with a dominant diagonal
    LENGTHS,  // 1 to 999
    BASES,    // 0 to 3
};

struct array {
    const char *name;
    enum element element;
    enum values values;
};

struct problem {
    const char *name;
    int sizes;
    int arrays;
    const struct array *array;
};

extern const struct problem problem;

// The number of elements of an array, and of those in its last dimension.
long length_of(int array, const long *size);
long last_extent_of(int array, const long *size);

// The number of elements that a Rust kernel is given: less where an array is to be too short, so that the kernel panics.
long given_length_of(int array, const long *size);

// Runs the kernel once. What it works on may be elsewhere (vectors): the two others copy, and are not timed. `run` gives
// whether the kernel came to its end.
void prepare(const long *size, void *const *array);
int run(const long *size, void *const *array);
void finish(const long *size, void *const *array);

#endif
