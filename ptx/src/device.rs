//! A device: global memory, loaded modules, and launches.

use crate::block::Machine;
use crate::fault::Fault;
use crate::launch::{Configuration, Launch, Stats};
use crate::memory::{Memory, MemoryError};
use crate::module::{Initial, Module};
use crate::syntax::Space;

/// What a device can do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Threads in a block.
    pub threads_per_block: u32,
    /// Threads in a block along each axis.
    pub block: [u32; 3],
    /// Blocks in a grid along each axis.
    pub grid: [u32; 3],
    /// Bytes of shared memory of a block, static and dynamic.
    pub shared_bytes: u64,
    /// Bytes of local memory of a thread.
    pub local_bytes: u64,
    /// Calls within calls.
    pub call_depth: usize,
    /// Bytes of global memory.
    pub global_bytes: u64,
}

impl Default for Limits {
    /// What every device since `sm_70` can do without asking for more: 1024 threads and 48 KiB of shared memory.
    fn default() -> Limits {
        Limits {
            threads_per_block: 1024,
            block: [1024, 1024, 64],
            grid: [0x7fff_ffff, 65535, 65535],
            shared_bytes: 48 << 10,
            local_bytes: 512 << 10,
            call_depth: 1000,
            global_bytes: 16 << 30,
        }
    }
}

/// A module that a device has loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ModuleId(usize);

#[derive(Debug)]
struct Loaded {
    module: Module,
    /// By variable; zero for those in shared memory.
    addresses: Vec<u64>,
}

/// A device without a device.
///
/// ```
/// use tessera_ptx::{Configuration, Device, Limits, Module};
/// let text = "
/// .version 6.0
/// .target sm_70
/// .address_size 64
/// .visible .entry double(.param .u64 data)
/// {
///     .reg .b32 %r<3>;
///     .reg .b64 %rd<4>;
///     ld.param.u64 %rd1, [data];
///     mov.u32 %r1, %tid.x;
///     mul.wide.u32 %rd2, %r1, 4;
///     add.s64 %rd3, %rd1, %rd2;
///     ld.global.u32 %r2, [%rd3];
///     shl.b32 %r2, %r2, 1;
///     st.global.u32 [%rd3], %r2;
///     ret;
/// }";
/// let mut device = Device::new(Limits::default());
/// let module = device.load(Module::parse(text)?)?;
/// let data = device.allocate(8)?;
/// device.write(data, &[1, 0, 0, 0, 5, 0, 0, 0])?;
/// let mut configuration = Configuration::new([1, 1, 1], [2, 1, 1]);
/// configuration.argument(data.to_le_bytes());
/// let stats = device.launch(module, "double", &configuration)?;
/// assert_eq!(stats.threads, 2);
/// let mut bytes = [0; 8];
/// device.read(data, &mut bytes)?;
/// assert_eq!(bytes, [2, 0, 0, 0, 10, 0, 0, 0]);
/// // One thread more is one element too many.
/// configuration.block = [3, 1, 1];
/// assert!(device.launch(module, "double", &configuration).unwrap_err().to_string().contains("out of bounds"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Device {
    limits: Limits,
    memory: Memory,
    modules: Vec<Option<Loaded>>,
}

impl Device {
    /// A device with nothing in its memory.
    pub fn new(limits: Limits) -> Device {
        let memory = Memory::new(limits.global_bytes);
        Device { limits, memory, modules: Vec::new() }
    }

    /// Its limits.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// A new buffer of zeros.
    ///
    /// # Errors
    ///
    /// There is not so much memory left, on the device or on the host that it lives on.
    pub fn allocate(&mut self, bytes: u64) -> Result<u64, MemoryError> {
        self.memory.allocate(bytes, 1, false)
    }

    /// Gives a buffer back. Its addresses are not used again.
    ///
    /// # Errors
    ///
    /// No buffer begins at this address.
    pub fn free(&mut self, address: u64) -> Result<(), MemoryError> {
        self.memory.free(address)
    }

