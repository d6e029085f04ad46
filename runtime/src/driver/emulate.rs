//! The emulator of PTX as a driver: `TESSERA_RT=emulate` runs every nest on it, on any machine.
//!
//! It executes what a device would get, slowly, and looks for what a device does not report: races, accesses out of
//! bounds, barriers that not all threads reach, values that nobody has written. Such a fault is the error of its launch, so
//! that the host path runs and `TESSERA_RT=trace` has the sentence. To notice more of them:
//!
//! - A buffer is as long as its array and used once; between buffers lie gaps, and addresses of freed ones hit nothing.
//! - A buffer is full of ones before anything is copied there: as numbers NaN and -1, so that a kernel that relies on
//!   zeros, or on a copy that is not made, gives other results than the host.
//!
//! What lies between the rows of a rectangle belongs to its buffer: there only wrong results tell.
//!
//! One thread at a time is in the emulator; all work is done when a call returns.

#![expect(unsafe_code, reason = "copies from and to the host")]

use std::ffi::{CStr, c_void};
use std::ptr::NonNull;
use std::sync::Mutex;
use std::{fs, slice};

use tessera_ptx::{Configuration, Limits, ModuleId};

use super::cuda::PLAIN_SHARED_BYTES;
use super::{DeviceAddress, Driver, DriverError, Extent, Facts, Function, Module, Shape, Stream};
use crate::device::lock;

/// The most shared memory that a block may have on any device so far (`sm_90`).
const SHARED_BYTES: u32 = 227 << 10;

/// Bytes of the host for a byte of the device: 112 remember who accessed it during a launch.
const HOST_BYTES: u64 = 128;

/// A kernel of a module.
#[derive(Debug)]
struct Kernel {
    module: ModuleId,
    name: String,
    /// Bytes of each parameter.
    parameters: Vec<usize>,
    /// Dynamic shared memory that it may have.
    shared_bytes: u32,
}

/// What handles refer to: [`Module`] and [`Function`] are indices.
#[derive(Debug)]
struct State {
    device: tessera_ptx::Device,
    modules: Vec<ModuleId>,
    kernels: Vec<Kernel>,
}

/// The emulator.
#[derive(Debug)]
pub(crate) struct Emulator {
    facts: Facts,
    state: Mutex<State>,
}

impl Emulator {
    /// An emulator with as much memory as this machine can spare for it.
    pub(crate) fn new() -> Emulator {
        let memory_bytes = (available_bytes().unwrap_or(8 << 30) / HOST_BYTES).clamp(16 << 20, 8 << 30);
        let limits = Limits { shared_bytes: u64::from(SHARED_BYTES), global_bytes: memory_bytes, ..Limits::default() };
        let facts = Facts {
            name: "PTX emulator".to_owned(),
            uuid: [0; 16],
            driver_version: 0,
            memory_bytes,
            // Nobody asks what an emulator costs.
            operations: 1e6,
            doubles: 1e6,
            memory_rate: 1e6,
        };
        let state = State { device: tessera_ptx::Device::new(limits), modules: Vec::new(), kernels: Vec::new() };
        Emulator { facts, state: Mutex::new(state) }
    }
}

/// The memory that programs can have without pushing out others, by what Linux says.
fn available_bytes() -> Option<u64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.trim().strip_suffix(" kB")?.parse::<u64>().ok()?.checked_mul(1024)
}

fn said(error: impl std::fmt::Display) -> DriverError {
    DriverError::Emulator(error.to_string())
}

fn unknown(handle: &str) -> DriverError {
    DriverError::Emulator(format!("there is no such {handle}"))
}

/// Where each row of the shape begins, as bytes from the first.
fn rows(shape: Shape) -> impl Iterator<Item = (usize, usize)> {
    (0..shape.rows).map(move |row| (row, row * shape.pitch))
}

impl Driver for Emulator {
    fn facts(&self) -> &Facts {
        &self.facts
    }

    fn enter(&self) -> Result<(), DriverError> {
        Ok(())
    }

    fn leave(&self) -> Result<(), DriverError> {
        Ok(())
    }

    fn context_number(&self) -> Result<Option<u64>, DriverError> {
        Ok(None)
    }

    fn has_exact_buffers(&self) -> bool {
        true
    }

    fn allocate(&self, bytes: usize) -> Result<DeviceAddress, DriverError> {
        let device = &mut lock(&self.state).device;
        let address = device.allocate(bytes as u64).map_err(said)?;
        device.bytes_mut(address, bytes as u64).map_err(said)?.fill(0xff);
        Ok(DeviceAddress(address))
    }

    fn free(&self, address: DeviceAddress) -> Result<(), DriverError> {
        lock(&self.state).device.free(address.0).map_err(said)
    }

    fn allocate_pinned(&self, bytes: usize) -> Result<NonNull<u8>, DriverError> {
        // There is nothing that could copy by itself: sessions go without.
        Err(DriverError::out_of_memory("cuMemHostAlloc", bytes))
    }

    fn free_pinned(&self, _address: NonNull<u8>) -> Result<(), DriverError> {
        Err(unknown("pinned memory"))
    }

