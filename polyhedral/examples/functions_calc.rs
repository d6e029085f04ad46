//! A line calculator for quasi-affine functions: reads lines of an operation and its arguments, separated by tabs, and prints
//! one result per line. Everything is in isl notation.
//!
//! It exists to compare this library with other ones: `printf 'pa.min\t{ [i] -> [(i)] }\t{ [i] -> [(0)] }\n' | cargo run
//! --example functions_calc`.

use std::io::{BufRead, Write};

use tessera_polyhedral::affine::{
    Aff, MultiAff, MultiPwAff, MultiUnionPwAff, PwAff, PwMultiAff, UnionPwAff, UnionPwMultiAff,
};
use tessera_polyhedral::arith::{Int, Rational};
use tessera_polyhedral::budget::Budget;
use tessera_polyhedral::relation::{Map, Set, UnionMap, UnionSet};
use tessera_polyhedral::{Error, Result};

/// Work per line.
const LIMIT: u64 = 50_000_000;

fn main() -> std::io::Result<()> {
    let (input, mut output) = (std::io::stdin().lock(), std::io::stdout().lock());
    for line in input.lines() {
        let line = line?;
        let budget = Budget::new(LIMIT);
        let call = Call { args: line.split('\t').collect(), budget: &budget };
        match call.run() {
            Ok(text) => writeln!(output, "{text}")?,
            Err(error) => writeln!(output, "error: {}", error.to_string().replace('\n', " "))?,
        }
        output.flush()?;
    }
    Ok(())
}

/// One line.
struct Call<'a> {
    args: Vec<&'a str>,
    budget: &'a Budget,
}

/// Readers of argument `k`.
macro_rules! readers {
    ($($name:ident: $Type:ident;)*) => {
        impl Call<'_> {$(
            fn $name(&self, k: usize) -> Result<$Type> {
                $Type::parse(self.arg(k), self.budget)
            }
        )*}
    };
}

readers! {
    aff: Aff; ma: MultiAff; pa: PwAff; pma: PwMultiAff; mpa: MultiPwAff; upa: UnionPwAff; upma: UnionPwMultiAff;
    mupa: MultiUnionPwAff; set: Set; map: Map; uset: UnionSet; umap: UnionMap;
}

