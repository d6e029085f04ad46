//! NVIDIA's driver, loaded at run time: a table of functions that answer with an error or not, and nothing else.
//!
//! The library is never closed, and it is loaded only when a session wants it: a program that was compiled for a GPU starts
//! where there is no driver, and pays nothing for one that it does not use. The context is the device's primary one, which
//! CUDA libraries in the program share; it is current only between `enter` and `leave`, so the program's own context is
//! where it was.

#![expect(unsafe_code, reason = "calls of the driver")]

use std::ffi::{CStr, OsStr, c_char, c_int, c_uint, c_void};
use std::ptr::{NonNull, null, null_mut};

use libloading::Library;

use super::{DeviceAddress, Driver, DriverError, Extent, Facts, Function, Module, Shape, Stream, WAIT, up_to_zero};
use crate::reason::Reason;

/// The library's name where the user gives no path. The file without `.1` is there for those who compile only.
const LIBRARY: &str = "libcuda.so.1";

/// The oldest driver that is taken: CUDA 10.0, of 2018, which has all functions of the table.
const OLDEST_DRIVER: c_int = 10_000;

/// Dynamic shared memory that every kernel may use without being asked.
pub(crate) const PLAIN_SHARED_BYTES: u32 = 48 * 1024;

// Constants of cuda.h.
const DEVICE_ATTRIBUTE_CLOCK_RATE: c_int = 13;
const DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT: c_int = 16;
const DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE: c_int = 36;
const DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH: c_int = 37;
const DEVICE_ATTRIBUTE_SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO: c_int = 87;
const STREAM_NON_BLOCKING: c_uint = 1;
const MEMHOSTALLOC_PORTABLE: c_uint = 1;
const JIT_ERROR_LOG_BUFFER: c_int = 5;
const JIT_ERROR_LOG_BUFFER_SIZE_BYTES: c_int = 6;
const FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES: c_int = 8;
const MEMORYTYPE_HOST: c_uint = 1;
const MEMORYTYPE_DEVICE: c_uint = 2;

/// `CUDA_MEMCPY2D` of cuda.h.
#[repr(C)]
struct Memcpy2d {
    source_x: usize,
    source_y: usize,
    source_type: c_uint,
    source_host: *const c_void,
    source_device: u64,
    source_array: *mut c_void,
    source_pitch: usize,
    target_x: usize,
    target_y: usize,
    target_type: c_uint,
    target_host: *mut c_void,
    target_device: u64,
    target_array: *mut c_void,
    target_pitch: usize,
    width: usize,
    height: usize,
}

/// Declares the table: its fields, and how it is filled. Each signature is that of the function in cuda.h.
macro_rules! table {
    ($($field:ident = $symbol:literal ($($argument:ty),*);)*) => {
        /// The functions of the driver that are used.
        #[derive(Debug)]
        struct Table { $($field: unsafe extern "C" fn($($argument),*) -> c_int,)* }

        impl Table {
            /// Looks all functions up.
            fn load(library: &Library) -> Result<Table, Reason> {
                Ok(Table { $(
                    // SAFETY: the type is the one that cuda.h gives the function of this name, and the library is never closed.
                    $field: *unsafe { library.get(concat!($symbol, "\0").as_bytes()) }.map_err(|_| Reason::NoSymbol($symbol))?,
                )* })
            }
        }
    };
}

table! {
    init = "cuInit"(c_uint);
    driver_get_version = "cuDriverGetVersion"(*mut c_int);
    device_get_count = "cuDeviceGetCount"(*mut c_int);
    device_get = "cuDeviceGet"(*mut c_int, c_int);
    device_get_name = "cuDeviceGetName"(*mut c_char, c_int, c_int);
    device_get_uuid = "cuDeviceGetUuid"(*mut [u8; 16], c_int);
    device_get_attribute = "cuDeviceGetAttribute"(*mut c_int, c_int, c_int);
    device_total_mem = "cuDeviceTotalMem_v2"(*mut usize, c_int);
    primary_context_retain = "cuDevicePrimaryCtxRetain"(*mut usize, c_int);
    context_push = "cuCtxPushCurrent_v2"(usize);
    context_pop = "cuCtxPopCurrent_v2"(*mut usize);
    mem_alloc = "cuMemAlloc_v2"(*mut u64, usize);
    mem_free = "cuMemFree_v2"(u64);
    mem_host_alloc = "cuMemHostAlloc"(*mut *mut c_void, usize, c_uint);
    mem_free_host = "cuMemFreeHost"(*mut c_void);
    stream_create = "cuStreamCreate"(*mut usize, c_uint);
    stream_synchronize = "cuStreamSynchronize"(usize);
    module_load = "cuModuleLoadDataEx"(*mut usize, *const c_void, c_uint, *mut c_int, *mut *mut c_void);
    module_get_function = "cuModuleGetFunction"(*mut usize, usize, *const c_char);
    function_set_attribute = "cuFuncSetAttribute"(usize, c_int, c_int);
    memcpy_to_device = "cuMemcpyHtoDAsync_v2"(u64, *const c_void, usize, usize);
    memcpy_to_host = "cuMemcpyDtoHAsync_v2"(*mut c_void, u64, usize, usize);
    memcpy_2d = "cuMemcpy2DAsync_v2"(*const Memcpy2d, usize);
    launch_kernel = "cuLaunchKernel"(usize, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, usize, *const *const c_void, *mut *mut c_void);
}

