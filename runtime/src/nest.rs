//! The nests of a program: their kernels, loaded once, and what their sessions taught us.
//!
//! A nest is looked up by the address of its description, and compared by its contents: a library of the program may have
//! been unloaded and another one loaded in its place. PTX text is loaded once however many nests share it, and text that
//! the driver refused is never shown to it again.

#![expect(unsafe_code, reason = "descriptions of the program are reached by pointer")]

use std::collections::HashMap;
use std::ffi::{CStr, CString};
use std::slice;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use crate::abi;
use crate::device::{Device, lock};
use crate::driver::cuda::PLAIN_SHARED_BYTES;
use crate::driver::{DriverError, Function, Module, up_to_zero};
use crate::reason::Reason;

/// A nest as the program describes it. Nothing of it is looked at before something asks: most executions are decided by
/// their estimates.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Description<'a>(&'a abi::Nest);

impl<'a> Description<'a> {
    /// The description; `None` where a pointer is null.
    ///
    /// # Safety
    ///
    /// Each pointer is null or holds what [`abi::Nest`] says, for as long as the result lives.
    pub(crate) unsafe fn new(nest: &'a abi::Nest) -> Option<Description<'a>> {
        (!nest.name.is_null() && !nest.ptx.is_null() && !nest.kernels.is_null()).then_some(Description(nest))
    }

    /// What traces call it.
    pub(crate) fn name(&self) -> &'a CStr {
        // SAFETY: `new` made its caller promise that the name ends with a zero byte, and found it not null.
        unsafe { CStr::from_ptr(self.0.name) }
    }

    /// The text up to a zero byte: what the driver would read of it.
    fn ptx(&self) -> &'a [u8] {
        let bytes = usize::try_from(self.0.ptx_bytes).unwrap_or(0);
        // SAFETY: `new` made its caller promise as many bytes of text, and found the pointer not null.
        let text = unsafe { slice::from_raw_parts(self.0.ptx.cast::<u8>(), bytes) };
        up_to_zero(text)
    }

    fn kernel_names(&self) -> impl Iterator<Item = &'a CStr> + use<'a> {
        // SAFETY: `new` made its caller promise as many pointers, and found the pointer to them not null.
        let names = unsafe { slice::from_raw_parts(self.0.kernels, self.0.kernel_count as usize) };
        names.iter().map(|name| {
            if name.is_null() {
                return c"";
            }
            // SAFETY: `new` made its caller promise that each points to text that ends with a zero byte, if to anything.
            unsafe { CStr::from_ptr(*name) }
        })
    }

    /// The address of the description.
    pub(crate) fn key(&self) -> usize {
        std::ptr::from_ref(self.0).addr()
    }
}

/// A kernel, and how much dynamic shared memory it was allowed.
#[derive(Debug)]
pub(crate) struct Kernel {
    function: Function,
    allowed_bytes: AtomicU32,
}

impl Kernel {
    /// The function, after it was allowed this much dynamic shared memory.
    pub(crate) fn with_shared_bytes(&self, device: &Device, bytes: u32) -> Result<Function, DriverError> {
        if bytes > self.allowed_bytes.load(Ordering::Relaxed) {
            device.driver.allow_shared_bytes(self.function, bytes)?;
            // Of two threads the one with less may come last: then the other's question is asked again.
            self.allowed_bytes.store(bytes, Ordering::Relaxed);
        }
        Ok(self.function)
    }
}

/// What is known of a nest beside its kernels.
#[derive(Debug)]
pub(crate) struct Experience {
    /// Seconds that the device would have saved before its kernels were loaded.
    pub(crate) missed: f64,
    /// Errors in a row.
    pub(crate) failures: u32,
    /// Executions on the host before the next try, after errors.
    pub(crate) rest: u32,
    /// Sessions that succeeded.
    pub(crate) sessions: u64,
    /// The time of sessions over the time of the model.
    pub(crate) slowness: f64,
}

impl Default for Experience {
    fn default() -> Experience {
        Experience { missed: 0.0, failures: 0, rest: 0, sessions: 0, slowness: 1.0 }
    }
}

