//! Strategies as text: which steps are tried, in which order, with which numbers.
//!
//! ```text
//! permute(worthwhile = 60, gather = 32, fetch = 64, again = 16, row = 2048)
//! tile(sizes = [512, l1 / 512, 128])
//! when registers >= 32 { register_tile(factors = [2, 4]) } else { register_tile(factors = [2]) }
//! descend()
//! ```
//!
//! A step that a text does not have is never taken, and a number that it leaves out is that of the [built-in strategy](BUILTIN). Every step is
//! there at most once. The order of the lines is the order in which the steps are tried; only `copies`, `tile` and `register_tile` have no
//! place of their own: copies are made before anything else, and tiles are those of a nest that `permute` has taken.
//!
//! Wherever a number stands a formula may stand, with facts about the machine (see [`formula`]), and a guard says which steps are there on
//! which machine (see [`grammar`]). Of steps behind `either` and behind each `or` those are taken, for each SCoP, that lead to the least
//! [estimate](crate::cost) (see [`choose`](super::choose)):
//!
//! ```text
//! either { permute() tile(sizes = [512, 64]) } or { permute() tile(sizes = [32]) register_tile() } or { }
//! ```
//!
//! A text is read once, as a [`Source`]; [`Source::on`] makes the [`Strategy`] for one machine of it, which
//! has numbers only. So the text above has `sizes = [512, 64, 128]` where the first cache holds 32 KiB.
//!
//! What follows a line `nest "NAME"` is a [script](crate::transform::Script) for the SCoP of that name, which takes the place of the search
//! there; without any steps it stays as it is. So the log of a nest can be saved, changed and used again:
//!
//! ```text
//! nest "product, line 12"
//! combine(S0@0)
//! interchange(S0@0, order = [1, 0])
//! ```
//!
//! A text with scripts alone leaves all other nests to the built-in strategy.

mod formula;
mod grammar;
mod steps;

pub use steps::{Strategy, Tactic};

use std::fmt;
use std::sync::Arc;

use crate::error::Result;
use crate::target::Target;

use grammar::{Part, Scripts};

/// The text of the built-in strategy, with the reasons for its numbers.
pub const BUILTIN: &str = include_str!("../builtin.strategy");

/// A strategy as it is written: with formulas and guards, for all machines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    text: String,
    parts: Vec<Part>,
    scripts: Scripts,
    /// What it is on every machine, if it asks for no facts: compilers ask for every function.
    everywhere: Option<Arc<Strategy>>,
}

impl Source {
    /// The built-in strategy.
    pub fn builtin() -> Source {
        // A test reads it; were it wrong, nothing would be tried.
        Source::parse(BUILTIN).unwrap_or(Source {
            text: String::new(),
            parts: Vec::new(),
            scripts: Vec::new(),
            everywhere: None,
        })
    }

    /// Reads a strategy. Errors say line, column and what was expected; what a machine has to be known for is an error of [`Source::on`].
    pub fn parse(text: &str) -> Result<Source> {
        let source = Source::read(text)?;
        let asks = source.parts.iter().any(Part::asks);
        let everywhere = if asks { None } else { Some(Arc::new(source.evaluated(None)?)) };
        Ok(Source { everywhere, ..source })
    }

    fn read(text: &str) -> Result<Source> {
        let (parts, scripts) = grammar::read(text)?;
        Ok(Source { text: text.to_owned(), parts, scripts, everywhere: None })
    }

    /// Whether it asks for facts, so that it may be another strategy on another machine.
    pub fn asks(&self) -> bool {
        self.everywhere.is_none()
    }

    /// The strategy for a machine; without one no fact is known. Errors say line, column and what was expected: a default of an unknown fact,
    /// a number that the step allows. Parts that are not there on this machine are not looked at. Costs nothing where the text
    /// [asks](Source::asks) nothing.
    pub fn on(&self, target: Option<&Target>) -> Result<Arc<Strategy>> {
        match &self.everywhere {
            Some(strategy) => Ok(strategy.clone()),
            None => self.evaluated(target).map(Arc::new),
        }
    }

    fn evaluated(&self, target: Option<&Target>) -> Result<Strategy> {
        let builtin = Strategy::builtin();
        // Steps for single nests leave all others to the built-in strategy.
        let is_about_nests = self.parts.is_empty() && !self.scripts.is_empty();
        let base = if is_about_nests { builtin } else { builtin.without_steps() };
        self.over(base, target)
    }

    /// A strategy with the steps, numbers and scripts of the text on top.
    fn over(&self, base: Strategy, target: Option<&Target>) -> Result<Strategy> {
        let strategy = base.with(&self.parts, target).map_err(|problem| problem.in_text(&self.text))?;
        Ok(strategy.with_scripts(self.scripts.clone()))
    }
}

