//! Ranges in all forms: inclusive, backwards, with a step, of narrow and signed integers. An inclusive range must not count past
//! the largest number of its type.

use check::attempt;

#[path = "check.rs"]
mod check;

// transformed: yes
#[unsafe(no_mangle)]
#[inline(never)]
pub fn k_up_to(n: usize, a: &[f64], c: &mut [f64]) {
    for j in 0..n {
        for i in 0..=j {
            c[i * n + j] += 0.5 * a[i * n + j];
        }
    }
}

// transformed: yes
#[unsafe(no_mangle)]
#[inline(never)]
pub fn k_outer_up_to(last: usize, n: usize, a: &[f64], c: &mut [f64]) {
    for j in 0..=last {
        for i in 0..n {
            c[i * n + j] = 0.5 * c[i * n + j] + a[i * n + j];
        }
    }
}

// transformed: any
#[unsafe(no_mangle)]
#[inline(never)]
pub fn k_triangle(n: usize, a: &[f64], c: &mut [f64]) {
    for i in 0..n {
        for j in 0..=i {
            for k in 0..n {
                c[i * n + j] += a[i * n + k] * a[j * n + k];
            }
        }
    }
}

// transformed: yes
#[unsafe(no_mangle)]
#[inline(never)]
pub fn k_downwards(n: usize, a: &[f64], c: &mut [f64]) {
    for j in (0..n).rev() {
        for i in (0..n).rev() {
            c[i * n + j] = 0.5 * c[i * n + j] + a[i * n + j];
        }
    }
}

// transformed: yes
#[unsafe(no_mangle)]
#[inline(never)]
pub fn k_down_from(last: usize, n: usize, a: &[f64], c: &mut [f64]) {
    for j in (0..=last).rev() {
        for i in (1..=last).rev() {
            c[i * n + j] = 0.5 * c[i * n + j] + a[i * n + j];
        }
    }
}

// transformed: any
#[unsafe(no_mangle)]
#[inline(never)]
pub fn k_down_to_one(n: usize, a: &[f64], c: &mut [f64]) {
    for j in 0..n {
        for i in (1..=j).rev() {
            c[i * n + j] = 0.5 * c[i * n + j] + a[i * n + j];
        }
    }
}

// transformed: yes
#[unsafe(no_mangle)]
#[inline(never)]
pub fn k_steps(n: usize, a: &[f64], c: &mut [f64]) {
    for j in (0..n).step_by(2) {
        for i in (1..n).step_by(3) {
            c[i * n + j] = 0.5 * c[i * n + j] + a[i * n + j];
        }
    }
}

// transformed: any
#[unsafe(no_mangle)]
#[inline(never)]
pub fn k_steps_up_to(n: usize, a: &[f64], c: &mut [f64]) {
    for j in (0..=n).step_by(2) {
        for i in (0..=j).step_by(3) {
            c[i * n + j] = 0.5 * c[i * n + j] + a[i * n + j];
        }
    }
}

// transformed: any
#[unsafe(no_mangle)]
#[inline(never)]
pub fn k_any_step(n: usize, step: usize, a: &[f64], c: &mut [f64]) {
    for j in 0..n {
        for i in (0..n).step_by(step) {
            c[i * n + j] = 0.5 * c[i * n + j] + a[i * n + j];
        }
    }
}

// transformed: yes
#[unsafe(no_mangle)]
#[inline(never)]
pub fn k_signed(low: i32, high: i32, n: i32, a: &[f64], c: &mut [f64]) {
    for j in low..=high {
        for i in low..=j {
            c[(i * n + j) as usize] += a[(i * n + j) as usize];
        }
    }
}

// transformed: yes
#[unsafe(no_mangle)]
#[inline(never)]
pub fn k_all_bytes(a: &[[f64; 256]; 256], c: &mut [[f64; 256]; 256]) {
    for j in 0..=255u8 {
        for i in 0..=255u8 {
            c[i as usize][j as usize] = 0.5 * c[i as usize][j as usize] + a[i as usize][j as usize];
        }
    }
}