impl Experience {
    /// A session took `measured` seconds where the model says `expected`. The first two are not counted: they allocate what
    /// later ones reuse.
    pub(crate) fn succeeded(&mut self, measured: f64, expected: Option<f64>) {
        self.failures = 0;
        self.sessions += 1;
        if let Some(expected) = expected.filter(|expected| *expected > 0.0 && self.sessions > 2) {
            let ratio = (measured / expected).clamp(0.1, 1e6);
            self.slowness += 0.25 * (ratio - self.slowness);
        }
    }

    /// A session failed: the nest rests for 1, 3, 7, ... executions.
    pub(crate) fn failed(&mut self) {
        self.failures = (self.failures + 1).min(16);
        self.rest = (1 << self.failures) - 1;
    }

    /// The host is taken because sessions were slow. That fades by a hundredth each time, so that a disturbance is not
    /// remembered for ever, and a nest that is slow by nature is tried again rarely.
    pub(crate) fn fade(&mut self) {
        if self.slowness > 1.0 {
            self.slowness = (self.slowness * 0.99).max(1.0);
        }
    }
}

/// A nest of the program.
#[derive(Debug)]
pub(crate) struct Nest {
    name: CString,
    text: Arc<Text>,
    kernel_names: Vec<CString>,
    kernels: Mutex<Option<Arc<[Kernel]>>>,
    pub(crate) experience: Mutex<Experience>,
}

/// PTX text, and what the driver made of it.
#[derive(Debug)]
struct Text {
    ptx: CString,
    module: Mutex<Option<Result<Module, Reason>>>,
}

impl Nest {
    /// What traces call it.
    pub(crate) fn name(&self) -> std::borrow::Cow<'_, str> {
        self.name.to_string_lossy()
    }

    /// The name of a kernel.
    pub(crate) fn kernel_name(&self, index: u32) -> std::borrow::Cow<'_, str> {
        self.kernel_names.get(index as usize).map_or("?".into(), |name| name.to_string_lossy())
    }

    /// The length of its PTX text.
    pub(crate) fn ptx_bytes(&self) -> usize {
        self.text.ptx.as_bytes().len()
    }

    fn is(&self, description: &Description<'_>) -> bool {
        self.name.as_c_str() == description.name()
            && self.text.ptx.as_bytes() == description.ptx()
            && self.kernel_names.iter().map(CString::as_c_str).eq(description.kernel_names())
    }

    /// Whether the kernels are there, or are known not to be.
    pub(crate) fn is_loaded(&self) -> bool {
        lock(&self.text.module).is_some()
    }

    /// The kernels; the first call translates the text. Called in the device's context.
    pub(crate) fn kernels(&self, device: &Device) -> Result<Arc<[Kernel]>, Reason> {
        let mut kernels = lock(&self.kernels);
        if let Some(kernels) = &*kernels {
            return Ok(kernels.clone());
        }
        let module = lock(&self.text.module)
            .get_or_insert_with(|| device.driver.load(&self.text.ptx).map_err(|(error, log)| Reason::Ptx(error, log)))
            .clone()?;
        let found: Result<Vec<Kernel>, Reason> = self
            .kernel_names
            .iter()
            .map(|name| match device.driver.function(module, name) {
                Ok(function) => Ok(Kernel { function, allowed_bytes: AtomicU32::new(PLAIN_SHARED_BYTES) }),
                Err(error) => Err(Reason::NoKernel(name.to_string_lossy().into_owned(), error)),
            })
            .collect();
        let found: Arc<[Kernel]> = found?.into();
        *kernels = Some(found.clone());
        Ok(found)
    }
}

/// All nests that were seen.
#[derive(Debug, Default)]
pub(crate) struct Nests {
    by_address: Mutex<HashMap<usize, Arc<Nest>>>,
    by_text: Mutex<HashMap<CString, Arc<Text>>>,
}