/// The text that it was read from, with its comments.
impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.text.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::steps::TACTICS;
    use super::*;
    use crate::transform::Script;

    #[test]
    fn the_built_in_strategy_is_read_and_printed() {
        let builtin = Strategy::parse(BUILTIN).unwrap();
        assert_eq!(builtin, Strategy::builtin());
        for (name, tactic, _) in TACTICS {
            assert!(builtin.has(tactic), "{name}");
        }
        assert_eq!(builtin.to_string().parse::<Strategy>().unwrap(), builtin);
        let fewer: Strategy = "descend() jam(long = 5)".parse().unwrap();
        assert_eq!(fewer.steps(), [Tactic::Descend, Tactic::Jam]);
        assert_eq!((fewer.long, &fewer.factors), (5, &builtin.factors));
        assert_eq!("# nothing".parse::<Strategy>().unwrap().steps(), []);
        let text = "descend()\nnest \"f, line 3\"\ncombine(S0@0)\ntile(S0@0, sizes = [4])\nnest \"g, loop 1\"\n";
        let own: Strategy = text.parse().unwrap();
        assert_eq!(own.to_string(), text);
        assert_eq!(own.script("f, line 3").map(|script| script.steps.len()), Some(2));
        assert_eq!((own.script("g, loop 1"), own.script("f")), (Some(&Script::default()), None));
        let only = "nest \"f\" combine(S0@0)".parse::<Strategy>().unwrap();
        assert_eq!(only.steps(), builtin.steps());
    }

    #[test]
    fn mistakes_have_a_place() {
        for (text, expected) in [
            ("permute()\nskew(S@0)", "line 2, column 1: expected a step of a strategy: copies, permute"),
            ("tile(S@0)", "line 1, column 6: expected tile without sites"),
            ("descend()\n  descend()", "line 2, column 3: expected descend only once, found `descend()`"),
            ("tile(size = 3)", "line 1, column 6: expected an argument of tile: sizes, across"),
            ("tile(lines = 3, lines = 4)", "line 1, column 17: expected an argument that does not yet occur"),
            ("tile(sizes = [])", "line 1, column 6: expected sizes = a list of numbers from 1 to"),
            ("tile(sizes = [32, -1])", "expected sizes = a list of numbers from 1 to"),
            ("tile(lines = 3, across = big)", "line 1, column 17: expected across = a number from 1 to"),
            ("tile(across = big + 1)", "line 1, column 15: expected a number, min(...), max(...) or a fact: l1"),
            ("tile(across = 3 - 3 )", "instead of 0, found `across = 3 - 3`"),
            ("tile(across = l3)", "line 1, column 15: expected a fact that is known on this machine, or a default: l3"),
            ("copies(shapes = [[1, 2, 3]])", "expected shapes = pairs of numbers"),
            ("time_tile(sizes = [[1]])", "expected sizes = lists of at least two numbers"),
            ("jam(factors = [8])", "expected as many operations and chains as factors"),
            ("distribute(parts = [1])", "expected distribute without arguments"),
            ("schedule(fusion = [all])", "expected fusion = a list of none, smart, max"),
            ("tile(", "found the end of the text"),
            ("nest f", "expected the name of a nest between quotes, found `f`"),
            ("nest \"f\" nest \"f\"", "line 1, column 10: expected a nest that does not yet occur, instead of f"),
            ("when l1 { tile() }", "line 1, column 6: expected a condition such as"),
            ("when l1 > 3 tile()", "line 1, column 13: expected `{`, found `t`"),
            ("when l1 > 3 { tile()", "expected `}`, found the end of the text"),
            ("when 1 > 3 { nest \"f\" }", "expected `}` before steps for single nests"),
            ("when 1 > 3 { tile() } tile()", "line 1, column 23: expected tile only once"),
            ("tile() when 1 > 3 { } else { tile() }", "line 1, column 30: expected tile only once"),
            ("when line > 3 { tile() }", "line 1, column 6: expected a fact that is known"),
            ("else { }", "expected a step of a strategy: "),
            ("either { tile() }", "expected or { ... }: another choice, found the end of the text"),
            ("either tile() or descend()", "line 1, column 8: expected `{`, found `t`"),
            ("either { tile() } or { } tile()", "line 1, column 26: expected tile only once"),
            ("either { tile() } or { tile() }", "line 1, column 1: expected a machine whose estimates choose"),
            ("either { nest \"f\" } or { }", "expected `}` before steps for single nests"),
            ("or { }", "expected a step of a strategy: "),
            ("}", "expected the name of a step"),
        ] {
            let found = Strategy::parse(text).err().unwrap_or_else(|| panic!("{text} was read")).to_string();
            assert!(found.contains(expected), "{text}: {found}");
        }
        let deep = "when 1 < 2 {".repeat(10_000);
        assert!(Strategy::parse(&deep).unwrap_err().to_string().contains("fewer guards inside each other"));
        let deep = "when 1 < 2 { } else ".repeat(10_000);
        assert!(Strategy::parse(&deep).unwrap_err().to_string().contains("fewer guards inside each other"));
        let deep = "either {".repeat(10_000);
        assert!(Strategy::parse(&deep).unwrap_err().to_string().contains("fewer guards inside each other"));
        let many = "either { tile() } or { } either { jam() } or { } either { permute() } or { } \
                    either { copies() } or { } descend()";
        let found = on(many, "avx2").unwrap_err().to_string();
        assert!(found.contains("line 1, column 78: expected choices that lead to at most 8 strategies"), "{found}");
    }

    #[test]
    fn choices_are_strategies_of_their_own() {
        use Tactic::{Descend, Distribute, Permute, Tile};
        let text = "permute()
            either { tile(lines = 7) } or { when registers >= 32 { tile(lines = 9) } distribute() } or { }
            either { descend() } or { }
            nest \"f\"
            combine(S0@0)";
        let strategy = on(text, "avx512").unwrap();
        let found: Vec<(Vec<Tactic>, u64)> =
            strategy.choices().map(|choice| (choice.steps().to_vec(), choice.lines)).collect();
        let lines = Strategy::builtin().lines;
        let expected = [
            (vec![Permute, Tile, Descend], 7),
            (vec![Permute, Tile], 7),
            (vec![Permute, Tile, Distribute, Descend], 9),
            (vec![Permute, Tile, Distribute], 9),
            (vec![Permute, Descend], lines),
            (vec![Permute], lines),
        ];
        assert_eq!(found, expected);
        assert!(strategy.has_choices() && strategy.choices().all(|choice| !choice.has_choices()));
        assert!(strategy.script("f").is_some());
        assert_eq!(*on(&strategy.to_string(), "avx512").unwrap(), *strategy);
        let found = on(text, "avx2").unwrap().choices().nth(2).map(|choice| choice.steps().to_vec());
        assert_eq!(found, Some(vec![Permute, Distribute, Descend]));
        assert!(!Source::builtin().asks() && !Strategy::builtin().has_choices());
    }

    fn on(text: &str, target: &str) -> Result<Arc<Strategy>> {
        Source::parse(text)?.on(Some(&Target::builtin(target).unwrap()?))
    }

    #[test]
    fn numbers_are_those_of_the_machine() {
        let text = "# by the first cache\ntile(sizes = [512, l1 / 512], across = min(64, vector))\n\
                    copies(shapes = [[8, l1 / 128]]) # half of it\nschedule(fusion = [max], margin = (l3 or 50) / l3)";
        let source = Source::parse(text).unwrap();
        assert!(source.asks());
        assert_eq!(source.to_string(), text);
        assert_eq!(Source::parse(&source.to_string()).unwrap(), source);
        for (target, tiles, across, shapes) in [
            ("avx2", [512, 64], 32, [[8, 256]]),
            ("avx512", [512, 64], 64, [[8, 256]]),
            ("neon", [512, 128], 16, [[8, 512]]),
        ] {
            let strategy = on(text, target).unwrap();
            let found = (&strategy.tiles[..], strategy.across, &strategy.shapes[..], strategy.margin);
            assert_eq!(found, (&tiles[..], across, &shapes[..], 1), "{target}");
            // What is printed has numbers only, and is the same strategy everywhere.
            assert_eq!(Strategy::parse(&strategy.to_string()).unwrap(), *strategy);
        }
        let found = source.on(None).unwrap_err().to_string();
        assert!(found.starts_with("line 2, column 20: expected a fact that is known on this machine"), "{found}");
        let found = on("tile(sizes = [512,\n l1 / 65536])", "avx2").unwrap_err().to_string();
        assert!(
            found.contains(
                "line 1, column 6: expected sizes = a list of numbers from 1 to 1048576, instead of [512, 0]"
            ),
            "{found}"
        );
        assert!(!Source::builtin().asks());
        for target in Target::builtins() {
            assert_eq!(*on(BUILTIN, target).unwrap(), Strategy::builtin(), "{target}");
        }
    }

    #[test]
    fn guards_choose_steps_by_the_machine() {
        let text = "copies()
            when registers >= 32 and vector > 16 { tile(lines = 7); permute() }
            else when masks == 1 or l1 > 40000 { permute(row = 5) when l1 < l2 { distribute() } }
            else { tile(lines = 9) }
            descend()
            nest \"f\"
            combine(S0@0)";
        let source = Source::parse(text).unwrap();
        use Tactic::{Copies, Descend, Distribute, Permute, Tile};
        for (target, steps, lines) in [
            ("avx512", &[Copies, Tile, Permute, Descend][..], 7),
            ("neon", &[Copies, Permute, Distribute, Descend], Strategy::builtin().lines),
            ("avx2", &[Copies, Tile, Descend], 9),
        ] {
            let strategy = on(text, target).unwrap();
            assert_eq!((strategy.steps(), strategy.lines), (steps, lines), "{target}");
            assert!(strategy.script("f").is_some());
            assert_eq!(Strategy::parse(&strategy.to_string()).unwrap(), *strategy);
        }
        assert!(source.on(None).is_err());
        // What is not there is not looked at, and a text without steps is not one about single nests.
        assert_eq!(on("when l1 > 0 { } else { tile(lines = 1 / 0) } nest \"f\"", "avx2").unwrap().steps(), []);
    }
}
