//! Matrix products in Rust: arrays of arrays, slices with and without checks, iterators, raw pointers.

#[path = "check.rs"]
mod check;

const N: usize = 48;
type Matrix = [[f64; N]; N];

// transformed: any
#[unsafe(no_mangle)]
#[inline(never)]
pub fn k_array(c: &mut Matrix, a: &Matrix, b: &Matrix) {
    for i in 0..N {
        for j in 0..N {
            for k in 0..N {
                c[i][j] += a[i][k] * b[k][j];
            }
        }
    }
}

// transformed: yes
#[unsafe(no_mangle)]
#[inline(never)]
pub fn k_array_part(n: usize, c: &mut [[f64; 128]; 128], a: &[[f64; 128]; 128], b: &[[f64; 128]; 128]) {
    assert!(n <= 128);
    for i in 0..n {
        for j in 0..n {
            for k in 0..n {
                c[i][j] += a[i][k] * b[k][j];
            }
        }
    }
}

// transformed: yes
#[unsafe(no_mangle)]
#[inline(never)]
pub fn k_unchecked(n: usize, a: &[f64], b: &[f64], c: &mut [f64]) {
    assert!(a.len() == n * n && b.len() == n * n && c.len() == n * n);
    for i in 0..n {
        for j in 0..n {
            for k in 0..n {
                // SAFETY: i, j, k < n, and each slice has n * n elements.
                unsafe { *c.get_unchecked_mut(i * n + j) += a.get_unchecked(i * n + k) * b.get_unchecked(k * n + j) };
            }
        }
    }
}

// transformed: yes
#[unsafe(no_mangle)]
#[inline(never)]
pub fn k_checked(n: usize, a: &[f64], b: &[f64], c: &mut [f64]) {
    for i in 0..n {
        for j in 0..n {
            for k in 0..n {
                c[i * n + j] += a[i * n + k] * b[k * n + j];
            }
        }
    }
}

// transformed: any
#[unsafe(no_mangle)]
#[inline(never)]
pub fn k_iterators(n: usize, a: &[f64], b: &[f64], c: &mut [f64]) {
    if n == 0 {
        return;
    }
    for (a_row, c_row) in a.chunks_exact(n).zip(c.chunks_exact_mut(n)) {
        for (j, c) in c_row.iter_mut().enumerate() {
            *c = a_row.iter().zip(b[j..].iter().step_by(n)).map(|(x, y)| x * y).sum();
        }
    }
}

// transformed: any
#[unsafe(no_mangle)]
#[inline(never)]
/// # Safety
/// Each pointer is valid for n * n elements.
pub unsafe fn k_raw(n: usize, a: *const f64, b: *const f64, c: *mut f64) {
    for i in 0..n {
        for j in 0..n {
            let mut sum = 0.0;
            for k in 0..n {
                // SAFETY: the caller's promise.
                unsafe { sum += *a.add(i * n + k) * *b.add(k * n + j) };
            }
            // SAFETY: the caller's promise.
            unsafe { *c.add(i * n + j) = sum };
        }
    }
}

fn main() {
    let (a, b, mut c) = (check::numbers(N * N, 1), check::numbers(N * N, 2), check::numbers(N * N, 3));
    let rows = |x: &[f64]| -> Matrix { std::array::from_fn(|i| std::array::from_fn(|j| x[i * N + j])) };
    let mut product = rows(&c);
    k_array(&mut product, &rows(&a), &rows(&b));
    check::report("k_array", N, product.as_flattened());
    c.clear();
    for n in check::SIZES {
        let (a, b) = (check::numbers(n * n, 4), check::numbers(n * n, 5));
        let mut c = check::numbers(n * n, 6);
        k_unchecked(n, &a, &b, &mut c);
        check::report("k_unchecked", n, &c);
        k_checked(n, &a, &b, &mut c);
        check::report("k_checked", n, &c);
        k_iterators(n, &a, &b, &mut c);
        check::report("k_iterators", n, &c);
        // SAFETY: each vector has n * n elements.
        unsafe { k_raw(n, a.as_ptr(), b.as_ptr(), c.as_mut_ptr()) };
        check::report("k_raw", n, &c);
        // SAFETY: all reads and writes of the overlapping ranges go through raw pointers into one vector.
        unsafe {
            let mut all = check::numbers(3 * n * n, 7);
            let start = all.as_mut_ptr();
            k_raw(n, start, start.add(n * n / 2), start.add(n * n));
            check::report("k_raw overlapping", n, &all);
        }
        let large = |seed| -> Box<[[f64; 128]; 128]> {
            let x = check::numbers(128 * 128, seed);
            Box::new(std::array::from_fn(|i| std::array::from_fn(|j| x[i * 128 + j])))
        };
        let (a, b, mut c) = (large(8), large(9), large(10));
        k_array_part(n, &mut c, &a, &b);
        check::report("k_array_part", n, c.as_flattened());
    }
    // A slice that is too short: the loop must panic after the same partial result.
    let (a, b, mut c) = (check::numbers(100, 1), check::numbers(57, 2), check::numbers(100, 3));
    std::panic::set_hook(Box::new(|_| {}));
    let panics = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| k_checked(10, &a, &b, &mut c))).is_err();
    check::report(if panics { "k_checked panics" } else { "k_checked" }, 10, &c);
}
