//! `scripts/fuzz-ast`, second half: executed iterations of all loops, ours against isl's, for random schedule relations
//! in random contexts. Both must execute the same instances (a case in which only isl's are wrong is left out); ours
//! may run through at most [`SUM`] times the iterations in the sum, and [`CASE`] times in any case. `FIRST` and `COUNT`
//! choose the seeds, `JOBS` the number of threads, `SHOW` prints the code, `TABLE` a line for every case: the iterations of
//! both, the instances and the milliseconds that generation took; `RELATION` is a schedule relation to be compared instead. In the folder
//! `KEEP` isl's code is kept for the next run: most of the time goes into it, half of that into a case in a hundred,
//! which a lower `ISL_LIMIT` leaves out. isl runs in a process of its own for every case, since it does not survive all
//! of them (seed 38793 corrupts its heap, seed 32832 does not come to an end).

#[path = "../../../polyhedral/tests/random_relations/mod.rs"]
mod random_relations;
#[path = "../../../polyhedral/tests/random_trees/mod.rs"]
mod random_trees;

use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};
use std::io::Read;
use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc;
use std::time::Duration;

use random_relations::{Case, Stmt, case, expected};
use random_trees::Random;
use random_trees::contexts::Context;
use tessera_oracle::execution::{Code, Trace};
use tessera_oracle::finish;
use tessera_oracle::generation::{ISL_LIMIT, Input, Schedule, ours, theirs_within};
use tessera_oracle::isl::Isl;

/// The most iterations over those of isl in all cases together.
const SUM: f64 = 1.1;
/// The most in one case, where isl has an iteration for every instance at least (it has less where it unrolls or has no
/// loops); some iterations are free.
const CASE: u64 = 2;
const FREE: u64 = 12;
/// The most iterations of one execution.
const LIMIT: u64 = 200_000;
/// How long isl may take for a case.
const ISL_TIME: Duration = Duration::from_secs(20);
/// The variable that names the seed of a case to the process that runs isl.
const ISL_OF: &str = "ISL_OF";

/// Both sides of one case: the iterations of their loops, the instances, the code.
struct Found {
    own: u64,
    their: u64,
    instances: u64,
    /// How long our generation and that of isl took.
    times: [Duration; 2],
    codes: String,
}

/// A tiled, skewed schedule of one or two statements over strided and existentially quantified domains: the tiles, then
/// the points as what was tiled, as the distance from the tile, or as the dimensions themselves.
fn tiled(seed: u64) -> (String, Context) {
    let mut random = Random(seed.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ 0x711e);
    let n_dim = random.range(1, 3) as usize;
    let dims: Vec<String> = (0..n_dim).map(|k| format!("x{k}")).collect();
    let mut parts = Vec::new();
    let kind = random.range(0, 2);
    let n_tile = random.range(1, n_dim as i64) as usize;
    let sizes: Vec<i64> = (0..n_tile).map(|_| *random.pick(&[2, 3, 4, 8])).collect();
    for stmt in 0..random.range(1, 2) {
        let mut conditions = Vec::new();
        for dim in &dims {
            let most = *random.pick(&["n", "9", "n + 4", "12"]);
            conditions.push(format!("{} <= {dim} <= {most}", random.range(-1, 1)));
        }
        let sum = |random: &mut Random| {
            let terms: Vec<String> = dims.iter().map(|dim| format!("{}{dim}", random.range(-1, 3))).collect();
            format!("{} + {}", terms.join(" + "), random.range(0, 2))
        };
        for _ in 0..random.range(0, 2) {
            let value = sum(&mut random);
            let (a, b) = *random.pick(&[(2, 4), (3, 6), (4, 6), (5, 3), (8, 12), (6, 10)]);
            conditions.push(match random.range(0, 3) {
                0 => format!("({value}) mod {a} = {}", random.range(0, a - 1)),
                1 => format!("exists (e, f : {value} = {a}e + {b}f)"),
                2 => format!("exists (e, f : {value} = {a}e + {b}f and 0 <= e <= 3 and 0 <= f <= 2)"),
                _ => format!("exists (e : {a}e <= {value} <= {a}e + {})", a / 2),
            });
        }
        let (mut tiles, mut points) = (Vec::new(), Vec::new());
        for (k, size) in sizes.iter().enumerate() {
            let value = if random.chance(30) { dims[k].clone() } else { sum(&mut random) };
            if random.chance(50) {
                tiles.push(format!("floor(({value})/{size})"));
            } else {
                tiles.push(format!("{size} * floor(({value})/{size})"));
            }
            match kind {
                0 => points.push(format!("({value})")),
                1 => points.push(format!("(({value}) mod {size})")),
                _ => {}
            }
        }
        if kind == 2 || n_tile < n_dim {
            points.extend(dims.iter().cloned());
        }
        let (time, conditions) = ([tiles, points].concat().join(", "), conditions.join(" and "));
        parts.push(format!("S{stmt}[{}] -> [{time}] : {conditions}", dims.join(", ")));
    }
    let context = if random.chance(30) { Context::random(&mut random, true) } else { Context::none() };
    (format!("[n] -> {{ {} }}", parts.join("; ")), context)
}