/// The driver with its first device and that device's primary context.
#[derive(Debug)]
pub(crate) struct Cuda {
    table: Table,
    /// `cuCtxGetId`, which drivers have from CUDA 12.0 on.
    context_get_id: Option<unsafe extern "C" fn(usize, *mut u64) -> c_int>,
    context: usize,
    facts: Facts,
}

impl Cuda {
    /// Loads the library, `libcuda.so.1` where no path is given, and retains the primary context of device 0. Which
    /// device that is, the driver's own variable `CUDA_VISIBLE_DEVICES` decides.
    pub(crate) fn open(path: Option<&OsStr>) -> Result<Cuda, Reason> {
        // SAFETY: the initialisers of a driver library may run at any time; the user who names another file vouches for it.
        let library = unsafe { Library::new(path.unwrap_or(OsStr::new(LIBRARY))) };
        let library: &'static Library =
            Box::leak(Box::new(library.map_err(|error| Reason::NoLibrary(error.to_string()))?));
        let table = Table::load(library)?;
        // SAFETY: the type is the one that cuda.h gives this function, and the library is never closed.
        let context_get_id = unsafe { library.get(b"cuCtxGetId\0") }.ok().map(|symbol| *symbol);

        let mut driver_version = 0;
        // SAFETY: the call writes one number.
        DriverError::check("cuDriverGetVersion", unsafe { (table.driver_get_version)(&mut driver_version) })?;
        if driver_version < OLDEST_DRIVER {
            return Err(Reason::OldDriver(driver_version));
        }
        // SAFETY: the call takes no pointer.
        DriverError::check("cuInit", unsafe { (table.init)(0) })?;
        let mut count = 0;
        // SAFETY: the call writes one number.
        DriverError::check("cuDeviceGetCount", unsafe { (table.device_get_count)(&mut count) })?;
        if count < 1 {
            return Err(Reason::NoDevice);
        }
        let mut device = 0;
        // SAFETY: the call writes one number.
        DriverError::check("cuDeviceGet", unsafe { (table.device_get)(&mut device, 0) })?;
        let facts = Cuda::facts_of(&table, device, driver_version)?;
        let mut context = 0;
        // SAFETY: the call writes one handle. The context is never released: at the end of the program the driver does that
        // itself.
        DriverError::check("cuDevicePrimaryCtxRetain", unsafe {
            (table.primary_context_retain)(&mut context, device)
        })?;
        Ok(Cuda { table, context_get_id, context, facts })
    }

    fn facts_of(table: &Table, device: c_int, driver_version: c_int) -> Result<Facts, DriverError> {
        let mut name = [0u8; 128];
        // SAFETY: the call writes at most as many bytes as it is told, a zero byte among them.
        DriverError::check("cuDeviceGetName", unsafe {
            (table.device_get_name)(name.as_mut_ptr().cast(), name.len() as c_int - 1, device)
        })?;
        let mut uuid = [0u8; 16];
        // SAFETY: the call writes 16 bytes.
        DriverError::check("cuDeviceGetUuid", unsafe { (table.device_get_uuid)(&mut uuid, device) })?;
        let mut memory_bytes = 0usize;
        // SAFETY: the call writes one number.
        DriverError::check("cuDeviceTotalMem", unsafe { (table.device_total_mem)(&mut memory_bytes, device) })?;
        let attribute = |which| {
            let mut value = 0;
            // SAFETY: the call writes one number.
            DriverError::check("cuDeviceGetAttribute", unsafe {
                (table.device_get_attribute)(&mut value, which, device)
            })?;
            Ok::<f64, DriverError>(f64::from(value.max(0)))
        };
        let clock = 1e3 * attribute(DEVICE_ATTRIBUTE_CLOCK_RATE)?.max(1e5);
        let processors = attribute(DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?.max(1.0);
        let memory_clock = 1e3 * attribute(DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE)?.max(1e5);
        let bus_bytes = (attribute(DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH)? / 8.0).max(8.0);
        let ratio = attribute(DEVICE_ATTRIBUTE_SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO)?.max(1.0);
        // 64 lanes per processor are what all generations have at least; kernels without tensor cores reach about one
        // operation per lane and cycle.
        let operations = clock * processors * 64.0;
        Ok(Facts {
            name: String::from_utf8_lossy(up_to_zero(&name)).into_owned(),
            uuid,
            driver_version,
            memory_bytes: memory_bytes as u64,
            operations,
            doubles: operations / ratio,
            // Two transfers per cycle; three quarters of that are reached.
            memory_rate: 0.75 * 2.0 * memory_clock * bus_bytes,
        })
    }
}

impl Driver for Cuda {
    fn facts(&self) -> &Facts {
        &self.facts
    }

