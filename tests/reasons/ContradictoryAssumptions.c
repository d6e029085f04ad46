void ContradictoryAssumptions(double A[][2000]) {
    for (long i = 0; i < 1000; i++)
        for (long j = 0; j < 1000; j++) {
            if (i + j == 1500) return;
            A[j][i] = 0.0;
        }
}
