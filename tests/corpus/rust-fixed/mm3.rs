//! G = (A B) (C D), with E = A B and F = C D kept.

#[inline(never)]
pub fn mm3<const NI: usize, const NJ: usize, const NK: usize, const NL: usize, const NM: usize>(
    g: &mut [[f64; NL]; NI],
    e: &mut [[f64; NJ]; NI],
    f: &mut [[f64; NL]; NJ],
    a: &[[f64; NK]; NI],
    b: &[[f64; NJ]; NK],
    c: &[[f64; NM]; NJ],
    d: &[[f64; NL]; NM],
) {
    for i in 0..NI {
        for j in 0..NJ {
            e[i][j] = 0.0;
            for k in 0..NK {
                e[i][j] += a[i][k] * b[k][j];
            }
        }
    }
    for j in 0..NJ {
        for l in 0..NL {
            f[j][l] = 0.0;
            for m in 0..NM {
                f[j][l] += c[j][m] * d[m][l];
            }
        }
    }
    for i in 0..NI {
        for l in 0..NL {
            g[i][l] = 0.0;
            for j in 0..NJ {
                g[i][l] += e[i][j] * f[j][l];
            }
        }
    }
}
