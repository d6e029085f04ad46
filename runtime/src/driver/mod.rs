//! What a session needs of a driver: one device, one context, memory, modules, streams.
//!
//! [`Driver`] is the seam between this library and what executes kernels. [`cuda`] is NVIDIA's driver, [`emulate`] the
//! emulator of PTX, which `TESSERA_RT=emulate` chooses in [`open`]. Everything above this module uses the trait, and asks
//! for one difference only: whether memory may be larger than an array and be used again.
//!
//! A driver may be called by several threads at once. All calls but those of [`Driver::enter`], [`Driver::facts`]
//! and [`Driver::context_number`] are made between `enter` and `leave` of the same thread.

#![expect(unsafe_code, reason = "methods that take pointers")]

pub(crate) mod cuda;
mod emulate;
mod error;

use std::ffi::{CStr, c_void};
use std::fmt;
use std::ptr::NonNull;

pub(crate) use error::{DriverError, WAIT};

use crate::mode::Mode;
use crate::reason::Reason;

/// An address in the device's memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct DeviceAddress(pub(crate) u64);

/// A queue of the device, in which work is done in order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Stream(pub(crate) usize);

/// PTX that was translated and loaded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Module(pub(crate) usize);

/// A kernel of a module.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Function(pub(crate) usize);

/// What is known of a device before anything was measured.
#[derive(Debug)]
pub(crate) struct Facts {
    /// Its name, for people.
    pub(crate) name: String,
    /// What tells it apart from all other devices.
    pub(crate) uuid: [u8; 16],
    /// The driver's version, as `1000 * major + 10 * minor` of the CUDA version that it supports.
    pub(crate) driver_version: i32,
    /// Bytes of memory.
    pub(crate) memory_bytes: u64,
    /// Operations per second that kernels may reach: half of the fused multiply-adds that the processors can issue.
    pub(crate) operations: f64,
    /// The same for double precision.
    pub(crate) doubles: f64,
    /// Bytes per second of its memory.
    pub(crate) memory_rate: f64,
}

/// The part of memory that is copied: rows of equal length at equal distances.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Shape {
    /// Bytes of a row.
    pub(crate) row_bytes: usize,
    /// How many rows.
    pub(crate) rows: usize,
    /// Bytes from the beginning of a row to that of the next.
    pub(crate) pitch: usize,
}

impl Shape {
    /// The shape with these sizes; `None` where rows overlap or the whole does not fit half of the address space.
    /// Rows without a gap become one row.
    pub(crate) fn new(row_bytes: u64, rows: u64, pitch: u64) -> Option<Shape> {
        let fits = |value: u64| usize::try_from(value).ok().filter(|value| *value <= isize::MAX as usize);
        let (row_bytes, rows, pitch) = (fits(row_bytes)?, fits(rows)?, fits(pitch)?);
        if row_bytes == 0 || rows == 0 {
            return Some(Shape::row(0));
        }
        if rows > 1 && pitch < row_bytes {
            return None;
        }
        (rows - 1).checked_mul(pitch)?.checked_add(row_bytes).filter(|span| *span <= isize::MAX as usize)?;
        Some(if rows == 1 || pitch == row_bytes {
            Shape::row(row_bytes * rows)
        } else {
            Shape { row_bytes, rows, pitch }
        })
    }

    /// One row of this many bytes.
    pub(crate) fn row(bytes: usize) -> Shape {
        Shape { row_bytes: bytes, rows: 1, pitch: bytes }
    }

    /// Bytes from the first to the last, gaps included.
    pub(crate) fn span(self) -> usize {
        (self.rows - 1) * self.pitch + self.row_bytes
    }

    /// Bytes without the gaps.
    pub(crate) fn bytes(self) -> usize {
        self.rows * self.row_bytes
    }
}

/// Blocks and threads of a launch, and its dynamic shared memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Extent {
    /// Blocks in each dimension.
    pub(crate) grid: [u32; 3],
    /// Threads of a block in each dimension.
    pub(crate) block: [u32; 3],
    /// Bytes of dynamic shared memory of a block.
    pub(crate) shared_bytes: u32,
}

/// What executes kernels.
pub(crate) trait Driver: Send + Sync + fmt::Debug {
    /// The device.
    fn facts(&self) -> &Facts;

    /// Makes the device's context that of this thread, whatever was before.
    fn enter(&self) -> Result<(), DriverError>;

    /// Makes the context from before [`Driver::enter`] that of this thread again.
    fn leave(&self) -> Result<(), DriverError>;