impl Nests {
    /// The nest of a description.
    pub(crate) fn get(&self, description: &Description<'_>) -> Arc<Nest> {
        let found = lock(&self.by_address).get(&description.key()).cloned();
        if let Some(nest) = found.filter(|nest| nest.is(description)) {
            return nest;
        }
        let ptx = CString::new(description.ptx()).unwrap_or_default();
        let text = lock(&self.by_text)
            .entry(ptx)
            .or_insert_with_key(|ptx| Arc::new(Text { ptx: ptx.clone(), module: Mutex::new(None) }))
            .clone();
        let nest = Arc::new(Nest {
            name: description.name().to_owned(),
            text,
            kernel_names: description.kernel_names().map(CStr::to_owned).collect(),
            kernels: Mutex::new(None),
            experience: Mutex::new(Experience::default()),
        });
        let mut nests = lock(&self.by_address);
        // Another thread may have come first: then its nest holds, so that there is one.
        match nests.get(&description.key()) {
            Some(other) if other.is(description) => other.clone(),
            _ => {
                nests.insert(description.key(), nest.clone());
                nest
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::{CStr, c_char};
    use std::sync::Arc;

    use super::{Description, Experience, Nest, Nests};
    use crate::abi::{self, ABI_VERSION};

    fn described(name: &CStr, ptx: &[u8], kernels: &[*const c_char]) -> abi::Nest {
        abi::Nest {
            abi: ABI_VERSION,
            kernel_count: u32::try_from(kernels.len()).unwrap(),
            name: name.as_ptr(),
            ptx: ptx.as_ptr().cast(),
            ptx_bytes: ptx.len() as u64,
            kernels: kernels.as_ptr(),
        }
    }

    fn get(nests: &Nests, nest: &abi::Nest) -> Arc<Nest> {
        // SAFETY: the tests describe constants.
        nests.get(&unsafe { Description::new(nest) }.unwrap())
    }

    #[test]
    fn nests_are_found_by_address_and_contents() {
        let nests = Nests::default();
        let (one, two) = ([c"one".as_ptr()], [c"two".as_ptr()]);
        let mut nest = described(c"a", b"text", &one);
        let first = get(&nests, &nest);
        nest.ptx = c"text".as_ptr();
        nest.ptx_bytes = 5;
        assert!(Arc::ptr_eq(&first, &get(&nests, &nest)));
        // Another library at the same address.
        for other in [described(c"a", b"Text", &one), described(c"a", b"text", &two), described(c"b", b"text", &one)] {
            nest = other;
            assert!(!Arc::ptr_eq(&first, &get(&nests, &nest)));
        }
    }

    #[test]
    fn nests_share_a_text() {
        let nests = Nests::default();
        let (first, second) = (described(c"a", b"text", &[]), described(c"b", b"text", &[]));
        let (first, second) = (get(&nests, &first), get(&nests, &second));
        assert!(!Arc::ptr_eq(&first, &second));
        assert!(Arc::ptr_eq(&first.text, &second.text));
    }

    #[test]
    fn null_pointers_are_no_nest() {
        let nest = abi::Nest { kernels: std::ptr::null(), ..described(c"a", b"text", &[]) };
        // SAFETY: pointers may be null.
        assert!(unsafe { Description::new(&nest) }.is_none());
        let nests = Nests::default();
        let none = [std::ptr::null()];
        assert_eq!(get(&nests, &described(c"a", b"text", &none)).kernel_name(0), "");
    }

    #[test]
    fn errors_in_a_row_make_a_nest_rest_longer() {
        let mut experience = Experience::default();
        let rests: Vec<u32> = (0..4)
            .map(|_| {
                experience.failed();
                experience.rest
            })
            .collect();
        assert_eq!(rests, [1, 3, 7, 15]);
        (0..40).for_each(|_| experience.failed());
        assert_eq!(experience.rest, 65_535);
        experience.succeeded(1.0, None);
        experience.failed();
        assert_eq!(experience.rest, 1);
    }

    #[test]
    fn slow_sessions_are_remembered_and_fade() {
        let mut experience = Experience::default();
        experience.succeeded(100.0, Some(1.0));
        experience.succeeded(100.0, Some(1.0));
        assert_eq!(experience.slowness, 1.0);
        (0..20).for_each(|_| experience.succeeded(4.0, Some(1.0)));
        assert!((3.9..=4.0).contains(&experience.slowness));
        (0..500).for_each(|_| experience.fade());
        assert_eq!(experience.slowness, 1.0);
    }
}
