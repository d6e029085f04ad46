// C++ vectors, and vectors of vectors, made of a flat array before the kernel runs and copied back to it afterwards.
#ifndef ROWS_HPP
#define ROWS_HPP

#include <algorithm>
#include <cstdlib>
#include <new>
#include <vector>

// Memory of vectors begins 16 bytes behind a multiple of 64, as that of `malloc` may. Two builds that are compared have vectors of their own: where one had
// them at cache lines and the other beside, it was up to a fifth faster with the same code.
static constexpr std::size_t beside = 16;

__attribute__((weak)) void *operator new(std::size_t bytes) {
    void *memory = std::aligned_alloc(64, (bytes + beside + 63) / 64 * 64);
    if (!memory) {
        throw std::bad_alloc();
    }
    return static_cast<char *>(memory) + beside;
}

__attribute__((weak)) void operator delete(void *memory) noexcept {
    if (memory) {
        std::free(static_cast<char *>(memory) - beside);
    }
}

__attribute__((weak)) void operator delete(void *memory, std::size_t) noexcept { operator delete(memory); }

// Makes `vector`, with these extents, of the elements from `from` on; gives the place behind the last.
template <class T> const T *fill(std::vector<T> &vector, const T *from, long extent) {
    vector.assign(from, from + extent);
    return from + extent;
}

template <class Row, class T, class... Extents>
const T *fill(std::vector<Row> &rows, const T *from, long extent, long inner, Extents... innermost) {
    rows.resize(extent);
    for (Row &row : rows) {
        from = fill(row, from, inner, innermost...);
    }
    return from;
}

// Copies the elements of `vector` to `to`; gives the place behind the last.
template <class T> T *drain(const std::vector<T> &vector, T *to) {
    return std::copy(vector.begin(), vector.end(), to);
}

template <class Row, class T> T *drain(const std::vector<std::vector<Row>> &rows, T *to) {
    for (const std::vector<Row> &row : rows) {
        to = drain(row, to);
    }
    return to;
}

#endif
