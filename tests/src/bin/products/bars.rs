//! What products have to reach, and whether they do.

use super::table::Line;
use super::turns::Turns;
use tessera_tests::kernels::measure::FLOOR;
use tessera_tests::kernels::{Form, Language};

/// From here on a product is large.
const LARGE: i64 = 200;

/// The size in the middle that has a bar of its own.
const MIDDLE: i64 = 64;

/// The parts of OpenBLAS's speed, or for Rust of the unfused peak.
const OF_LARGE: f64 = 0.85;
const GOAL: f64 = 0.90;
const OF_MIDDLE: f64 = 0.70;

/// The part of its peer's speed that a product must have.
fn peer_bar(form: Form, size: i64) -> Option<f64> {
    match size {
        LARGE.. => Some(OF_LARGE),
        MIDDLE if form.language() == Language::C => Some(OF_MIDDLE),
        _ => None,
    }
}

/// The part of its peer's speed that it has; not a number without a peer.
fn to_peer(form: Form, turns: &Turns) -> f64 {
    if form.language() == Language::C { turns.to_openblas } else { turns.to_peak }
}

/// Whether there is a peer, and a bar, and the product is below it.
pub(crate) fn misses_peer(form: Form, size: i64, turns: &Turns) -> bool {
    peer_bar(form, size).is_some_and(|bar| to_peer(form, turns) < bar)
}

/// One line for every bar, with what misses it.
pub(crate) fn print(lines: &[Line]) {
    let of = |language: Language| move |line: &&Line| line.form.language() == language;
    let peer = |line: &Line| to_peer(line.form, &line.turns);
    let at_least = |name: &str, bar: f64, lines: Vec<&Line>, part: &dyn Fn(&Line) -> f64| {
        let known: Vec<_> = lines.into_iter().filter(|line| !part(line).is_nan()).collect();
        let mut missing: Vec<_> = known.iter().filter(|line| part(line) < bar).collect();
        missing.sort_by(|one, other| part(one).total_cmp(&part(other)));
        let verdict = match (known.is_empty(), missing.is_empty()) {
            (true, _) => "not measured",
            (_, true) => "yes",
            (_, false) => "no",
        };
        println!("{name}: {verdict}");
        for line in missing {
            println!("  {}, {}, n = {}: {:.3}", line.form.name(), line.name, line.size, part(line));
        }
    };
    let large = |language| lines.iter().filter(of(language)).filter(|line| line.size >= LARGE).collect::<Vec<_>>();
    let middle = lines.iter().filter(of(Language::C)).filter(|line| line.size == MIDDLE).collect();
    let percent = |part: f64| format!("{:.0} %", 100.0 * part);
    at_least(
        &format!("C: at least {} of OpenBLAS from n = {LARGE} on", percent(OF_LARGE)),
        OF_LARGE,
        large(Language::C),
        &peer,
    );
    at_least(&format!("C: the goal, {} of it", percent(GOAL)), GOAL, large(Language::C), &peer);
    at_least(&format!("C: at least {} of OpenBLAS at n = {MIDDLE}", percent(OF_MIDDLE)), OF_MIDDLE, middle, &peer);
    at_least(
        &format!("Rust: at least {} of the unfused peak from n = {LARGE} on", percent(OF_LARGE)),
        OF_LARGE,
        large(Language::Rust),
        &peer,
    );
    at_least(&format!("never below plain ({FLOOR}x)"), FLOOR, lines.iter().collect(), &|line| line.turns.to_plain);
}
