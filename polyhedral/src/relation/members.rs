//! [`Members`]: the sets or maps of a union, one per space, sorted by their tuples.
//!
//! Most unions have a few members, so they lie in one vector without spare room. An insertion in front of others moves
//! these.

use crate::space::Tuple;

/// The tuples of a space: the key of one member of a union.
pub(super) type Key = (Option<Tuple>, Tuple, bool);

/// A map from tuples to sets or maps; see the module documentation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Members<T>(Vec<(Key, T)>);

impl<T> Members<T> {
    fn position(&self, key: &Key) -> Result<usize, usize> {
        self.0.binary_search_by(|(k, _)| k.cmp(key))
    }

    pub(super) fn get(&self, key: &Key) -> Option<&T> {
        self.position(key).ok().map(|at| &self.0[at].1)
    }

    /// Adds a member or replaces the one with these tuples.
    pub(super) fn insert(&mut self, key: Key, member: T) {
        match self.position(&key) {
            Ok(at) => self.0[at].1 = member,
            Err(at) => {
                if self.0.len() < 4 {
                    self.0.reserve_exact(1);
                }
                self.0.insert(at, (key, member));
            }
        }
    }

    pub(super) fn retain(&mut self, mut keep: impl FnMut(&T) -> bool) {
        self.0.retain(|(_, member)| keep(member));
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn iter(&self) -> impl ExactSizeIterator<Item = (&Key, &T)> {
        self.0.iter().map(|(key, member)| (key, member))
    }

    pub(super) fn values(&self) -> impl ExactSizeIterator<Item = &T> + Clone {
        self.0.iter().map(|(_, member)| member)
    }

    pub(super) fn values_mut(&mut self) -> impl ExactSizeIterator<Item = &mut T> {
        self.0.iter_mut().map(|(_, member)| member)
    }

    pub(super) fn into_values(self) -> impl ExactSizeIterator<Item = T> {
        self.0.into_iter().map(|(_, member)| member)
    }

    /// The same tuples with other sets or maps.
    pub(super) fn map<U>(&self, f: impl Fn(&T) -> U) -> Members<U> {
        Members(self.0.iter().map(|(key, member)| (key.clone(), f(member))).collect())
    }
}

impl<T> Default for Members<T> {
    fn default() -> Members<T> {
        Members(Vec::new())
    }
}
