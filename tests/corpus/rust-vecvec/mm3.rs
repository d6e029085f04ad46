//! G = (A B) (C D), with E = A B and F = C D kept.

#[inline(never)]
pub fn mm3(
    ni: usize,
    nj: usize,
    nk: usize,
    nl: usize,
    nm: usize,
    g: &mut [Vec<f64>],
    e: &mut [Vec<f64>],
    f: &mut [Vec<f64>],
    a: &[Vec<f64>],
    b: &[Vec<f64>],
    c: &[Vec<f64>],
    d: &[Vec<f64>],
) {
    for i in 0..ni {
        for j in 0..nj {
            e[i][j] = 0.0;
            for k in 0..nk {
                e[i][j] += a[i][k] * b[k][j];
            }
        }
    }
    for j in 0..nj {
        for l in 0..nl {
            f[j][l] = 0.0;
            for m in 0..nm {
                f[j][l] += c[j][m] * d[m][l];
            }
        }
    }
    for i in 0..ni {
        for l in 0..nl {
            g[i][l] = 0.0;
            for j in 0..nj {
                g[i][l] += e[i][j] * f[j][l];
            }
        }
    }
}
