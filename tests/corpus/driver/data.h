// The values that arrays start with.
#ifndef DATA_H
#define DATA_H

#include "driver.h"

#include <stddef.h>
#include <stdint.h>

// The bits of the element `at` of the array `of`: a hash (splitmix64) of both numbers.
static uint64_t bits_of(int of, long at) {
    uint64_t z = ((uint64_t)of << 40) + (uint64_t)at + 1;
    z *= 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static double value_of(enum values values, uint64_t bits, long length) {
    double unit = (double)(bits >> 11) * 0x1p-53;
    switch (values) {
    case UNIT: return unit;
    case SMALL: return unit / (8.0 * (double)length);
    case DOMINANT: return unit; // and the diagonal, see `fill`
    case LENGTHS: return (double)(1 + bits % 999);
    case BASES: return (double)(bits % 4);
    }
    return unit;
}

static size_t width_of(const struct array *of) {
    return of->element == DOUBLE ? 8 : 4;
}

// Fills the array with number `of`; `row` is its last extent.
static void fill(const struct array *what, int of, void *array, long length, long row) {
    enum values values = what->values;
    switch (what->element) {
    case DOUBLE:
        for (long at = 0; at < length; at++) {
            ((double *)array)[at] = value_of(values, bits_of(of, at), length);
        }
        for (long at = 0; values == DOMINANT && at < length; at += row + 1) {
            ((double *)array)[at] += (double)row;
        }
        break;
    case FLOAT:
        for (long at = 0; at < length; at++) {
            ((float *)array)[at] = (float)value_of(values, bits_of(of, at), length);
        }
        break;
    case INT:
        for (long at = 0; at < length; at++) {
            ((int *)array)[at] = (int)value_of(values, bits_of(of, at), length);
        }
        break;
    }
}

#endif
