//! `problems.txt`: what every kernel takes, in the order of its parameters (sizes, scalars, arrays).
//!
//! Invariant: every extent of an array is a size of the same kernel.

use super::form::Form;
use crate::plugin::workspace;
use crate::process::Failure;
use std::path::{Path, PathBuf};

/// One kernel: its arguments.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// The name of the kernel: its file and its function.
    pub name: String,
    /// The sizes with the values that take 0.1 to 1 second.
    pub sizes: Vec<(String, i64)>,
    /// The scalars with their values as C writes them. They have the type of the elements of the first array.
    pub scalars: Vec<(String, String)>,
    /// The arrays.
    pub arrays: Vec<Array>,
    /// Where its files are.
    pub collection: Collection,
}

/// A set of kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Collection {
    /// Thirty numerical kernels, in all forms.
    Kernels,
    /// Small kernels as users write them, in one C file that [`Form::C99`] and [`Form::Constant`] share.
    User,
    /// Products of square matrices.
    Products,
}

impl Collection {
    /// The folder of its `problems.txt`.
    pub fn folder(self) -> PathBuf {
        match self {
            Collection::Kernels => folder(),
            Collection::User => folder().join("user"),
            Collection::Products => folder().join("products"),
        }
    }

    /// The forms in which its kernels are written.
    pub fn forms(self) -> &'static [Form] {
        match self {
            Collection::Kernels => &Form::ALL,
            Collection::User => &[Form::C99, Form::Constant],
            Collection::Products => &[Form::Flat, Form::C99, Form::Rust],
        }
    }
}

/// An array of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Array {
    /// Its name.
    pub name: String,
    /// Its extents: indices of sizes.
    pub extents: Vec<usize>,
    /// Whether the kernel only reads it.
    pub read_only: bool,
    /// The type of its elements.
    pub element: Element,
    /// What it holds first, as `driver.h` names it.
    pub values: String,
}

/// The type of the elements of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    /// `double`, `f64`.
    Double,
    /// `float`, `f32`.
    Float,
    /// `int`, `i32`.
    Int,
}

impl Element {
    /// The type in C and C++.
    pub fn c(self) -> &'static str {
        match self {
            Element::Double => "double",
            Element::Float => "float",
            Element::Int => "int",
        }
    }

    /// The type in Rust.
    pub fn rust(self) -> &'static str {
        match self {
            Element::Double => "f64",
            Element::Float => "f32",
            Element::Int => "i32",
        }
    }
}

impl Problem {
    /// The type of the scalars.
    pub fn scalar(&self) -> Element {
        self.arrays.first().map_or(Element::Double, |array| array.element)
    }

    /// The sizes that take 0.1 to 1 second.
    pub fn large(&self) -> Vec<i64> {
        self.sizes.iter().map(|(_, size)| *size).collect()
    }

    /// Every size equal to `size`.
    pub fn all(&self, size: i64) -> Vec<i64> {
        vec![size; self.sizes.len()]
    }
}

/// The folder of the kernels.
pub fn folder() -> PathBuf {
    workspace().join("tests/corpus")
}

/// All kernels in the order of the file. A file that cannot be read or understood is a failure that names the line.
pub fn problems() -> Result<Vec<Problem>, Failure> {
    problems_of(Collection::Kernels)
}

/// All kernels of a collection, in the order of its file.
pub fn problems_of(collection: Collection) -> Result<Vec<Problem>, Failure> {
    read(&collection.folder().join("problems.txt"), |line| problem(line, collection))
}

/// What the lines of a file say, but for empty ones and comments. A failure names the line.
pub(super) fn read<T>(path: &Path, one: impl Fn(&str) -> Result<T, String>) -> Result<Vec<T>, Failure> {
    let what = path.display().to_string();
    let text = std::fs::read_to_string(path).map_err(|error| Failure::new(&what, error.to_string()))?;
    parse(&text, one).map_err(|reason| Failure::new(&what, reason))
}

fn parse<T>(text: &str, one: impl Fn(&str) -> Result<T, String>) -> Result<Vec<T>, String> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    lines.map(|(number, line)| one(line).map_err(|reason| format!("line {}: {reason}", number + 1))).collect()
}

fn problem(line: &str, collection: Collection) -> Result<Problem, String> {
    let parts: Vec<&str> = line.split('|').map(str::trim).collect();
    let [name, sizes, scalars, arrays] = parts[..] else {
        return Err("not four parts NAME | sizes | scalars | arrays".to_string());
    };
    let pair = |word: &str| {
        let (name, value) = word.split_once('=').ok_or_else(|| format!("`{word}` is not NAME=VALUE"))?;
        Ok::<_, String>((name.to_string(), value.to_string()))
    };
    let sizes = sizes.split_whitespace().map(|word| {
        let (name, value) = pair(word)?;
        let value = value.parse().map_err(|_| format!("the size `{word}` is not a number"))?;
        Ok::<_, String>((name, value))
    });
    let sizes: Vec<(String, i64)> = sizes.collect::<Result<_, _>>()?;
    let scalars = scalars.split_whitespace().map(pair).collect::<Result<_, _>>()?;
    let arrays = arrays.split_whitespace().map(|word| array(word, &sizes)).collect::<Result<_, _>>()?;
    Ok(Problem { name: name.to_string(), sizes, scalars, arrays, collection })
}

fn array(word: &str, sizes: &[(String, i64)]) -> Result<Array, String> {
    let (read_only, rest) = match word.strip_prefix("in:") {
        Some(rest) => (true, rest),
        None => (false, word),
    };
    let (name, rest) = rest.split_once('[').ok_or_else(|| format!("`{word}` has no extents"))?;
    let (extents, kind) = rest.split_once(']').ok_or_else(|| format!("`{word}` has no `]`"))?;
    let extent = |name: &str| {
        let found = sizes.iter().position(|(size, _)| size == name);
        found.ok_or_else(|| format!("`{name}` in `{word}` is not a size"))
    };
    let extents = extents.split(',').map(extent).collect::<Result<_, _>>()?;
    let (element, values) = match kind.strip_prefix(':') {
        None => ("double", "unit"),
        Some(kind) => kind.split_once(',').unwrap_or((kind, "unit")),
    };
    let element = match element {
        "double" => Element::Double,
        "float" => Element::Float,
        "int" => Element::Int,
        other => return Err(format!("`{other}` in `{word}` is none of double, float, int")),
    };
    if !["unit", "small", "dominant", "lengths", "bases"].contains(&values) {
        return Err(format!("`{values}` in `{word}` names no values"));
    }
    Ok(Array { name: name.to_string(), extents, read_only, element, values: values.to_string() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_a_line_and_refuses_wrong_ones() {
        let problem =
            problem("f | n=3 m=4 | alpha=1.5 | a[n,m] in:b[m]:int,bases", Collection::Kernels).expect("a kernel");
        assert_eq!(problem.large(), [3, 4]);
        assert_eq!(problem.arrays[0].extents, [0, 1]);
        assert!(problem.arrays[1].read_only && problem.arrays[1].element == Element::Int);
        assert_eq!(problem.scalars, [("alpha".to_string(), "1.5".to_string())]);
        for wrong in ["f | n=3 | a[n]", "f | n | | a[n]", "f | n=3 | | a[m]", "f | n=3 | | a[n]:long", "f | n=3 | | a"]
        {
            assert!(super::problem(wrong, Collection::Kernels).is_err(), "{wrong}");
        }
    }
}
