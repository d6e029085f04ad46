// The best value of things that all take three units of room.
#include "../c99/sizes.h"

void knapsack(SIZES(long items, long room) int best[items][room], const int value[items]) {
    for (long i = 1; i < items; i++)
        for (long r = 3; r < room; r++) {
            int with = best[i - 1][r - 3] + value[i];
            best[i][r] = with > best[i - 1][r] ? with : best[i - 1][r];
        }
}