    /// Copies bytes to the device.
    ///
    /// # Errors
    ///
    /// The bytes do not lie in one buffer.
    pub fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), MemoryError> {
        self.bytes_mut(address, bytes.len() as u64)?.copy_from_slice(bytes);
        Ok(())
    }

    /// Copies bytes from the device.
    ///
    /// # Errors
    ///
    /// The bytes do not lie in one buffer.
    pub fn read(&self, address: u64, bytes: &mut [u8]) -> Result<(), MemoryError> {
        bytes.copy_from_slice(self.bytes(address, bytes.len() as u64)?);
        Ok(())
    }

    /// Bytes of the device.
    ///
    /// # Errors
    ///
    /// The bytes do not lie in one buffer.
    pub fn bytes(&self, address: u64, count: u64) -> Result<&[u8], MemoryError> {
        self.memory.slice(address, count)
    }

    /// Bytes of the device, to be changed.
    ///
    /// # Errors
    ///
    /// The bytes do not lie in one buffer.
    pub fn bytes_mut(&mut self, address: u64, count: u64) -> Result<&mut [u8], MemoryError> {
        self.memory.slice_mut(address, count)
    }

    /// Loads a module: its variables get addresses and their initial values.
    ///
    /// # Errors
    ///
    /// There is not enough memory, or a variable is only declared.
    pub fn load(&mut self, module: Module) -> Result<ModuleId, MemoryError> {
        let mut addresses = Vec::new();
        let mut declarations = Vec::new();
        for (i, variable) in module.variables.iter().enumerate() {
            let constant = variable.space == Space::Const;
            if variable.space == Space::Shared {
                addresses.push(0);
            } else if variable.external {
                // A definition may follow its declaration.
                let Some(defined) = module.variables.iter().position(|v| v.name == variable.name && !v.external) else {
                    return Err(MemoryError::External(variable.name.clone()));
                };
                declarations.push((i, defined));
                addresses.push(0);
            } else {
                addresses.push(self.memory.allocate(variable.bytes, variable.align, constant)?);
            }
        }
        for (declared, defined) in declarations {
            addresses[declared] = addresses[defined];
        }
        for (variable, &address) in module.variables.iter().zip(&addresses) {
            for initial in &variable.initial {
                match initial {
                    Initial::Bytes { at, bytes } => self.write(address + at, bytes)?,
                    Initial::Address { at, target, offset } => {
                        let value = addresses.get(*target).copied().unwrap_or(0).wrapping_add(*offset);
                        self.write(address + at, &value.to_le_bytes())?;
                    }
                }
            }
        }
        self.modules.push(Some(Loaded { module, addresses }));
        Ok(ModuleId(self.modules.len() - 1))
    }

    /// Takes a module away, and the memory of its variables.
    ///
    /// # Errors
    ///
    /// The device has no such module any more.
    pub fn unload(&mut self, id: ModuleId) -> Result<(), MemoryError> {
        let Some(loaded) = self.modules.get_mut(id.0).and_then(Option::take) else {
            return Err(MemoryError::Unloaded);
        };
        for (variable, &address) in loaded.module.variables.iter().zip(&loaded.addresses) {
            if !variable.external && variable.space != Space::Shared {
                self.memory.free(address)?;
            }
        }
        Ok(())
    }

    fn loaded(&self, id: ModuleId) -> Option<&Loaded> {
        self.modules.get(id.0).and_then(Option::as_ref)
    }

    /// The module behind an identifier of this device.
    pub fn module(&self, id: ModuleId) -> Option<&Module> {
        self.loaded(id).map(|loaded| &loaded.module)
    }

    /// Address and size of a variable in `.global` or `.const`.
    pub fn variable(&self, id: ModuleId, name: &str) -> Option<(u64, u64)> {
        let loaded = self.loaded(id)?;
        let index = loaded.module.variables.iter().position(|v| v.name == name && v.space != Space::Shared)?;
        Some((loaded.addresses[index], loaded.module.variables[index].bytes))
    }

    /// Runs a kernel to its end.
    ///
    /// Blocks run one after the other, and the threads of a block in turns: each until it waits for others or ends.
    ///
    /// # Errors
    ///
    /// The first fault. What was written before it stays.
    pub fn launch(&mut self, id: ModuleId, kernel: &str, configuration: &Configuration) -> Result<Stats, Fault> {
        let Some(loaded) = self.modules.get(id.0).and_then(Option::as_ref) else {
            let kind = crate::fault::FaultKind::NoKernel;
            return Err(Fault { kernel: kernel.to_owned(), line: None, block: None, thread: None, kind });
        };
        let launch = Launch::prepare(&loaded.module, &loaded.addresses, kernel, configuration, &self.limits)?;
        Machine::new(&launch, &mut self.memory, configuration.steps).run()
    }
}
