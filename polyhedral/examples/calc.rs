//! A line calculator for sets and maps: reads `operation;argument;argument` lines and prints one result per line.
//!
//! It exists to compare this library with other ones: `printf 'set.subtract;{ [i] : i > 0 };{ [i] : i > 9 }\n' | cargo run
//! --example calc`. Sets and maps are in isl notation.

use std::io::{BufRead, Write};

use tessera_polyhedral::affine::{Aff, MultiAff, PwAff, PwMultiAff};
use tessera_polyhedral::budget::Budget;
use tessera_polyhedral::relation::{Map, Set, UnionMap, UnionSet};
use tessera_polyhedral::space::DimKind;
use tessera_polyhedral::{Error, Result};

/// Work per line.
const LIMIT: u64 = 20_000_000;

fn main() -> std::io::Result<()> {
    let (input, mut output) = (std::io::stdin().lock(), std::io::stdout().lock());
    for line in input.lines() {
        let line = line?;
        let budget = Budget::new(LIMIT);
        match evaluate(&line, &budget) {
            Ok(text) => writeln!(output, "{text}")?,
            Err(error) => writeln!(output, "error: {error}")?,
        }
    }
    output.flush()
}

/// The pieces of a function, each as its domain and its graph on the whole space.
fn pieces(function: &PwMultiAff) -> Result<String> {
    let part = |(domain, function): &(Set, MultiAff)| Ok(format!("{domain}@{}", Map::from_multi_aff(function)?));
    Ok(function.pieces().iter().map(part).collect::<Result<Vec<_>>>()?.join("|"))
}

