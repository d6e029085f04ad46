//! The table of processors: its invariants.

use tessera::machine::processors;

#[test]
fn the_table_of_processors_is_in_order() {
    assert_eq!(processors::defect(), None);
}
