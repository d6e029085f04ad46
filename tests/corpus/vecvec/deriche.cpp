// Deriche's recursive smoothing filter: along the rows from both sides, then along the columns.
#include <cmath>
#include <vector>

void deriche(int w, int h, float alpha, const std::vector<std::vector<float>> &image,
             std::vector<std::vector<float>> &out, std::vector<std::vector<float>> &p,
             std::vector<std::vector<float>> &q) {
    float e = std::exp(-alpha);
    float k = (1.0f - e) * (1.0f - e) / (1.0f + 2.0f * alpha * e - e * e);
    float a1 = k;
    float a2 = k * e * (alpha - 1.0f);
    float a3 = k * e * (alpha + 1.0f);
    float a4 = -k * e * e;
    float b1 = 2.0f * e;
    float b2 = -e * e;

    for (int i = 0; i < w; i++) {
        float x1 = 0.0f;
        float y1 = 0.0f;
        float y2 = 0.0f;
        for (int j = 0; j < h; j++) {
            p[i][j] = a1 * image[i][j] + a2 * x1 + b1 * y1 + b2 * y2;
            x1 = image[i][j];
            y2 = y1;
            y1 = p[i][j];
        }
    }
    for (int i = 0; i < w; i++) {
        float x1 = 0.0f;
        float x2 = 0.0f;
        float y1 = 0.0f;
        float y2 = 0.0f;
        for (int j = h - 1; j >= 0; j--) {
            q[i][j] = a3 * x1 + a4 * x2 + b1 * y1 + b2 * y2;
            x2 = x1;
            x1 = image[i][j];
            y2 = y1;
            y1 = q[i][j];
        }
    }
    for (int i = 0; i < w; i++) {
        for (int j = 0; j < h; j++) {
            out[i][j] = p[i][j] + q[i][j];
        }
    }
    for (int j = 0; j < h; j++) {
        float x1 = 0.0f;
        float y1 = 0.0f;
        float y2 = 0.0f;
        for (int i = 0; i < w; i++) {
            p[i][j] = a1 * out[i][j] + a2 * x1 + b1 * y1 + b2 * y2;
            x1 = out[i][j];
            y2 = y1;
            y1 = p[i][j];
        }
    }
    for (int j = 0; j < h; j++) {
        float x1 = 0.0f;
        float x2 = 0.0f;
        float y1 = 0.0f;
        float y2 = 0.0f;
        for (int i = w - 1; i >= 0; i--) {
            q[i][j] = a3 * x1 + a4 * x2 + b1 * y1 + b2 * y2;
            x2 = x1;
            x1 = out[i][j];
            y2 = y1;
            y1 = q[i][j];
        }
    }
    for (int i = 0; i < w; i++) {
        for (int j = 0; j < h; j++) {
            out[i][j] = p[i][j] + q[i][j];
        }
    }
}