fn evaluate(line: &str, b: &Budget) -> Result<String> {
    let mut parts = line.split(';').map(|p| p.trim().replace('|', ";"));
    let operation = parts.next().unwrap_or_default();
    let args: Vec<String> = parts.collect();
    let arg = |k: usize| args.get(k).map_or("", String::as_str);
    let set = |k: usize| Set::parse(arg(k), b);
    let map = |k: usize| Map::parse(arg(k), b);
    let union_set = |k: usize| UnionSet::parse(arg(k), b);
    let union_map = |k: usize| UnionMap::parse(arg(k), b);
    let number = |k: usize| arg(k).parse::<usize>().unwrap_or_default();
    Ok(match operation.as_str() {
        "set.parse" => set(0)?.to_string(),
        "set.union" => set(0)?.union(&set(1)?)?.to_string(),
        "set.intersect" => set(0)?.intersect(&set(1)?, b)?.to_string(),
        "set.subtract" => set(0)?.subtract(&set(1)?, b)?.to_string(),
        "set.complement" => set(0)?.complement(b)?.to_string(),
        "set.coalesce" => set(0)?.coalesce(b)?.to_string(),
        "set.gist" => set(0)?.gist(&set(1)?, b)?.to_string(),
        "set.remove_redundancies" => set(0)?.remove_redundancies(b)?.to_string(),
        "set.make_divs_explicit" => set(0)?.make_divs_explicit(b)?.to_string(),
        "set.hull" => set(0)?.overapproximate_hull(b)?.to_string(),
        "set.overapproximate_existentials" => set(0)?.overapproximate_existentials(b)?.to_string(),
        "set.params" => set(0)?.params(b)?.to_string(),
        "set.apply" => set(0)?.apply(&map(1)?, b)?.to_string(),
        "set.product" => set(0)?.product(&set(1)?, b)?.to_string(),
        "set.is_empty" => set(0)?.is_empty(b)?.to_string(),
        "set.is_subset" => set(0)?.is_subset(&set(1)?, b)?.to_string(),
        "set.is_equal" => set(0)?.is_equal(&set(1)?, b)?.to_string(),
        "set.is_disjoint" => set(0)?.is_disjoint(&set(1)?, b)?.to_string(),
        "set.lexmin" => set(0)?.lexmin(b)?.to_string(),
        "set.lexmax" => set(0)?.lexmax(b)?.to_string(),
        "map.lexmin" => map(0)?.lexmin(b)?.to_string(),
        "map.lexmax" => map(0)?.lexmax(b)?.to_string(),
        "union_map.lexmin" => union_map(0)?.lexmin(b)?.to_string(),
        "union_set.lexmax" => union_set(0)?.lexmax(b)?.to_string(),
        "set.parametric_min" => set(0)?.parametric_min(&PwAff::parse(arg(1), b)?, b)?.to_string(),
        "set.parametric_max" => set(0)?.parametric_max(&PwAff::parse(arg(1), b)?, b)?.to_string(),
        "set.min_pw_aff" => format!("{:?}", set(0)?.min_pw_aff(&PwAff::parse(arg(1), b)?, b)?),
        "set.rational_max" => format!("{:?}", set(0)?.rational_max_aff(&Aff::parse(arg(1), b)?, b)?),
        "set.dim_min" => set(0)?.dim_min(number(1), b)?.to_string(),
        "set.dim_max" => set(0)?.dim_max(number(1), b)?.to_string(),
        "map.dim_min" => map(0)?.dim_min(number(1), b)?.to_string(),
        "map.dim_max" => map(0)?.dim_max(number(1), b)?.to_string(),
        "map.partial_lexmin" => {
            let (optimum, rest) = map(0)?.partial_lexmin(&set(1)?, b)?;
            format!("{optimum}|{rest}")
        }
        "set.lexmin_pieces" => pieces(&set(0)?.lexmin_pw_multi_aff(b)?)?,
        "map.lexmax_pieces" => pieces(&map(0)?.lexmax_pw_multi_aff(b)?)?,
        "set.sample" => format!("{:?}", set(0)?.sample(b)?),
        "set.project_out" => set(0)?.project_out(DimKind::Out, number(1), number(2), b)?.to_string(),
        "set.project_params" => set(0)?.project_out(DimKind::Param, number(1), number(2), b)?.to_string(),
        "set.max" => format!("{:?}", set(0)?.max_aff(&Aff::parse(arg(1), b)?, b)?),
        "set.min" => format!("{:?}", set(0)?.min_aff(&Aff::parse(arg(1), b)?, b)?),
        "map.parse" => map(0)?.to_string(),
        "map.reverse" => map(0)?.reverse().to_string(),
        "map.domain" => map(0)?.domain(b)?.to_string(),
        "map.range" => map(0)?.range(b)?.to_string(),
        "map.apply_range" => map(0)?.apply_range(&map(1)?, b)?.to_string(),
        "map.apply_domain" => map(0)?.apply_domain(&map(1)?, b)?.to_string(),
        "map.deltas" => map(0)?.deltas(b)?.to_string(),
        "map.intersect" => map(0)?.intersect(&map(1)?, b)?.to_string(),
        "map.subtract" => map(0)?.subtract(&map(1)?, b)?.to_string(),
        "map.intersect_domain" => map(0)?.intersect_domain(&set(1)?, b)?.to_string(),
        "map.intersect_range" => map(0)?.intersect_range(&set(1)?, b)?.to_string(),
        "map.range_product" => map(0)?.range_product(&map(1)?, b)?.to_string(),
        "map.flat_range_product" => map(0)?.flat_range_product(&map(1)?, b)?.to_string(),
        "map.domain_product" => map(0)?.domain_product(&map(1)?, b)?.to_string(),
        "map.product" => map(0)?.product(&map(1)?, b)?.to_string(),
        "map.is_single_valued" => map(0)?.is_single_valued(b)?.to_string(),
        "map.is_injective" => map(0)?.is_injective(b)?.to_string(),
        "map.coalesce" => map(0)?.coalesce(b)?.to_string(),
        "map.gist" => map(0)?.gist(&map(1)?, b)?.to_string(),
        "map.wrap" => map(0)?.wrap().to_string(),
        "map.lex_lt" => Map::lex_lt(set(0)?.space())?.to_string(),
        "uset.parse" => union_set(0)?.to_string(),
        "uset.subtract" => union_set(0)?.subtract(&union_set(1)?, b)?.to_string(),
        "umap.parse" => union_map(0)?.to_string(),
        "umap.apply_range" => union_map(0)?.apply_range(&union_map(1)?, b)?.to_string(),
        "umap.deltas" => union_map(0)?.deltas(b)?.to_string(),
        "aff.parse" => Aff::parse(arg(0), b)?.to_string(),
        "maff.map" => MultiAff::parse(arg(0), b)?.to_map()?.to_string(),
        "pwaff.parse" => PwAff::parse(arg(0), b)?.to_string(),
        "pwaff.map" => PwAff::parse(arg(0), b)?.to_map(b)?.to_string(),
        "aff.add" => Aff::parse(arg(0), b)?.add(&Aff::parse(arg(1), b)?)?.to_string(),
        _ => {
            return Err(Error::OutOfRange { operation: "evaluate", what: format!("no operation `{operation}`") });
        }
    })
}