    fn create_stream(&self) -> Result<Stream, DriverError> {
        Ok(Stream(0))
    }

    fn synchronize(&self, _stream: Stream) -> Result<(), DriverError> {
        Ok(())
    }

    fn load(&self, ptx: &CStr) -> Result<Module, (DriverError, String)> {
        let load = || {
            let module = tessera_ptx::Module::parse(ptx.to_str().map_err(said)?).map_err(said)?;
            let state = &mut *lock(&self.state);
            state.modules.push(state.device.load(module).map_err(said)?);
            Ok(Module(state.modules.len() - 1))
        };
        // The error says all there is to say.
        load().map_err(|error| (error, String::new()))
    }

    fn function(&self, module: Module, name: &CStr) -> Result<Function, DriverError> {
        let state = &mut *lock(&self.state);
        let module = *state.modules.get(module.0).ok_or_else(|| unknown("module"))?;
        let name = name.to_str().map_err(said)?.to_owned();
        let loaded = state.device.module(module).ok_or_else(|| unknown("module"))?;
        let parameters = loaded.parameters(&name).ok_or_else(|| unknown("kernel"))?;
        state.kernels.push(Kernel { module, name, parameters, shared_bytes: PLAIN_SHARED_BYTES });
        Ok(Function(state.kernels.len() - 1))
    }

    fn allow_shared_bytes(&self, function: Function, bytes: u32) -> Result<(), DriverError> {
        let state = &mut *lock(&self.state);
        let kernel = state.kernels.get_mut(function.0).ok_or_else(|| unknown("kernel"))?;
        if bytes > SHARED_BYTES {
            let name = &kernel.name;
            return Err(said(format!(
                "kernel `{name}` wants {bytes} bytes of shared memory, and {SHARED_BYTES} is the most"
            )));
        }
        kernel.shared_bytes = kernel.shared_bytes.max(bytes);
        Ok(())
    }

    unsafe fn upload(
        &self,
        to: DeviceAddress,
        from: *const u8,
        shape: Shape,
        pitch: usize,
        _stream: Stream,
    ) -> Result<(), DriverError> {
        let device = &mut lock(&self.state).device;
        for (row, offset) in rows(shape) {
            let target = device.bytes_mut(to.0 + offset as u64, shape.row_bytes as u64).map_err(said)?;
            // SAFETY: the caller promises a readable row here, and `target`, which has as many bytes, is the emulator's own memory.
            unsafe { std::ptr::copy_nonoverlapping(from.add(row * pitch), target.as_mut_ptr(), shape.row_bytes) };
        }
        Ok(())
    }

    unsafe fn download(
        &self,
        to: *mut u8,
        from: DeviceAddress,
        shape: Shape,
        _stream: Stream,
    ) -> Result<(), DriverError> {
        let device = &lock(&self.state).device;
        for (row, offset) in rows(shape) {
            let source = device.bytes(from.0 + offset as u64, shape.row_bytes as u64).map_err(said)?;
            // SAFETY: the caller promises room for all rows without gaps, and `source`, which has the bytes of one, is the
            // emulator's own memory.
            unsafe { std::ptr::copy_nonoverlapping(source.as_ptr(), to.add(row * shape.row_bytes), shape.row_bytes) };
        }
        Ok(())
    }

