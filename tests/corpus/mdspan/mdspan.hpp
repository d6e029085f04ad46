// A view of a row-major array with any number of dimensions, like std::mdspan of C++23 in its default layout: a pointer and
// the extents, passed by value.
#ifndef MDSPAN_HPP
#define MDSPAN_HPP

#include <array>
#include <cstddef>
#include <span>

template <class T, std::size_t Rank>
class mdspan {
public:
    template <class... Extents>
        requires(sizeof...(Extents) == Rank)
    constexpr explicit mdspan(T *data, Extents... extents)
        : data_(data), extents_{static_cast<std::size_t>(extents)...} {}

    constexpr mdspan(T *data, const std::array<std::size_t, Rank> &extents) : data_(data), extents_(extents) {}

    constexpr std::size_t extent(std::size_t dimension) const { return extents_[dimension]; }

    // The element at these indices.
    template <class... Indices>
        requires(sizeof...(Indices) == Rank)
    constexpr T &operator()(Indices... indices) const {
        std::size_t offset = 0, dimension = 0;
        ((offset = offset * extents_[dimension++] + static_cast<std::size_t>(indices)), ...);
        return data_[offset];
    }

    // The part of the array with this first index: a row of a matrix, as a span.
    constexpr auto operator[](std::size_t index) const {
        if constexpr (Rank == 2) {
            return std::span<T>(data_ + index * extents_[1], extents_[1]);
        } else {
            std::array<std::size_t, Rank - 1> rest;
            std::size_t width = 1;
            for (std::size_t dimension = 1; dimension < Rank; dimension++) {
                rest[dimension - 1] = extents_[dimension];
                width *= extents_[dimension];
            }
            return mdspan<T, Rank - 1>(data_ + index * width, rest);
        }
    }

private:
    T *data_;
    std::array<std::size_t, Rank> extents_;
};

#endif
