//! Classes of sizes: what fits the first level of the caches, the second, the last, and none.

use super::Problem;

/// A class of sizes, named as in PolyBench.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// Matrices of about 20 to 40 rows.
    Mini,
    /// 60 to 120.
    Small,
    /// 200 to 400.
    Medium,
    /// 1000 to 2000.
    Large,
    /// About so many: between the classes.
    Rows(i64),
}

impl Class {
    /// All classes in order.
    pub const ALL: [Class; 4] = [Class::Mini, Class::Small, Class::Medium, Class::Large];

    /// The name on the command line.
    pub fn name(self) -> String {
        match self {
            Class::Mini => "mini".to_owned(),
            Class::Small => "small".to_owned(),
            Class::Medium => "medium".to_owned(),
            Class::Large => "large".to_owned(),
            Class::Rows(rows) => rows.to_string(),
        }
    }

    /// The class of that name, or of so many rows.
    pub fn named(name: &str) -> Option<Class> {
        let rows = name.parse().ok().filter(|rows| (1..=3000).contains(rows));
        Class::ALL.into_iter().find(|class| class.name() == name).or(rows.map(Class::Rows))
    }

    /// The sizes of a kernel in this class. Sizes of one kernel differ. What is at most 16 is a property of the kernel, not of its
    /// data. Steps of stencils are fewer, arrays of three dimensions shorter, and large matrices that are read once or twice
    /// (those whose sizes in `problems.txt` are thousands) are those of PolyBench's products with vectors.
    pub fn sizes(self, problem: &Problem) -> Vec<i64> {
        let is_wide = |size: i64| size > 16;
        let rank =
            |array: &super::problem::Array| array.extents.iter().filter(|&&e| is_wide(problem.sizes[e].1)).count();
        let rank = problem.arrays.iter().map(rank).max().unwrap_or(1);
        let at = |position: usize| i64::try_from(position).unwrap_or(0);
        let size = |(position, (name, stated)): (usize, &(String, i64))| match (name.as_str(), *stated) {
            (_, stated) if !is_wide(stated) => stated,
            ("steps", stated) => stated.min(match self {
                Class::Mini => 20,
                Class::Small | Class::Rows(_) => 40,
                Class::Medium => 100,
                Class::Large if rank == 1 => 500,
                Class::Large => 100,
            }),
            (_, stated) => match (self, rank) {
                (Class::Mini, 3..) => 10 + 2 * at(position),
                (Class::Small, 3..) => 24 + 4 * at(position),
                (Class::Medium, 3..) => 60 + 5 * at(position),
                (Class::Large, 3..) => 120 + 10 * at(position),
                (Class::Rows(rows), 3..) => rows / 3 + 2 * at(position),
                (Class::Rows(rows), _) => rows + 5 * at(position),
                (Class::Mini, _) => 20 + 5 * at(position),
                (Class::Small, _) => 60 + 10 * at(position),
                (Class::Medium, _) => 200 + 30 * at(position),
                (Class::Large, _) if stated >= 3000 => 1900 + 200 * at(position),
                (Class::Large, _) => 1000 + 100 * at(position),
            },
        };
        problem.sizes.iter().enumerate().map(size).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::{Collection, problems_of};

    #[test]
    fn classes_grow_and_sizes_that_belong_to_a_kernel_stay() {
        let kernels = problems_of(Collection::Kernels).expect("problems.txt is readable");
        let user = problems_of(Collection::User).expect("user/problems.txt is readable");
        let sizes = |name: &str, class: Class| {
            let problem = kernels.iter().chain(&user).find(|problem| problem.name == name).expect("a kernel");
            class.sizes(problem)
        };
        assert_eq!(sizes("gemm", Class::Mini), [20, 25, 30]);
        assert_eq!(sizes("atax", Class::Large), [1900, 2100]);
        assert_eq!(sizes("heat_3d", Class::Large), [60, 130]);
        assert_eq!(sizes("conv_plane", Class::Small), [60, 70, 5]);
        assert_eq!(sizes("gemm", Class::Rows(40)), [40, 45, 50]);
        assert_eq!(Class::named("40"), Some(Class::Rows(40)));
        assert_eq!(Class::named("0"), None);
        for problem in kernels.iter().chain(&user) {
            for pair in Class::ALL.windows(2) {
                let (small, large) = (pair[0].sizes(problem), pair[1].sizes(problem));
                assert!(small.iter().zip(&large).all(|(small, large)| small <= large), "{}", problem.name);
            }
        }
    }
}