// transformed: any
#[unsafe(no_mangle)]
#[inline(never)]
pub fn k_bytes_up_to(last: u8, n: usize, a: &[f64], c: &mut [f64]) {
    for j in 0..=last {
        for i in 0..=last {
            c[i as usize * n + j as usize] += a[i as usize * n + j as usize];
        }
    }
}

// transformed: any
#[unsafe(no_mangle)]
#[inline(never)]
pub fn k_last(n: usize, a: &[f64], c: &mut [f64]) -> usize {
    let mut last = 0;
    for j in 0..n {
        for i in 0..=j {
            c[i * n + j] += a[i * n + j];
            last += i;
        }
    }
    last
}

fn main() {
    std::panic::set_hook(Box::new(|info| println!("{info}")));
    for n in check::SIZES {
        let a = check::numbers(n * n, 4);
        for cut in [0, 1, n, n * n] {
            let short = n * n - cut.min(n * n);
            attempt("k_up_to", n, short, |c| k_up_to(n, &a, c));
            attempt("k_triangle", n, short, |c| k_triangle(n, &a, c));
            attempt("k_downwards", n, short, |c| k_downwards(n, &a, c));
            attempt("k_down_to_one", n, n * n, |c| k_down_to_one(n, &a[..short], c));
            attempt("k_steps", n, n * n, |c| k_steps(n, &a[..short], c));
            attempt("k_steps_up_to", n, n * n, |c| k_steps_up_to(n, &a[..short], c));
            attempt("k_last", n, n * n, |c| println!("{}", k_last(n, &a[..short], c)));
            for step in [1, 2, 5, n + 1] {
                attempt("k_any_step", n, n * n, |c| k_any_step(n, step, &a[..short], c));
            }
            for last in [0, n / 2, n.saturating_sub(1), n] {
                attempt("k_outer_up_to", n, short, |c| k_outer_up_to(last, n, &a, c));
                attempt("k_down_from", n, short, |c| k_down_from(last, n, &a, c));
                attempt("k_bytes_up_to", n, short, |c| k_bytes_up_to(last as u8, n, &a, c));
                for low in [0, last, n, 2 * n] {
                    attempt("k_signed", n, short, |c| k_signed(low as i32, last as i32, n as i32, &a, c));
                }
            }
        }
    }
    let numbers = check::numbers(256 * 256, 9);
    let a: &[[f64; 256]; 256] = numbers.as_chunks::<256>().0.try_into().unwrap();
    attempt("k_all_bytes", 256, 256 * 256, |c| k_all_bytes(a, c.as_chunks_mut::<256>().0.try_into().unwrap()));
    attempt("k_bytes_up_to", 256, 256 * 256, |c| k_bytes_up_to(255, 256, &numbers, c));
    // Ranges that end with the last number of their type, wrap around, or step by zero.
    attempt("k_outer_up_to", 0, 10, |c| k_outer_up_to(usize::MAX, 10, &numbers, c));
    attempt("k_outer_up_to", 0, 10, |c| k_outer_up_to(usize::MAX, usize::MAX, &numbers, c));
    attempt("k_down_from", 0, 10, |c| k_down_from(usize::MAX, 10, &numbers, c));
    attempt("k_steps_up_to", 0, 10, |c| k_steps_up_to(usize::MAX, &numbers, c));
    attempt("k_any_step", 0, 10, |c| k_any_step(3, 0, &numbers, c));
    attempt("k_any_step", 0, 10, |c| k_any_step(0, 0, &numbers, c));
    attempt("k_signed", 0, 10, |c| k_signed(i32::MIN, i32::MAX, 3, &numbers, c));
    attempt("k_signed", 0, 10, |c| k_signed(i32::MAX - 2, i32::MAX, 3, &numbers, c));
}
