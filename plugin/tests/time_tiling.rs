//! Shifts of statements against each other.

use tessera::optimise::time_tiling::shifts;

#[test]
fn shifts_are_longest_paths() {
    assert_eq!(shifts(3, &[(0, 1, -1), (1, 2, -2), (0, 2, 0)]), Some(vec![0, 1, 3]));
    assert_eq!(shifts(2, &[(0, 1, -1), (1, 0, 1)]), Some(vec![0, 1]));
}

#[test]
fn cycles_without_distance_have_no_shifts() {
    // Each would have to come after the other.
    assert_eq!(shifts(2, &[(0, 1, -1), (1, 0, 0)]), None);
    assert_eq!(shifts(1, &[(0, 0, -1)]), None);
}
