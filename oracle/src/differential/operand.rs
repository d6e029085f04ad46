//! An operand as a structure: what is printed for both libraries, and what can be left out when a disagreement is
//! reduced.

use std::fmt;

/// A text `[params] -> { part; part; ... }`, or a plain number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operand {
    /// A number, or a text without structure.
    Number(String),
    /// Anything in braces.
    Parts {
        /// The names of the parameters.
        params: Vec<String>,
        /// What is printed between the parameters and the braces: the tuple of a multi-union function.
        prefix: String,
        /// The disjuncts or pieces.
        parts: Vec<Part>,
    },
}

/// One disjunct or piece.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Tuples: `A[i, j] -> [k]`, or with expressions in the last one.
    pub head: String,
    /// Names of quantified variables.
    pub exists: Vec<String>,
    /// Constraints, all of which hold.
    pub constraints: Vec<String>,
    /// Further constraints that keep pieces disjoint and that no reduction leaves out.
    pub fixed: Vec<String>,
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.head)?;
        if self.constraints.is_empty() && self.fixed.is_empty() {
            return if self.head.is_empty() { f.write_str(":") } else { Ok(()) };
        }
        let constraints: Vec<&str> = self.fixed.iter().chain(&self.constraints).map(String::as_str).collect();
        let formula = constraints.join(" and ");
        match self.exists.is_empty() {
            true => write!(f, " : {formula}"),
            false => write!(f, " : exists ({} : {formula})", self.exists.join(", ")),
        }
    }
}

impl fmt::Display for Operand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Operand::Number(text) => f.write_str(text),
            Operand::Parts { params, prefix, parts } => {
                if !params.is_empty() {
                    write!(f, "[{}] -> ", params.join(", "))?;
                }
                f.write_str(prefix)?;
                let parts: Vec<String> = parts.iter().map(Part::to_string).collect();
                write!(f, "{{ {} }}", parts.join("; "))
            }
        }
    }
}

impl Operand {
    /// Smaller operands: without a part, without a constraint.
    pub fn reductions(&self) -> Vec<Operand> {
        let mut result = Vec::new();
        match self {
            Operand::Number(text) => {
                result.extend((text.len() > 1 && text.parse::<i128>().is_ok()).then(|| Operand::Number("1".into())))
            }
            Operand::Parts { params, prefix, parts } => {
                let with = |parts| Operand::Parts { params: params.clone(), prefix: prefix.clone(), parts };
                for k in 0..parts.len() {
                    if parts.len() > 1 {
                        let mut fewer = parts.clone();
                        fewer.remove(k);
                        result.push(with(fewer));
                    }
                    for c in 0..parts[k].constraints.len() {
                        let mut fewer = parts.clone();
                        fewer[k].constraints.remove(c);
                        result.push(with(fewer));
                    }
                    if parts[k].exists.len() > 1 {
                        for e in 0..parts[k].exists.len() {
                            let mut fewer = parts.clone();
                            fewer[k].exists.remove(e);
                            result.push(with(fewer));
                        }
                    }
                }
                for p in 0..params.len() {
                    let mut fewer = params.clone();
                    fewer.remove(p);
                    result.push(Operand::Parts { params: fewer, prefix: prefix.clone(), parts: parts.clone() });
                }
            }
        }
        result
    }
}