    /// A number that changes when the context is reset behind our back; `None` where the driver cannot say.
    fn context_number(&self) -> Result<Option<u64>, DriverError>;

    /// Whether each buffer is to have the bytes that were asked for and to be used once, so that accesses beside it are noticed.
    fn has_exact_buffers(&self) -> bool {
        false
    }

    /// Memory on the device.
    fn allocate(&self, bytes: usize) -> Result<DeviceAddress, DriverError>;

    /// Gives memory back that no work uses any more.
    fn free(&self, address: DeviceAddress) -> Result<(), DriverError>;

    /// Memory on the host that the device can copy from and to by itself.
    fn allocate_pinned(&self, bytes: usize) -> Result<NonNull<u8>, DriverError>;

    /// Gives such memory back that no copy uses any more.
    fn free_pinned(&self, address: NonNull<u8>) -> Result<(), DriverError>;

    /// A new stream.
    fn create_stream(&self) -> Result<Stream, DriverError>;

    /// Waits until all work of a stream is done, and says whether any of it failed.
    fn synchronize(&self, stream: Stream) -> Result<(), DriverError>;

    /// Translates and loads PTX text. After an error the text is the compiler's log.
    fn load(&self, ptx: &CStr) -> Result<Module, (DriverError, String)>;

    /// Looks up a kernel.
    fn function(&self, module: Module, name: &CStr) -> Result<Function, DriverError>;

    /// Lets a kernel use this much dynamic shared memory, beyond what every kernel may.
    fn allow_shared_bytes(&self, function: Function, bytes: u32) -> Result<(), DriverError>;

    /// Copies to the device, in the order of the stream; may still read when it returns. `shape` holds on the device; on the host
    /// rows are `pitch` bytes apart.
    ///
    /// # Safety
    ///
    /// The rows at `from` are readable until the stream was synchronised, and `to` has room for the span.
    unsafe fn upload(
        &self,
        to: DeviceAddress,
        from: *const u8,
        shape: Shape,
        pitch: usize,
        stream: Stream,
    ) -> Result<(), DriverError>;

    /// Copies to the host, in the order of the stream; may still write when it returns. `shape` holds on the device, and
    /// the rows lie without gaps on the host.
    ///
    /// # Safety
    ///
    /// `to` has room for the rows without gaps and belongs to nobody else until the stream was synchronised; `from` has the span.
    unsafe fn download(
        &self,
        to: *mut u8,
        from: DeviceAddress,
        shape: Shape,
        stream: Stream,
    ) -> Result<(), DriverError>;

    /// Launches a kernel, in the order of the stream. The values of parameters are copied before it returns.
    ///
    /// # Safety
    ///
    /// `parameters` points to one pointer to a value for each parameter of the kernel.
    unsafe fn launch(
        &self,
        function: Function,
        extent: Extent,
        parameters: *const *const c_void,
        stream: Stream,
    ) -> Result<(), DriverError>;
}

/// The text in these bytes: up to a zero byte, or all of them.
pub(crate) fn up_to_zero(bytes: &[u8]) -> &[u8] {
    CStr::from_bytes_until_nul(bytes).map_or(bytes, CStr::to_bytes)
}

/// Opens the driver that the mode asks for, with its first device.
pub(crate) fn open(mode: Mode, library: Option<&std::ffi::OsStr>) -> Result<Box<dyn Driver>, Reason> {
    if mode.emulate {
        return Ok(Box::new(emulate::Emulator::new()));
    }
    Ok(Box::new(cuda::Cuda::open(library)?))
}

#[cfg(test)]
mod tests {
    use super::Shape;

    #[test]
    fn rows_without_gaps_are_one_row() {
        assert_eq!(Shape::new(8, 4, 8), Shape::new(32, 1, 32));
        assert_eq!(Shape::new(8, 1, 0), Shape::new(8, 1, 8));
    }

    #[test]
    fn a_rectangle_keeps_its_gaps() {
        let shape = Shape::new(8, 4, 100).unwrap();
        assert_eq!((shape.span(), shape.bytes()), (308, 32));
    }

    #[test]
    fn nothing_is_a_shape() {
        assert_eq!(Shape::new(0, 1000, 8).unwrap().span(), 0);
        assert_eq!(Shape::new(8, 0, 8).unwrap().bytes(), 0);
    }

    #[test]
    fn sizes_that_do_not_fit_are_none() {
        for (row, rows, pitch) in [(8, 2, 7), (u64::MAX, 1, u64::MAX), (1, 1 << 62, 1 << 62), (1 << 62, 3, 1 << 62)] {
            assert_eq!(Shape::new(row, rows, pitch), None);
        }
    }
}
