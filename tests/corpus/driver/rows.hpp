// C++ vectors, and vectors of vectors, made of a flat array before the kernel runs and copied back to it afterwards.
#ifndef ROWS_HPP
#define ROWS_HPP

#include <algorithm>
#include <cstdlib>
#include <new>
#include <vector>

// Two builds that are compared have vectors of their own. Where one had them at cache lines and the other beside, or at another distance in
// a page, it was up to a fifth faster with the same code (a load waits for a store to the same place of another page). So
// each takes them in turn from memory of its own that begins at a huge page, 16 bytes behind a cache line, as `malloc` may
// give them. Nothing is given back: vectors live as long as the program.
#if !__has_feature(address_sanitizer) && !__has_feature(memory_sanitizer)
static constexpr std::size_t line = 64, beside = 16, huge_page = std::size_t(1) << 21, reserve = std::size_t(1) << 30;
static char *unused;
static std::size_t left;

__attribute__((weak)) void *operator new(std::size_t bytes) {
    std::size_t lines = (bytes + beside + line - 1) / line * line;
    if (lines > left) {
        left = (std::max(lines, reserve) + huge_page - 1) / huge_page * huge_page;
        unused = static_cast<char *>(std::aligned_alloc(huge_page, left));
        if (!unused) {
            left = 0;
            throw std::bad_alloc();
        }
    }
    char *memory = unused + beside;
    unused += lines;
    left -= lines;
    return memory;
}

__attribute__((weak)) void operator delete(void *) noexcept {}

__attribute__((weak)) void operator delete(void *, std::size_t) noexcept {}
#endif

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
