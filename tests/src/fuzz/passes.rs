//! Random sequences of LLVM's own passes before and after Tessera's: whatever form a nest has when it meets the pass, and whatever is
//! done to the new code.

use super::random::Random;

/// Passes over functions and loops that leave the results of a program alone. (Two of LLVM 22 are not among them. `loop-bound-split` crashes on
/// some loops, also where `opt` alone reads them from a file. `loop-vectorize` gives a wrong pointer to what follows a loop where it makes one
/// vector of the stores of each iteration, which it hardly meets in its place in `default<O2>` and `default<O3>`.)
const FUNCTION: [&str; 61] = [
    "sroa",
    "mem2reg",
    "instcombine<no-verify-fixpoint>",
    "instsimplify",
    "simplifycfg",
    "simplifycfg<switch-to-lookup;hoist-common-insts;sink-common-insts;no-keep-loops>",
    "early-cse",
    "early-cse<memssa>",
    "gvn",
    "newgvn",
    "sccp",
    "bdce",
    "adce",
    "dse",
    "reassociate",
    "jump-threading",
    "correlated-propagation",
    "tailcallelim",
    "loop-simplify",
    "lcssa",
    "loop(loop-rotate)",
    "loop-mssa(loop-rotate,licm)",
    "loop-mssa(licm)",
    "loop-mssa(lnicm)",
    "loop(indvars)",
    "loop(loop-idiom)",
    "loop(loop-deletion)",
    "loop(loop-unroll-full)",
    "loop(loop-instsimplify)",
    "loop-mssa(loop-simplifycfg)",
    "loop(loop-predication)",
    "loop(loop-reduce)",
    "loop(canon-freeze)",
    "loop-mssa(simple-loop-unswitch)",
    "loop-mssa(simple-loop-unswitch<nontrivial>)",
    "loop-unroll",
    "loop-unroll<peeling;runtime>",
    "loop-distribute",
    "loop-load-elim",
    "loop-versioning",
    "loop-sink",
    "slp-vectorizer",
    "vector-combine",
    "scalarizer",
    "float2int",
    "memcpyopt",
    "mldst-motion",
    "constraint-elimination",
    "aggressive-instcombine",
    "div-rem-pairs",
    "nary-reassociate",
    "slsr",
    "separate-const-offset-from-gep",
    "sink",
    "consthoist",
    "break-crit-edges",
    "lower-switch",
    "mergereturn",
    "reg2mem",
    "fix-irreducible",
    "speculative-execution",
];

/// Sequences over whole modules.
const MODULE: [&str; 6] =
    ["default<O1>", "default<O2>", "default<O3>", "default<Os>", "thinlto-pre-link<O2>", "globalopt"];

/// What makes a nest of what clang writes, which few random sequences do.
const CLEAN: &str = "function(sroa,early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>,loop-mssa(loop-rotate,licm),simplifycfg,instcombine<no-verify-fixpoint>,loop(indvars))";

/// A pipeline for `opt`, for a build with the plugin and for the same without.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pipeline {
    before: String,
    after: String,
}

impl Pipeline {
    /// The pipeline of a number.
    pub(super) fn of(number: u64) -> Pipeline {
        let mut random = Random::new(number ^ 0x7061_7373);
        let mut before = Vec::new();
        if random.chance(75) {
            before.push(CLEAN.to_string());
        } else {
            before.push("function(sroa)".to_string());
        }
        sequence(&mut random, 10, &mut before);
        let mut after = Vec::new();
        sequence(&mut random, 8, &mut after);
        Pipeline { before: before.join(","), after: after.join(",") }
    }

    /// The value of `-passes`.
    pub(super) fn text(&self, with_tessera: bool) -> String {
        let tessera = if with_tessera { ",function(tessera)" } else { "" };
        let after = if self.after.is_empty() { String::new() } else { format!(",{}", self.after) };
        format!("{}{tessera},verify{after},verify", self.before)
    }
}

fn sequence(random: &mut Random, most: i64, into: &mut Vec<String>) {
    if random.chance(15) {
        into.push((*random.pick(&MODULE)).to_string());
    }
    let passes: Vec<&str> = (0..random.between(0, most)).map(|_| *random.pick(&FUNCTION)).collect();
    if !passes.is_empty() {
        into.push(format!("function({})", passes.join(",")));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pipelines_differ_by_the_pass_alone() {
        for number in 0..50 {
            let pipeline = Pipeline::of(number);
            let (with, without) = (pipeline.text(true), pipeline.text(false));
            assert_eq!(with.replace(",function(tessera)", ""), without);
            assert_eq!(pipeline, Pipeline::of(number));
        }
    }
}
