//! Targets as text, in the form that [`Target::parse`](super::Target::parse) reads.

use std::fmt::{self, Display, Formatter};

use crate::text::quoted;

use super::Target;

/// YAML in block style; what has its usual value is left out. Reading the text gives an equal value.
impl Display for Target {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "target: {}", quoted(&self.name))?;
        if self.threads != 1 {
            writeln!(f, "threads: {}", self.threads)?;
        }
        writeln!(f, "issue: {}\nwindow: {}\nmisses: {}", self.issue, self.window, self.misses)?;
        if !self.caches.is_empty() {
            writeln!(f, "caches:")?;
        }
        for cache in &self.caches {
            write!(f, "- {{ cache: {}, bytes: {}, line: {}", quoted(&cache.name), cache.bytes, cache.line)?;
            let (latency, throughput) = (cache.latency, cache.throughput);
            writeln!(f, ", ways: {}, latency: {latency}, throughput: {throughput} }}", cache.ways)?;
        }
        writeln!(f, "memory: {{ latency: {}, throughput: {} }}", self.memory.latency, self.memory.throughput)?;
        if !self.pages.is_empty() {
            writeln!(f, "pages:")?;
        }
        for pages in &self.pages {
            writeln!(f, "- {{ entries: {}, page: {}, miss: {} }}", pages.entries, pages.page, pages.miss)?;
        }
        let vectors = &self.vectors;
        write!(f, "vectors: {{ bits: {}, registers: {}", vectors.bits, vectors.registers)?;
        write!(f, ", fma: {}, masks: {}", u8::from(vectors.fma), u8::from(vectors.masks))?;
        for (key, cost) in [("gather", vectors.gather), ("scatter", vectors.scatter)] {
            if let Some(cost) = cost {
                write!(f, ", {key}: {cost}")?;
            }
        }
        writeln!(f, " }}\nscalars: {{ registers: {} }}", self.scalar_registers)?;
        let loops = &self.loops;
        writeln!(f, "loops: {{ iteration: {}, entry: {}, vector: {} }}", loops.iteration, loops.entry, loops.vector)?;
        if !self.operations.is_empty() {
            writeln!(f, "operations:")?;
        }
        for cost in &self.operations {
            write!(f, "- {{ operation: {}", cost.operation)?;
            if !cost.elements.is_empty() {
                let elements: Vec<String> = cost.elements.iter().map(ToString::to_string).collect();
                write!(f, ", elements: [ {} ]", elements.join(", "))?;
            }
            write!(f, ", latency: {}, scalar: {}", cost.latency, cost.scalar)?;
            if let Some(vector) = cost.vector {
                write!(f, ", vector: {vector}")?;
            }
            writeln!(f, " }}")?;
        }
        Ok(())
    }
}
