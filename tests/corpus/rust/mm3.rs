//! G = (A B) (C D), with E = A B and F = C D kept.

#[inline(never)]
pub fn mm3(
    ni: usize,
    nj: usize,
    nk: usize,
    nl: usize,
    nm: usize,
    g: &mut [f64],
    e: &mut [f64],
    f: &mut [f64],
    a: &[f64],
    b: &[f64],
    c: &[f64],
    d: &[f64],
) {
    for i in 0..ni {
        for j in 0..nj {
            e[i * nj + j] = 0.0;
            for k in 0..nk {
                e[i * nj + j] += a[i * nk + k] * b[k * nj + j];
            }
        }
    }
    for j in 0..nj {
        for l in 0..nl {
            f[j * nl + l] = 0.0;
            for m in 0..nm {
                f[j * nl + l] += c[j * nm + m] * d[m * nl + l];
            }
        }
    }
    for i in 0..ni {
        for l in 0..nl {
            g[i * nl + l] = 0.0;
            for j in 0..nj {
                g[i * nl + l] += e[i * nj + j] * f[j * nl + l];
            }
        }
    }
}
