// Deriche's recursive smoothing filter: along the rows from both sides, then along the columns.
#include "mdspan.hpp"

#include <cmath>

void deriche(float alpha, mdspan<const float, 2> image, mdspan<float, 2> out, mdspan<float, 2> p, mdspan<float, 2> q) {
    const std::size_t w = image.extent(0);
    const std::size_t h = image.extent(1);
    float e = std::exp(-alpha);
    float k = (1.0f - e) * (1.0f - e) / (1.0f + 2.0f * alpha * e - e * e);
    float a1 = k;
    float a2 = k * e * (alpha - 1.0f);
    float a3 = k * e * (alpha + 1.0f);
    float a4 = -k * e * e;
    float b1 = 2.0f * e;
    float b2 = -e * e;

    for (std::size_t i = 0; i < w; i++) {
        float x1 = 0.0f;
        float y1 = 0.0f;
        float y2 = 0.0f;
        for (std::size_t j = 0; j < h; j++) {
            p(i, j) = a1 * image(i, j) + a2 * x1 + b1 * y1 + b2 * y2;
            x1 = image(i, j);
            y2 = y1;
            y1 = p(i, j);
        }
    }
    for (std::size_t i = 0; i < w; i++) {
        float x1 = 0.0f;
        float x2 = 0.0f;
        float y1 = 0.0f;
        float y2 = 0.0f;
        for (std::size_t j = h; j-- > 0;) {
            q(i, j) = a3 * x1 + a4 * x2 + b1 * y1 + b2 * y2;
            x2 = x1;
            x1 = image(i, j);
            y2 = y1;
            y1 = q(i, j);
        }
    }
    for (std::size_t i = 0; i < w; i++) {
        for (std::size_t j = 0; j < h; j++) {
            out(i, j) = p(i, j) + q(i, j);
        }
    }
    for (std::size_t j = 0; j < h; j++) {
        float x1 = 0.0f;
        float y1 = 0.0f;
        float y2 = 0.0f;
        for (std::size_t i = 0; i < w; i++) {
            p(i, j) = a1 * out(i, j) + a2 * x1 + b1 * y1 + b2 * y2;
            x1 = out(i, j);
            y2 = y1;
            y1 = p(i, j);
        }
    }
    for (std::size_t j = 0; j < h; j++) {
        float x1 = 0.0f;
        float x2 = 0.0f;
        float y1 = 0.0f;
        float y2 = 0.0f;
        for (std::size_t i = w; i-- > 0;) {
            q(i, j) = a3 * x1 + a4 * x2 + b1 * y1 + b2 * y2;
            x2 = x1;
            x1 = out(i, j);
            y2 = y1;
            y1 = q(i, j);
        }
    }
    for (std::size_t i = 0; i < w; i++) {
        for (std::size_t j = 0; j < h; j++) {
            out(i, j) = p(i, j) + q(i, j);
        }
    }
}
