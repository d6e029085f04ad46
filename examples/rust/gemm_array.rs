//! C += A * B on arrays of arrays: sizes known to the compiler, references that cannot alias.

#[path = "example.rs"]
mod example;

const N: usize = 1300;
type Matrix = [[f64; N]; N];

#[inline(never)]
fn gemm(c: &mut Matrix, a: &Matrix, b: &Matrix) {
    for i in 0..N {
        for j in 0..N {
            for k in 0..N {
                c[i][j] += a[i][k] * b[k][j];
            }
        }
    }
}

fn matrix(seed: u64) -> Box<Matrix> {
    let mut rows = vec![[0.0; N]; N].into_boxed_slice();
    example::fill(rows.as_flattened_mut(), seed);
    rows.try_into().expect("the slice has N rows")
}

fn main() {
    let (a, b, mut c) = (matrix(1), matrix(2), matrix(3));
    let start = std::time::Instant::now();
    gemm(&mut c, &a, &b);
    example::finish(c.as_flattened(), start);
}