impl Call<'_> {
    fn arg(&self, k: usize) -> &str {
        self.args.get(k + 1).copied().unwrap_or_default()
    }

    fn integer(&self, k: usize) -> Int {
        self.arg(k).parse().unwrap_or_default()
    }

    fn fraction(&self, k: usize) -> Rational {
        let (numerator, denominator) = self.arg(k).split_once('/').unwrap_or((self.arg(k), "1"));
        Rational::new(numerator.parse().unwrap_or_default(), denominator.parse().unwrap_or_default())
    }

    fn number(&self, k: usize) -> usize {
        self.arg(k).parse().unwrap_or_default()
    }

    fn run(&self) -> Result<String> {
        let (kind, operation) = self.args[0].split_once('.').unwrap_or_default();
        let found = match kind {
            "aff" => self.run_aff(operation)?,
            "ma" => self.run_ma(operation)?,
            "pa" => self.run_pa(operation)?,
            "pma" => self.run_pma(operation)?,
            "mpa" => self.run_mpa(operation)?,
            "upa" => self.run_upa(operation)?,
            "upma" => self.run_upma(operation)?,
            "mupa" => self.run_mupa(operation)?,
            "set" | "map" | "uset" | "umap" => self.run_relation(kind, operation)?,
            _ => None,
        };
        found
            .ok_or_else(|| Error::OutOfRange { operation: "calculate", what: format!("no operation {}", self.args[0]) })
    }

    fn run_aff(&self, operation: &str) -> Result<Option<String>> {
        Ok(Some(match operation {
            "parse" => self.aff(0)?.to_string(),
            "add" => self.aff(0)?.add(&self.aff(1)?)?.to_string(),
            "sub" => self.aff(0)?.sub(&self.aff(1)?)?.to_string(),
            "mul" => self.aff(0)?.mul(&self.aff(1)?)?.to_string(),
            "div" => self.aff(0)?.div(&self.aff(1)?)?.to_string(),
            "neg" => self.aff(0)?.neg().to_string(),
            "floor" => self.aff(0)?.floor().to_string(),
            "ceil" => self.aff(0)?.ceil().to_string(),
            "mod_val" => self.aff(0)?.rem(&self.integer(1))?.to_string(),
            "scale_val" => self.aff(0)?.scale_rational(&self.fraction(1)).to_string(),
            "gist" => self.aff(0)?.gist(&self.set(1)?, self.budget)?.to_string(),
            "pullback_multi_aff" => self.aff(0)?.pullback(&self.ma(1)?)?.to_string(),
            "eq_set" => self.aff(0)?.eq_set(&self.aff(1)?)?.to_string(),
            "ne_set" => self.aff(0)?.ne_set(&self.aff(1)?)?.to_string(),
            "le_set" => self.aff(0)?.le_set(&self.aff(1)?)?.to_string(),
            "lt_set" => self.aff(0)?.lt_set(&self.aff(1)?)?.to_string(),
            "ge_set" => self.aff(0)?.ge_set(&self.aff(1)?)?.to_string(),
            "gt_set" => self.aff(0)?.gt_set(&self.aff(1)?)?.to_string(),
            _ => return Ok(None),
        }))
    }

    fn run_ma(&self, operation: &str) -> Result<Option<String>> {
        let b = self.budget;
        Ok(Some(match operation {
            "parse" => self.ma(0)?.to_string(),
            "add" => self.ma(0)?.add(&self.ma(1)?)?.to_string(),
            "sub" => self.ma(0)?.sub(&self.ma(1)?)?.to_string(),
            "neg" => self.ma(0)?.neg().to_string(),
            "gist" => self.ma(0)?.gist(&self.set(1)?, b)?.to_string(),
            "pullback_multi_aff" => self.ma(0)?.pullback(&self.ma(1)?)?.to_string(),
            "range_product" => self.ma(0)?.range_product(&self.ma(1)?)?.to_string(),
            "flat_range_product" => self.ma(0)?.flat_range_product(&self.ma(1)?)?.to_string(),
            "product" => self.ma(0)?.product(&self.ma(1)?)?.to_string(),
            "lex_lt_set" => self.ma(0)?.lex_lt_set(&self.ma(1)?, b)?.to_string(),
            "lex_le_set" => self.ma(0)?.lex_le_set(&self.ma(1)?, b)?.to_string(),
            "lex_gt_set" => self.ma(0)?.lex_gt_set(&self.ma(1)?, b)?.to_string(),
            "lex_ge_set" => self.ma(0)?.lex_ge_set(&self.ma(1)?, b)?.to_string(),
            "as_map" => self.ma(0)?.to_map()?.to_string(),
            _ => return Ok(None),
        }))
    }

    fn run_pa(&self, operation: &str) -> Result<Option<String>> {
        let b = self.budget;
        Ok(Some(match operation {
            "parse" => self.pa(0)?.to_string(),
            "add" => self.pa(0)?.add(&self.pa(1)?, b)?.to_string(),
            "sub" => self.pa(0)?.sub(&self.pa(1)?, b)?.to_string(),
            "mul" => self.pa(0)?.mul(&self.pa(1)?, b)?.to_string(),
            "div" => self.pa(0)?.div(&self.pa(1)?, b)?.to_string(),
            "tdiv_q" => self.pa(0)?.tdiv_q(&self.pa(1)?, b)?.to_string(),
            "tdiv_r" => self.pa(0)?.tdiv_r(&self.pa(1)?, b)?.to_string(),
            "min" => self.pa(0)?.min(&self.pa(1)?, b)?.to_string(),
            "max" => self.pa(0)?.max(&self.pa(1)?, b)?.to_string(),
            "union_min" => self.pa(0)?.union_min(&self.pa(1)?, b)?.to_string(),
            "union_max" => self.pa(0)?.union_max(&self.pa(1)?, b)?.to_string(),
            "union_add" => self.pa(0)?.union_add(&self.pa(1)?, b)?.to_string(),
            "neg" => self.pa(0)?.neg().to_string(),
            "floor" => self.pa(0)?.floor().to_string(),
            "ceil" => self.pa(0)?.ceil().to_string(),
            "mod_val" => self.pa(0)?.rem(&self.integer(1))?.to_string(),
            "scale_val" => self.pa(0)?.scale_rational(&self.fraction(1)).to_string(),
            "cond" => PwAff::select(&self.pa(0)?, &self.pa(1)?, &self.pa(2)?, b)?.to_string(),
            "domain" => self.pa(0)?.domain()?.to_string(),
            "intersect_domain" => self.pa(0)?.intersect_domain(&self.set(1)?, b)?.to_string(),
            "subtract_domain" => self.pa(0)?.subtract_domain(&self.set(1)?, b)?.to_string(),
            "intersect_params" => self.pa(0)?.intersect_params(&self.set(1)?, b)?.to_string(),
            "gist" => self.pa(0)?.gist(&self.set(1)?, b)?.to_string(),
            "gist_params" => self.pa(0)?.gist_params(&self.set(1)?, b)?.to_string(),
            "coalesce" => self.pa(0)?.coalesce(b)?.to_string(),
            "drop_unused_params" => self.pa(0)?.drop_unused_params().to_string(),
            "pullback_multi_aff" => self.pa(0)?.pullback(&self.ma(1)?, b)?.to_string(),
            "pullback_pw_multi_aff" => self.pa(0)?.pullback_pw(&self.pma(1)?, b)?.to_string(),
            "pullback_multi_pw_aff" => self.pa(0)?.pullback_pw(&self.mpa(1)?.to_pw_multi_aff(b)?, b)?.to_string(),
            "eq_set" => self.pa(0)?.eq_set(&self.pa(1)?, b)?.to_string(),
            "ne_set" => self.pa(0)?.ne_set(&self.pa(1)?, b)?.to_string(),
            "le_set" => self.pa(0)?.le_set(&self.pa(1)?, b)?.to_string(),
            "lt_set" => self.pa(0)?.lt_set(&self.pa(1)?, b)?.to_string(),
            "ge_set" => self.pa(0)?.ge_set(&self.pa(1)?, b)?.to_string(),
            "gt_set" => self.pa(0)?.gt_set(&self.pa(1)?, b)?.to_string(),
            "eq_map" => self.pa(0)?.eq_map(&self.pa(1)?, b)?.to_string(),
            "le_map" => self.pa(0)?.le_map(&self.pa(1)?, b)?.to_string(),
            "lt_map" => self.pa(0)?.lt_map(&self.pa(1)?, b)?.to_string(),
            "ge_map" => self.pa(0)?.ge_map(&self.pa(1)?, b)?.to_string(),
            "gt_map" => self.pa(0)?.gt_map(&self.pa(1)?, b)?.to_string(),
            "zero_set" => self.pa(0)?.zero_set(b)?.to_string(),
            "non_zero_set" => self.pa(0)?.non_zero_set(b)?.to_string(),
            "pos_set" => self.pa(0)?.positive_set(b)?.to_string(),
            "nonneg_set" => self.pa(0)?.non_negative_set(b)?.to_string(),
            "as_map" => self.pa(0)?.to_map(b)?.to_string(),
            "is_equal" => self.pa(0)?.is_equal(&self.pa(1)?, b)?.to_string(),
            "indicator" => PwAff::indicator(&self.set(0)?, b)?.to_string(),
            "select_in" => PwAff::select_in(&self.set(0)?, &self.pa(1)?, &self.pa(2)?, b)?.to_string(),
            _ => return Ok(None),
        }))
    }

    fn run_pma(&self, operation: &str) -> Result<Option<String>> {
        let b = self.budget;
        Ok(Some(match operation {
            "parse" => self.pma(0)?.to_string(),
            "add" => self.pma(0)?.add(&self.pma(1)?, b)?.to_string(),
            "sub" => self.pma(0)?.sub(&self.pma(1)?, b)?.to_string(),
            "neg" => self.pma(0)?.neg().to_string(),
            "scale_val" => self.pma(0)?.scale_rational(&self.fraction(1)).to_string(),
            "union_add" => self.pma(0)?.union_add(&self.pma(1)?, b)?.to_string(),
            "union_lexmin" => self.pma(0)?.union_lexmin(&self.pma(1)?, b)?.to_string(),
            "union_lexmax" => self.pma(0)?.union_lexmax(&self.pma(1)?, b)?.to_string(),
            "domain" => self.pma(0)?.domain()?.to_string(),
            "intersect_domain" => self.pma(0)?.intersect_domain(&self.set(1)?, b)?.to_string(),
            "subtract_domain" => self.pma(0)?.subtract_domain(&self.set(1)?, b)?.to_string(),
            "intersect_params" => self.pma(0)?.intersect_params(&self.set(1)?, b)?.to_string(),
            "gist" => self.pma(0)?.gist(&self.set(1)?, b)?.to_string(),
            "gist_params" => self.pma(0)?.gist_params(&self.set(1)?, b)?.to_string(),
            "coalesce" => self.pma(0)?.coalesce(b)?.to_string(),
            "pullback_multi_aff" => self.pma(0)?.pullback(&self.ma(1)?, b)?.to_string(),
            "pullback_pw_multi_aff" => self.pma(0)?.pullback_pw(&self.pma(1)?, b)?.to_string(),
            "range_product" => self.pma(0)?.range_product(&self.pma(1)?, b)?.to_string(),
            "flat_range_product" => self.pma(0)?.flat_range_product(&self.pma(1)?, b)?.to_string(),
            "product" => self.pma(0)?.product(&self.pma(1)?, b)?.to_string(),
            "range_factor_domain" => self.pma(0)?.range_factor_domain()?.to_string(),
            "range_factor_range" => self.pma(0)?.range_factor_range()?.to_string(),
            "get_pw_aff" => self.pma(0)?.component(self.number(1))?.to_string(),
            "set_pw_aff" => self.pma(0)?.with_component(self.number(1), &self.pa(2)?, b)?.to_string(),
            "as_map" => self.pma(0)?.to_map(b)?.to_string(),
            "as_set" => self.pma(0)?.to_set(b)?.to_string(),
            "from_map" => PwMultiAff::from_map(&self.map(0)?, b)?.to_string(),
            "from_set" => PwMultiAff::from_set(&self.set(0)?, b)?.to_string(),
            "from_multi_pw_aff" => self.mpa(0)?.to_pw_multi_aff(b)?.to_string(),
            "from_domain" => PwMultiAff::from_domain(&self.set(0)?)?.to_string(),
            "is_equal" => self.pma(0)?.is_equal(&self.pma(1)?, b)?.to_string(),
            _ => return Ok(None),
        }))
    }

    fn run_mpa(&self, operation: &str) -> Result<Option<String>> {
        let b = self.budget;
        Ok(Some(match operation {
            "parse" => self.mpa(0)?.to_string(),
            "add" => self.mpa(0)?.add(&self.mpa(1)?, b)?.to_string(),
            "sub" => self.mpa(0)?.sub(&self.mpa(1)?, b)?.to_string(),
            "neg" => self.mpa(0)?.neg().to_string(),
            "scale_val" => self.mpa(0)?.scale_rational(&self.fraction(1)).to_string(),
            "union_add" => self.mpa(0)?.union_add(&self.mpa(1)?, b)?.to_string(),
            "min" => self.mpa(0)?.min(&self.mpa(1)?, b)?.to_string(),
            "max" => self.mpa(0)?.max(&self.mpa(1)?, b)?.to_string(),
            "domain" => self.mpa(0)?.domain(b)?.to_string(),
            "intersect_domain" => self.mpa(0)?.intersect_domain(&self.set(1)?, b)?.to_string(),
            "intersect_params" => self.mpa(0)?.intersect_params(&self.set(1)?, b)?.to_string(),
            "gist" => self.mpa(0)?.gist(&self.set(1)?, b)?.to_string(),
            "gist_params" => self.mpa(0)?.gist_params(&self.set(1)?, b)?.to_string(),
            "coalesce" => self.mpa(0)?.coalesce(b)?.to_string(),
            "pullback_multi_aff" => self.mpa(0)?.pullback(&self.ma(1)?, b)?.to_string(),
            "pullback_pw_multi_aff" => self.mpa(0)?.pullback_pw(&self.pma(1)?, b)?.to_string(),
            "pullback_multi_pw_aff" => self.mpa(0)?.pullback_multi_pw(&self.mpa(1)?, b)?.to_string(),
            "range_product" => self.mpa(0)?.range_product(&self.mpa(1)?, b)?.to_string(),
            "flat_range_product" => self.mpa(0)?.flat_range_product(&self.mpa(1)?, b)?.to_string(),
            "range_splice" => self.mpa(0)?.splice(self.number(1), &self.mpa(2)?, b)?.to_string(),
            "product" => self.mpa(0)?.product(&self.mpa(1)?, b)?.to_string(),
            "range_factor_domain" => self.mpa(0)?.range_factor_domain()?.to_string(),
            "range_factor_range" => self.mpa(0)?.range_factor_range()?.to_string(),
            "get_pw_aff" => match self.mpa(0)?.get(self.number(1)) {
                Some(component) => component.to_string(),
                None => return Ok(None),
            },
            "set_pw_aff" => self.mpa(0)?.with_component(self.number(1), &self.pa(2)?)?.to_string(),
            "eq_map" => self.mpa(0)?.eq_map(&self.mpa(1)?, b)?.to_string(),
            "lex_lt_map" => self.mpa(0)?.lex_lt_map(&self.mpa(1)?, b)?.to_string(),
            "lex_le_map" => self.mpa(0)?.lex_le_map(&self.mpa(1)?, b)?.to_string(),
            "lex_gt_map" => self.mpa(0)?.lex_gt_map(&self.mpa(1)?, b)?.to_string(),
            "lex_ge_map" => self.mpa(0)?.lex_ge_map(&self.mpa(1)?, b)?.to_string(),
            "as_map" => self.mpa(0)?.to_map(b)?.to_string(),
            "from_pw_multi_aff" => MultiPwAff::from_pw_multi_aff(&self.pma(0)?)?.to_string(),
            "is_equal" => self.mpa(0)?.is_equal(&self.mpa(1)?, b)?.to_string(),
            _ => return Ok(None),
        }))
    }

    fn run_upa(&self, operation: &str) -> Result<Option<String>> {
        let b = self.budget;
        Ok(Some(match operation {
            "parse" => self.upa(0)?.to_string(),
            "add" => self.upa(0)?.add(&self.upa(1)?, b)?.to_string(),
            "sub" => self.upa(0)?.sub(&self.upa(1)?, b)?.to_string(),
            "neg" => self.upa(0)?.neg().to_string(),
            "floor" => self.upa(0)?.floor().to_string(),
            "mod_val" => self.upa(0)?.rem(&self.integer(1))?.to_string(),
            "scale_val" => self.upa(0)?.scale_rational(&self.fraction(1)).to_string(),
            "union_add" => self.upa(0)?.union_add(&self.upa(1)?, b)?.to_string(),
            "domain" => self.upa(0)?.domain()?.to_string(),
            "intersect_domain" => self.upa(0)?.intersect_domain(&self.uset(1)?, b)?.to_string(),
            "subtract_domain" => self.upa(0)?.subtract_domain(&self.uset(1)?, b)?.to_string(),
            "intersect_params" => self.upa(0)?.intersect_params(&self.set(1)?, b)?.to_string(),
            "gist" => self.upa(0)?.gist(&self.uset(1)?, b)?.to_string(),
            "gist_params" => self.upa(0)?.gist_params(&self.set(1)?, b)?.to_string(),
            "coalesce" => self.upa(0)?.coalesce(b)?.to_string(),
            "pullback_union_pw_multi_aff" => self.upa(0)?.pullback(&self.upma(1)?, b)?.to_string(),
            "zero_union_set" => self.upa(0)?.zero_set(b)?.to_string(),
            "drop_unused_params" => self.upa(0)?.drop_unused_params().to_string(),
            "is_equal" => self.upa(0)?.is_equal(&self.upa(1)?, b)?.to_string(),
            _ => return Ok(None),
        }))
    }

    fn run_upma(&self, operation: &str) -> Result<Option<String>> {
        let b = self.budget;
        Ok(Some(match operation {
            "parse" => self.upma(0)?.to_string(),
            "add" => self.upma(0)?.add(&self.upma(1)?, b)?.to_string(),
            "sub" => self.upma(0)?.sub(&self.upma(1)?, b)?.to_string(),
            "neg" => self.upma(0)?.neg().to_string(),
            "scale_val" => self.upma(0)?.scale_rational(&self.fraction(1)).to_string(),
            "union_add" => self.upma(0)?.union_add(&self.upma(1)?, b)?.to_string(),
            "domain" => self.upma(0)?.domain()?.to_string(),
            "intersect_domain" => self.upma(0)?.intersect_domain(&self.uset(1)?, b)?.to_string(),
            "subtract_domain" => self.upma(0)?.subtract_domain(&self.uset(1)?, b)?.to_string(),
            "intersect_params" => self.upma(0)?.intersect_params(&self.set(1)?, b)?.to_string(),
            "gist" => self.upma(0)?.gist(&self.uset(1)?, b)?.to_string(),
            "coalesce" => self.upma(0)?.coalesce(b)?.to_string(),
            "pullback_union_pw_multi_aff" => self.upma(0)?.pullback(&self.upma(1)?, b)?.to_string(),
            "range_product" => self.upma(0)?.range_product(&self.upma(1)?, b)?.to_string(),
            "flat_range_product" => self.upma(0)?.flat_range_product(&self.upma(1)?, b)?.to_string(),
            "range_factor_domain" => self.upma(0)?.range_factor_domain()?.to_string(),
            "range_factor_range" => self.upma(0)?.range_factor_range()?.to_string(),
            "as_union_map" => self.upma(0)?.to_union_map(b)?.to_string(),
            "from_union_map" => UnionPwMultiAff::from_union_map(&self.umap(0)?, b)?.to_string(),
            "as_multi_union_pw_aff" => MultiUnionPwAff::from_union_pw_multi_aff(&self.upma(0)?)?.to_string(),
            "from_multi_union_pw_aff" => self.mupa(0)?.to_union_pw_multi_aff(b)?.to_string(),
            "is_equal" => self.upma(0)?.is_equal(&self.upma(1)?, b)?.to_string(),
            _ => return Ok(None),
        }))
    }

    fn run_mupa(&self, operation: &str) -> Result<Option<String>> {
        let b = self.budget;
        Ok(Some(match operation {
            "parse" => self.mupa(0)?.to_string(),
            "add" => self.mupa(0)?.add(&self.mupa(1)?, b)?.to_string(),
            "sub" => self.mupa(0)?.sub(&self.mupa(1)?, b)?.to_string(),
            "neg" => self.mupa(0)?.neg().to_string(),
            "floor" => self.mupa(0)?.floor().to_string(),
            "scale_val" => self.mupa(0)?.scale_rational(&self.fraction(1)).to_string(),
            "union_add" => self.mupa(0)?.union_add(&self.mupa(1)?, b)?.to_string(),
            "domain" => self.mupa(0)?.domain(b)?.to_string(),
            "intersect_domain" => self.mupa(0)?.intersect_domain(&self.uset(1)?, b)?.to_string(),
            "intersect_params" => self.mupa(0)?.intersect_params(&self.set(1)?, b)?.to_string(),
            "intersect_range" => self.mupa(0)?.intersect_range(&self.set(1)?, b)?.to_string(),
            "gist" => self.mupa(0)?.gist(&self.uset(1)?, b)?.to_string(),
            "coalesce" => self.mupa(0)?.coalesce(b)?.to_string(),
            "pullback_union_pw_multi_aff" => self.mupa(0)?.pullback(&self.upma(1)?, b)?.to_string(),
            "range_product" => self.mupa(0)?.range_product(&self.mupa(1)?, b)?.to_string(),
            "flat_range_product" => self.mupa(0)?.flat_range_product(&self.mupa(1)?, b)?.to_string(),
            "range_splice" => self.mupa(0)?.splice(self.number(1), &self.mupa(2)?, b)?.to_string(),
            "zero_union_set" => self.mupa(0)?.zero_set(b)?.to_string(),
            "apply_pw_multi_aff" => self.mupa(0)?.apply(&self.pma(1)?, b)?.to_string(),
            "as_union_map" => self.mupa(0)?.to_union_map(b)?.to_string(),
            "is_equal" => self.mupa(0)?.is_equal(&self.mupa(1)?, b)?.to_string(),
            _ => return Ok(None),
        }))
    }

    fn run_relation(&self, kind: &str, operation: &str) -> Result<Option<String>> {
        let b = self.budget;
        Ok(Some(match (kind, operation) {
            ("set", "preimage_multi_aff") => self.set(0)?.preimage(&self.ma(1)?, b)?.to_string(),
            ("set", "preimage_pw_multi_aff") => self.set(0)?.preimage_pw(&self.pma(1)?, b)?.to_string(),
            ("set", "preimage_multi_pw_aff") => self.set(0)?.preimage_multi_pw(&self.mpa(1)?, b)?.to_string(),
            ("map", "preimage_domain_multi_aff") => self.map(0)?.preimage_domain(&self.ma(1)?, b)?.to_string(),
            ("map", "preimage_range_multi_aff") => self.map(0)?.preimage_range(&self.ma(1)?, b)?.to_string(),
            ("map", "preimage_domain_pw_multi_aff") => self.map(0)?.preimage_domain_pw(&self.pma(1)?, b)?.to_string(),
            ("map", "preimage_range_pw_multi_aff") => self.map(0)?.preimage_range_pw(&self.pma(1)?, b)?.to_string(),
            ("uset", "preimage_union_pw_multi_aff") => self.uset(0)?.preimage_union(&self.upma(1)?, b)?.to_string(),
            ("umap", "preimage_domain_union_pw_multi_aff") => {
                self.umap(0)?.preimage_domain_union(&self.upma(1)?, b)?.to_string()
            }
            ("umap", "preimage_range_union_pw_multi_aff") => {
                self.umap(0)?.preimage_range_union(&self.upma(1)?, b)?.to_string()
            }
            ("umap", "eq_at_multi_union_pw_aff") => self.umap(0)?.eq_at(&self.mupa(1)?, b)?.to_string(),
            ("umap", "lex_lt_at_multi_union_pw_aff") => self.umap(0)?.lex_lt_at(&self.mupa(1)?, b)?.to_string(),
            ("umap", "lex_le_at_multi_union_pw_aff") => self.umap(0)?.lex_le_at(&self.mupa(1)?, b)?.to_string(),
            ("umap", "lex_gt_at_multi_union_pw_aff") => self.umap(0)?.lex_gt_at(&self.mupa(1)?, b)?.to_string(),
            ("umap", "lex_ge_at_multi_union_pw_aff") => self.umap(0)?.lex_ge_at(&self.mupa(1)?, b)?.to_string(),
            _ => return Ok(None),
        }))
    }
}