/// The code of isl, from the folder `KEEP` if it has been made before; nothing if isl gives none within `ISL_LIMIT`
/// operations and [`ISL_TIME`].
fn isl_code(seed: u64, input: &Input) -> Result<Option<(String, Duration)>, String> {
    let Some(folder) = std::env::var_os("KEEP") else { return isl_process(seed) };
    let mut hash = std::hash::DefaultHasher::new();
    format!("{:?} {}", input.schedule, input.context).hash(&mut hash);
    let path = PathBuf::from(folder).join(format!("{:016x}", hash.finish()));
    if let Ok(text) = std::fs::read_to_string(&path) {
        return Ok(Some((text, Duration::ZERO)));
    }
    let Some(found) = isl_process(seed)? else { return Ok(None) };
    // Without the file isl is asked again.
    let _ = std::fs::write(path, &found.0);
    Ok(Some(found))
}

/// Runs [`isl_of`] in a process of its own: its first line is the time in nanoseconds.
fn isl_process(seed: u64) -> Result<Option<(String, Duration)>, String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut command = Command::new(program);
    command.env(ISL_OF, seed.to_string()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().map_err(|error| error.to_string())?;
    let mut output = child.stdout.take().ok_or("no output of isl")?;
    let (sender, receiver) = mpsc::channel();
    let reader = std::thread::spawn(move || {
        let mut text = String::new();
        let result = output.read_to_string(&mut text).map(|_| text);
        // Nobody listens any more once the time is over.
        let _ = sender.send(result);
    });
    let text = receiver.recv_timeout(ISL_TIME);
    // One that has ended cannot be killed.
    let _ = child.kill();
    let status = child.wait().map_err(|error| error.to_string())?;
    reader.join().map_err(|_| "the reader of isl's output failed")?;
    let Ok(Ok(text)) = text else { return Ok(None) };
    let Some((time, code)) = text.split_once('\n').filter(|_| status.success()) else { return Ok(None) };
    let time = time.parse().map_err(|error| format!("{time}: {error}"))?;
    Ok(Some((code.to_owned(), Duration::from_nanos(time))))
}

/// Prints what isl makes of a case.
fn isl_of(seed: u64) -> Result<(), String> {
    let isl = Isl::polly()?;
    let (code, time) = theirs_within(&isl, &input_of(seed).input, 1, number("ISL_LIMIT", ISL_LIMIT))?;
    print!("{}\n{code}", time.as_nanos());
    Ok(())
}

/// A number from the environment.
fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|x| x.parse().ok()).unwrap_or(default)
}

/// One case: both generators' input, and what defines its instances where that is known.
struct Question {
    input: Input,
    context: Context,
    exact: Option<(Vec<Stmt>, usize)>,
}

fn input_of(seed: u64) -> Question {
    let mut exact = None;
    let (text, options, context) = if let Ok(text) = std::env::var("RELATION") {
        (text, None, Context::none())
    } else if seed.is_multiple_of(3) {
        let (text, context) = tiled(seed);
        (text.replace("<= n", "<= 1n"), None, context)
    } else {
        let Case { text, options, context, stmts, n_time, .. } = case(seed);
        exact = Some((stmts, n_time));
        (text, options, context)
    };
    let input = Input {
        family: "random",
        name: seed.to_string(),
        schedule: Schedule::Relation(context.rename(&text), options),
        context: context.text(),
    };
    Question { input, context, exact }
}