    fn enter(&self) -> Result<(), DriverError> {
        // SAFETY: the context was retained and is never released.
        DriverError::check("cuCtxPushCurrent", unsafe { (self.table.context_push)(self.context) })
    }

    fn leave(&self) -> Result<(), DriverError> {
        let mut context = 0;
        // SAFETY: the call writes one handle.
        DriverError::check("cuCtxPopCurrent", unsafe { (self.table.context_pop)(&mut context) })
    }

    fn context_number(&self) -> Result<Option<u64>, DriverError> {
        let Some(context_get_id) = self.context_get_id else { return Ok(None) };
        let mut number = 0;
        // SAFETY: the call writes one number; the context is the retained one.
        DriverError::check("cuCtxGetId", unsafe { context_get_id(self.context, &mut number) })?;
        Ok(Some(number))
    }

    fn allocate(&self, bytes: usize) -> Result<DeviceAddress, DriverError> {
        let mut address = 0;
        // SAFETY: the call writes one address.
        DriverError::check_bytes("cuMemAlloc", unsafe { (self.table.mem_alloc)(&mut address, bytes) }, bytes)?;
        Ok(DeviceAddress(address))
    }

    fn free(&self, address: DeviceAddress) -> Result<(), DriverError> {
        // SAFETY: the address came from `allocate`, and the caller uses it no more.
        DriverError::check("cuMemFree", unsafe { (self.table.mem_free)(address.0) })
    }

    fn allocate_pinned(&self, bytes: usize) -> Result<NonNull<u8>, DriverError> {
        let mut address = null_mut();
        // SAFETY: the call writes one address.
        let answer = unsafe { (self.table.mem_host_alloc)(&mut address, bytes, MEMHOSTALLOC_PORTABLE) };
        DriverError::check_bytes("cuMemHostAlloc", answer, bytes)?;
        // A null address without an error would be an error of the driver: memory is missing.
        NonNull::new(address.cast()).ok_or(DriverError::out_of_memory("cuMemHostAlloc", bytes))
    }

    fn free_pinned(&self, address: NonNull<u8>) -> Result<(), DriverError> {
        // SAFETY: the address came from `allocate_pinned`, and the caller uses it no more.
        DriverError::check("cuMemFreeHost", unsafe { (self.table.mem_free_host)(address.as_ptr().cast()) })
    }

    fn create_stream(&self) -> Result<Stream, DriverError> {
        let mut stream = 0;
        // SAFETY: the call writes one handle.
        DriverError::check("cuStreamCreate", unsafe { (self.table.stream_create)(&mut stream, STREAM_NON_BLOCKING) })?;
        Ok(Stream(stream))
    }

    fn synchronize(&self, stream: Stream) -> Result<(), DriverError> {
        // SAFETY: the stream came from `create_stream` and is never destroyed.
        DriverError::check(WAIT, unsafe { (self.table.stream_synchronize)(stream.0) })
    }

    fn load(&self, ptx: &CStr) -> Result<Module, (DriverError, String)> {
        let mut log = vec![0u8; 4096];
        let mut module = 0;
        let mut options = [JIT_ERROR_LOG_BUFFER, JIT_ERROR_LOG_BUFFER_SIZE_BYTES];
        // The driver takes the size in the place of a pointer.
        let mut values = [log.as_mut_ptr().cast::<c_void>(), std::ptr::without_provenance_mut(log.len() - 1)];
        // SAFETY: the text ends with a zero byte, both lists have two entries, and the log has one byte more than the
        // driver is told.
        let answer = unsafe {
            (self.table.module_load)(&mut module, ptx.as_ptr().cast(), 2, options.as_mut_ptr(), values.as_mut_ptr())
        };
        DriverError::check("cuModuleLoadDataEx", answer)
            .map_err(|error| (error, String::from_utf8_lossy(up_to_zero(&log)).trim().to_owned()))?;
        Ok(Module(module))
    }

