// The negative of an image whose size and start are in memory that its pixels might be in.
#include "../c99/sizes.h"

struct image {
    int height, width;
    int *pixels;
};

static __attribute__((noinline)) void negative(struct image *image) {
    for (int y = 0; y < image->height; y++)
        for (int x = 0; x < image->width; x++)
            image->pixels[y * image->width + x] = 255 - image->pixels[y * image->width + x];
}

void image_negative(SIZES(long h, long w) int a[h][w]) {
    struct image image = {(int)h, (int)w, &a[0][0]};
    negative(&image);
}
