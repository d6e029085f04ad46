//! `by_hand.txt`: what code written by hand reached for kernels, to compare with.
//!
//! Invariant: every kernel in it is in `problems.txt`, and operations are counted in its sizes.

use super::problem::{self, Problem};
use crate::process::Failure;

/// What was reached by hand for a kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct ByHand {
    /// The name of the kernel.
    pub name: String,
    /// How many operations it is, where they are counted.
    operations: Vec<Product>,
    /// 10^9 operations per second; without operations, how many times faster than plain.
    pub speed: f64,
}

/// A product of sizes (their positions), times a number.
#[derive(Clone, Debug, PartialEq)]
struct Product {
    factor: f64,
    sizes: Vec<usize>,
}

impl ByHand {
    /// How many operations the kernel is at some sizes; `None` where they are not counted.
    pub fn operations(&self, sizes: &[i64]) -> Option<f64> {
        let product = |p: &Product| p.sizes.iter().fold(p.factor, |product, size| product * sizes[*size] as f64);
        (!self.operations.is_empty()).then(|| self.operations.iter().map(product).sum())
    }
}

/// All that is known. A file that cannot be read or understood is a failure that names the line.
pub fn by_hand(problems: &[Problem]) -> Result<Vec<ByHand>, Failure> {
    problem::read(&problem::folder().join("by_hand.txt"), |line| parse(line, problems))
}

fn parse(line: &str, problems: &[Problem]) -> Result<ByHand, String> {
    let parts: Vec<&str> = line.split('|').map(str::trim).collect();
    let [name, operations, speed] = parts[..] else {
        return Err("not three parts NAME | operations | speed".to_string());
    };
    let problem = problems.iter().find(|problem| problem.name == name);
    let problem = problem.ok_or_else(|| format!("`{name}` is not a kernel"))?;
    let products = operations.split('+').filter(|product| !product.trim().is_empty());
    let operations = products.map(|text| product(text, problem)).collect::<Result<_, _>>()?;
    let speed = speed.parse().map_err(|_| format!("the speed `{speed}` is not a number"))?;
    Ok(ByHand { name: name.to_string(), operations, speed })
}

fn product(text: &str, problem: &Problem) -> Result<Product, String> {
    let mut product = Product { factor: 1.0, sizes: Vec::new() };
    let mut divides = false;
    for word in text.split_whitespace() {
        if word == "/" {
            divides = true;
        } else if let Ok(number) = word.parse::<f64>() {
            product.factor *= if divides { 1.0 / number } else { number };
        } else {
            let size = problem.sizes.iter().position(|(size, _)| size == word);
            product
                .sizes
                .push(size.ok_or_else(|| format!("`{word}` is neither a number nor a size of {}", problem.name))?);
        }
    }
    Ok(product)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::problems;

    #[test]
    fn operations_are_counted_in_the_sizes_of_the_kernel() -> Result<(), Failure> {
        let problems = problems()?;
        let all = by_hand(&problems)?;
        let count = |name: &str, sizes: &[i64]| {
            let found = all.iter().find(|one| one.name == name).expect("the kernel is there");
            found.operations(sizes)
        };
        assert_eq!(count("gemm", &[10, 20, 30]), Some(12000.0));
        assert_eq!(count("mm3", &[2, 3, 5, 7, 11]), Some(60.0 + 462.0 + 84.0));
        assert_eq!(count("lu", &[30]), Some(18000.0));
        assert_eq!(count("atax", &[10, 20]), None);
        Ok(())
    }

    #[test]
    fn a_wrong_line_is_named() -> Result<(), Failure> {
        let problems = problems()?;
        let reason = |line| parse(line, &problems).expect_err("the line is wrong");
        assert_eq!(reason("gemm | 2 ni nx | 4"), "`nx` is neither a number nor a size of gemm");
        assert_eq!(reason("gem | 2 | 4"), "`gem` is not a kernel");
        assert_eq!(reason("gemm | 2 ni"), "not three parts NAME | operations | speed");
        assert_eq!(reason("gemm | 2 ni | fast"), "the speed `fast` is not a number");
        Ok(())
    }
}