    fn function(&self, module: Module, name: &CStr) -> Result<Function, DriverError> {
        let mut function = 0;
        // SAFETY: the module came from `load` and is never unloaded, the name ends with a zero byte, the call writes one handle.
        let answer = unsafe { (self.table.module_get_function)(&mut function, module.0, name.as_ptr()) };
        DriverError::check("cuModuleGetFunction", answer)?;
        Ok(Function(function))
    }

    fn allow_shared_bytes(&self, function: Function, bytes: u32) -> Result<(), DriverError> {
        let bytes = c_int::try_from(bytes).unwrap_or(c_int::MAX);
        // SAFETY: the function came from a module that is never unloaded.
        let answer = unsafe {
            (self.table.function_set_attribute)(function.0, FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, bytes)
        };
        DriverError::check("cuFuncSetAttribute", answer)
    }

    unsafe fn upload(
        &self,
        to: DeviceAddress,
        from: *const u8,
        shape: Shape,
        pitch: usize,
        stream: Stream,
    ) -> Result<(), DriverError> {
        if shape.rows == 1 {
            // SAFETY: the caller promises as many bytes on both sides.
            let answer = unsafe { (self.table.memcpy_to_device)(to.0, from.cast(), shape.row_bytes, stream.0) };
            return DriverError::check("cuMemcpyHtoDAsync", answer);
        }
        let copy = Memcpy2d {
            source_type: MEMORYTYPE_HOST,
            source_host: from.cast(),
            source_pitch: pitch,
            target_type: MEMORYTYPE_DEVICE,
            target_device: to.0,
            target_pitch: shape.pitch,
            ..Memcpy2d::of(shape)
        };
        // SAFETY: the caller promises the rows on both sides.
        DriverError::check("cuMemcpy2DAsync", unsafe { (self.table.memcpy_2d)(&copy, stream.0) })
    }

    unsafe fn download(
        &self,
        to: *mut u8,
        from: DeviceAddress,
        shape: Shape,
        stream: Stream,
    ) -> Result<(), DriverError> {
        if shape.rows == 1 {
            // SAFETY: the caller promises as many bytes on both sides.
            let answer = unsafe { (self.table.memcpy_to_host)(to.cast(), from.0, shape.row_bytes, stream.0) };
            return DriverError::check("cuMemcpyDtoHAsync", answer);
        }
        let copy = Memcpy2d {
            source_type: MEMORYTYPE_DEVICE,
            source_device: from.0,
            source_pitch: shape.pitch,
            target_type: MEMORYTYPE_HOST,
            target_host: to.cast(),
            target_pitch: shape.row_bytes,
            ..Memcpy2d::of(shape)
        };
        // SAFETY: the caller promises the rows on the device, and room for them without gaps on the host.
        DriverError::check("cuMemcpy2DAsync", unsafe { (self.table.memcpy_2d)(&copy, stream.0) })
    }

    unsafe fn launch(
        &self,
        function: Function,
        extent: Extent,
        parameters: *const *const c_void,
        stream: Stream,
    ) -> Result<(), DriverError> {
        let ([grid_x, grid_y, grid_z], [block_x, block_y, block_z]) = (extent.grid, extent.block);
        // SAFETY: the function came from a module that is never unloaded, and the caller promises a value for each parameter.
        let answer = unsafe {
            (self.table.launch_kernel)(
                function.0,
                grid_x,
                grid_y,
                grid_z,
                block_x,
                block_y,
                block_z,
                extent.shared_bytes,
                stream.0,
                parameters,
                null_mut(),
            )
        };
        DriverError::check("cuLaunchKernel", answer)
    }
}

impl Memcpy2d {
    /// A copy of this many rows, from and to nowhere yet.
    fn of(shape: Shape) -> Memcpy2d {
        Memcpy2d {
            source_x: 0,
            source_y: 0,
            source_type: 0,
            source_host: null(),
            source_device: 0,
            source_array: null_mut(),
            source_pitch: 0,
            target_x: 0,
            target_y: 0,
            target_type: 0,
            target_host: null_mut(),
            target_device: 0,
            target_array: null_mut(),
            target_pitch: 0,
            width: shape.row_bytes,
            height: shape.rows,
        }
    }
}