/// What both sides did over some values of the parameters; nothing if isl gives no code or does not come to an end.
fn compare(seed: u64, show: bool) -> Result<Option<Found>, String> {
    let Question { input, context, exact } = input_of(seed);
    let Some((their_text, their_time)) = isl_code(seed, &input)? else { return Ok(None) };
    let (unit, own_time) = match ours(&input, 1) {
        Ok(result) => result,
        // isl unrolls what has no constant number of values for reasons of its own.
        Err(error) if error.contains("unrolling") => return Ok(None),
        Err(error) => return Err(error),
    };
    let our_text = unit.to_string();
    let both = format!("{:?}\ncontext {}\nours\n{our_text}isl\n{their_text}", input.schedule, input.context);
    if show {
        println!("{both}");
    }
    let names = context.names();
    let (our_code, their_code) = (Code::parse(&our_text, &names)?, Code::parse(&their_text, &names)?);
    let (mut own_sum, mut their_sum, mut instances) = (0, 0, 0);
    for each in context.values(6) {
        let values = [(names[0], each[0]), (names[1], each[1])];
        let Some(their) = their_code.run(&values, LIMIT)? else { return Ok(None) };
        let own = our_code.run(&values, LIMIT)?;
        let own = own
            .ok_or_else(|| format!("more than {LIMIT} iterations for {values:?}, isl {}\n{both}", their.iterations))?;
        let sorted = |trace: &Trace| {
            let mut events = trace.events.clone();
            events.sort();
            events
        };
        if sorted(&own) != sorted(&their) {
            if let Some((stmts, n_time)) = &exact {
                let times = expected(stmts, *n_time, context.n(each));
                let counts = times.into_iter().flatten();
                let mut events: Vec<_> = counts.flat_map(|(event, count)| std::iter::repeat_n(event, count)).collect();
                events.sort();
                if events == sorted(&own) {
                    println!("seed {seed}: isl executes other instances than the relation has");
                    return Ok(None);
                }
            }
            return Err(format!("other instances for {values:?}\n{both}"));
        }
        own_sum += own.iterations;
        their_sum += their.iterations;
        instances += their.events.len() as u64;
    }
    Ok(Some(Found { own: own_sum, their: their_sum, instances, times: [own_time, their_time], codes: both }))
}

/// Compares the cases on all cores; `each` gets them in the order of their seeds.
fn compare_all(first: u64, count: u64, mut each: impl FnMut(u64, Result<Option<Found>, String>)) {
    let show = std::env::var_os("SHOW").is_some();
    let next = AtomicU64::new(first);
    let (sender, receiver) = mpsc::channel();
    let workers = std::thread::available_parallelism().map_or(1, |n| n.get() as u64);
    std::thread::scope(|scope| {
        for _ in 0..number("JOBS", workers) {
            let (sender, next) = (sender.clone(), &next);
            scope.spawn(move || {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= first + count || sender.send((seed, compare(seed, show))).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        let (mut waiting, mut wanted) = (BTreeMap::new(), first);
        for (seed, found) in receiver {
            waiting.insert(seed, found);
            while let Some(found) = waiting.remove(&wanted) {
                each(wanted, found);
                wanted += 1;
            }
        }
    });
}

fn run() -> Result<(), String> {
    if let Ok(seed) = std::env::var(ISL_OF) {
        return isl_of(seed.parse().map_err(|error| format!("{seed}: {error}"))?);
    }
    let (first, count) = (number("FIRST", 0), number("COUNT", 1000));
    let table = std::env::var_os("TABLE").is_some();
    let (mut compared, mut our_sum, mut their_sum, mut bad) = (0, 0, 0, 0);
    compare_all(first, count, |seed, found| {
        let Found { own, their, instances, times, codes } = match found {
            Ok(Some(found)) => found,
            Ok(None) => return,
            Err(error) => {
                println!("seed {seed}: {error}");
                bad += 1;
                return;
            }
        };
        if table {
            let [own_time, their_time] = times.map(|time| time.as_secs_f64() * 1e3);
            println!("{seed:8} {own:8} {their:8} {instances:8} {own_time:9.2} {their_time:9.2}");
        }
        compared += 1;
        our_sum += own;
        their_sum += their;
        if own > CASE * their.max(instances) + FREE {
            println!("seed {seed}: {own} iterations, isl {their}\n{codes}");
            bad += 1;
        }
    });
    let ratio = our_sum as f64 / (their_sum as f64).max(1.0);
    println!(
        "{compared} of {count} cases compared: {our_sum} iterations, isl {their_sum}, ratio {ratio:.3}; {bad} bad cases"
    );
    if bad > 0 || ratio > SUM { Err(format!("{bad} cases or the sum are worse than allowed")) } else { Ok(()) }
}

fn main() -> ExitCode {
    finish(run().map(|()| true))
}