    unsafe fn launch(
        &self,
        function: Function,
        extent: Extent,
        parameters: *const *const c_void,
        _stream: Stream,
    ) -> Result<(), DriverError> {
        let state = &mut *lock(&self.state);
        let kernel = state.kernels.get(function.0).ok_or_else(|| unknown("kernel"))?;
        if extent.shared_bytes > kernel.shared_bytes {
            let (name, wanted, allowed) = (&kernel.name, extent.shared_bytes, kernel.shared_bytes);
            return Err(said(format!(
                "kernel `{name}` has {wanted} bytes of shared memory, and was allowed {allowed}"
            )));
        }
        let mut configuration = Configuration::new(extent.grid, extent.block);
        configuration.shared_bytes = extent.shared_bytes;
        for (index, bytes) in kernel.parameters.iter().enumerate() {
            // SAFETY: the caller promises a pointer to a value for each parameter, and the kernel's declaration says how many
            // bytes that has.
            let value = unsafe { slice::from_raw_parts((*parameters.add(index)).cast::<u8>(), *bytes) };
            configuration.argument(value);
        }
        state.device.launch(kernel.module, &kernel.name, &configuration).map_err(said)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::{CStr, c_void};

    use super::{Emulator, SHARED_BYTES};
    use crate::driver::{DeviceAddress, Driver, DriverError, Extent, Function, Module, Shape, Stream};

    const STREAM: Stream = Stream(0);

    /// Stores a byte and a word where two parameters say; a third says how far behind.
    const STORE: &CStr = c"
.version 6.0
.target sm_70
.address_size 64
.visible .entry store(.param .u8 byte, .param .u64 at, .param .u32 word)
{
    .reg .b16 %h<2>;
    .reg .b32 %r<2>;
    .reg .b64 %rd<2>;
    ld.param.u8 %h1, [byte];
    ld.param.u64 %rd1, [at];
    ld.param.u32 %r1, [word];
    st.global.u8 [%rd1], %h1;
    st.global.u32 [%rd1+4], %r1;
    ret;
}";

    fn store(emulator: &Emulator, function: Function, at: u64, shared_bytes: u32) -> Result<(), DriverError> {
        let (byte, word) = (7u8, 0x1122_3344u32);
        let parameters: [*const c_void; 3] =
            [(&raw const byte).cast(), (&raw const at).cast(), (&raw const word).cast()];
        // SAFETY: the kernel has three parameters of these sizes.
        unsafe {
            emulator.launch(function, Extent { grid: [1; 3], block: [1; 3], shared_bytes }, parameters.as_ptr(), STREAM)
        }
    }

    fn bytes(emulator: &Emulator, from: u64, count: usize) -> Result<Vec<u8>, DriverError> {
        let mut bytes = vec![0; count];
        // SAFETY: there is room for as many bytes.
        unsafe { emulator.download(bytes.as_mut_ptr(), DeviceAddress(from), Shape::row(count), STREAM) }?;
        Ok(bytes)
    }

    #[test]
    fn parameters_have_the_sizes_of_their_declarations() {
        let emulator = Emulator::new();
        let function = emulator.function(emulator.load(STORE).unwrap(), c"store").unwrap();
        let buffer = emulator.allocate(10).unwrap();
        store(&emulator, function, buffer.0, 0).unwrap();
        assert_eq!(bytes(&emulator, buffer.0, 10).unwrap(), [7, 255, 255, 255, 0x44, 0x33, 0x22, 0x11, 255, 255]);
        let error = store(&emulator, function, buffer.0 + 8, 0).unwrap_err().to_string();
        assert!(error.contains("kernel `store`, line 14, ") && error.ends_with("are out of bounds"), "{error}");
        emulator.free(buffer).unwrap();
        assert!(store(&emulator, function, buffer.0, 0).is_err() && bytes(&emulator, buffer.0, 1).is_err());
        assert!(emulator.free(buffer).is_err());
    }

    #[test]
    fn rectangles_keep_their_gaps() {
        let emulator = Emulator::new();
        let shape = Shape::new(2, 3, 5).unwrap();
        let buffer = emulator.allocate(shape.span()).unwrap();
        let host = *b"ab.cd.ef";
        // SAFETY: the host has three rows of two bytes, three bytes apart.
        unsafe { emulator.upload(buffer, host.as_ptr(), shape, 3, STREAM) }.unwrap();
        assert_eq!(bytes(&emulator, buffer.0, 12).unwrap(), *b"ab\xff\xff\xffcd\xff\xff\xffef");
        let mut rows = [0; 6];
        // SAFETY: there is room for three rows of two bytes.
        unsafe { emulator.download(rows.as_mut_ptr(), buffer, shape, STREAM) }.unwrap();
        assert_eq!(rows, *b"abcdef");
        // SAFETY: as above; the last row is not on the device.
        assert!(unsafe { emulator.download(rows.as_mut_ptr(), DeviceAddress(buffer.0 + 1), shape, STREAM) }.is_err());
    }

    #[test]
    fn shared_memory_has_to_be_allowed() {
        let emulator = Emulator::new();
        let function = emulator.function(emulator.load(STORE).unwrap(), c"store").unwrap();
        let buffer = emulator.allocate(8).unwrap();
        assert!(store(&emulator, function, buffer.0, 48 << 10).is_ok());
        assert!(store(&emulator, function, buffer.0, 64 << 10).is_err());
        emulator.allow_shared_bytes(function, 64 << 10).unwrap();
        assert!(store(&emulator, function, buffer.0, 64 << 10).is_ok());
        assert!(emulator.allow_shared_bytes(function, SHARED_BYTES).is_ok());
        assert!(emulator.allow_shared_bytes(function, SHARED_BYTES + 1).is_err());
    }

    #[test]
    fn what_is_not_there_is_an_error() {
        let emulator = Emulator::new();
        let (error, log) = emulator.load(c".version 6.0\n.target sm_70\n.adress_size 64\n").unwrap_err();
        assert_eq!(error.to_string(), "the emulator: line 3, column 1: unknown directive `.adress_size`");
        assert!(log.is_empty() && error.concerns_one_request());
        assert!(emulator.load(c"\xff").is_err());
        let module = emulator.load(STORE).unwrap();
        assert!(emulator.function(module, c"other").is_err());
        assert!(emulator.function(Module(1), c"store").is_err());
        assert!(emulator.allow_shared_bytes(Function(0), 1).is_err());
        assert!(emulator.allocate(usize::MAX).is_err());
        assert!(emulator.allocate(usize::try_from(emulator.facts().memory_bytes).unwrap() + 1).is_err());
        let nothing = emulator.allocate(0).unwrap();
        assert_eq!(bytes(&emulator, nothing.0, 0), Ok(Vec::new()));
        emulator.free(nothing).unwrap();
    }
}
