//! A call of the driver that failed: which, with what, and whether the device can be used afterwards.

use std::fmt;

/// A call of the driver that failed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum DriverError {
    /// The CUDA driver answers with an error.
    Answer {
        /// The function of the driver.
        call: &'static str,
        /// Its answer, a `CUresult`.
        code: i32,
        /// Bytes that the call was about, where it was about bytes.
        bytes: Option<usize>,
    },
    /// The emulator says what is wrong.
    Emulator(String),
}

/// The answer where memory is missing.
const OUT_OF_MEMORY: i32 = 2;

/// The call that waits for a stream.
pub(crate) const WAIT: &str = "cuStreamSynchronize";

/// The answers that are named in messages, and of these the ones that concern one request only. The driver's own function for the
/// names is not called: after an error the driver is left alone.
const NAMES: &[(i32, &str, bool)] = &[
    (1, "CUDA_ERROR_INVALID_VALUE", true),
    (OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", true),
    (3, "CUDA_ERROR_NOT_INITIALIZED", false),
    (4, "CUDA_ERROR_DEINITIALIZED", false),
    (34, "CUDA_ERROR_STUB_LIBRARY", false),
    (46, "CUDA_ERROR_DEVICE_UNAVAILABLE", false),
    (100, "CUDA_ERROR_NO_DEVICE", false),
    (101, "CUDA_ERROR_INVALID_DEVICE", false),
    (200, "CUDA_ERROR_INVALID_IMAGE", true),
    (201, "CUDA_ERROR_INVALID_CONTEXT", false),
    (209, "CUDA_ERROR_NO_BINARY_FOR_GPU", true),
    (214, "CUDA_ERROR_ECC_UNCORRECTABLE", false),
    (218, "CUDA_ERROR_INVALID_PTX", true),
    (221, "CUDA_ERROR_JIT_COMPILER_NOT_FOUND", true),
    (222, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION", true),
    (223, "CUDA_ERROR_JIT_COMPILATION_DISABLED", true),
    (300, "CUDA_ERROR_INVALID_SOURCE", true),
    (400, "CUDA_ERROR_INVALID_HANDLE", false),
    (500, "CUDA_ERROR_NOT_FOUND", true),
    (700, "CUDA_ERROR_ILLEGAL_ADDRESS", false),
    (701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", true),
    (702, "CUDA_ERROR_LAUNCH_TIMEOUT", false),
    (709, "CUDA_ERROR_CONTEXT_IS_DESTROYED", false),
    (715, "CUDA_ERROR_ILLEGAL_INSTRUCTION", false),
    (716, "CUDA_ERROR_MISALIGNED_ADDRESS", false),
    (717, "CUDA_ERROR_INVALID_ADDRESS_SPACE", false),
    (718, "CUDA_ERROR_INVALID_PC", false),
    (719, "CUDA_ERROR_LAUNCH_FAILED", false),
    (801, "CUDA_ERROR_NOT_SUPPORTED", true),
    (802, "CUDA_ERROR_SYSTEM_NOT_READY", false),
    (803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH", false),
    (999, "CUDA_ERROR_UNKNOWN", false),
];

impl DriverError {
    /// The value for an answer of the driver: 0 is success.
    pub(crate) fn check(call: &'static str, code: i32) -> Result<(), DriverError> {
        if code == 0 { Ok(()) } else { Err(DriverError::Answer { call, code, bytes: None }) }
    }

    /// The same for a call that asks for bytes.
    pub(crate) fn check_bytes(call: &'static str, code: i32, bytes: usize) -> Result<(), DriverError> {
        if code == 0 { Ok(()) } else { Err(DriverError::Answer { call, code, bytes: Some(bytes) }) }
    }

    /// That so many bytes are missing, where the driver was not asked or did not say so.
    pub(crate) fn out_of_memory(call: &'static str, bytes: usize) -> DriverError {
        DriverError::Answer { call, code: OUT_OF_MEMORY, bytes: Some(bytes) }
    }

    /// Whether memory was missing.
    pub(crate) fn is_out_of_memory(&self) -> bool {
        matches!(self, DriverError::Answer { code: OUT_OF_MEMORY, .. })
    }

    /// Whether the device can be used after this. What is not known to be harmless may have broken the context; and where waiting
    /// failed, nobody knows what is still being copied. An emulator has nothing to break: the next session has memory of its own.
    pub(crate) fn concerns_one_request(&self) -> bool {
        match self {
            DriverError::Answer { call, code, .. } => {
                *call != WAIT && NAMES.iter().any(|(known, _, harmless)| known == code && *harmless)
            }
            DriverError::Emulator(_) => true,
        }
    }
}

impl fmt::Display for DriverError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (call, code, bytes) = match self {
            DriverError::Answer { call, code, bytes } => (call, code, bytes),
            DriverError::Emulator(sentence) => return write!(f, "the emulator: {sentence}"),
        };
        write!(f, "{call} answers {code}")?;
        if let Some((_, name, _)) = NAMES.iter().find(|(known, _, _)| known == code) {
            write!(f, " ({name})")?;
        }
        if let Some(bytes) = bytes {
            write!(f, " for {bytes} bytes")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{DriverError, WAIT};

    #[test]
    fn messages_name_call_answer_and_bytes() {
        let error = DriverError::check_bytes("cuMemAlloc", 2, 64).unwrap_err();
        assert_eq!(error.to_string(), "cuMemAlloc answers 2 (CUDA_ERROR_OUT_OF_MEMORY) for 64 bytes");
        assert_eq!(DriverError::check("cuInit", 12345).unwrap_err().to_string(), "cuInit answers 12345");
        assert_eq!(DriverError::check("cuInit", 0), Ok(()));
        assert_eq!(DriverError::Emulator("a race".to_owned()).to_string(), "the emulator: a race");
    }

    #[test]
    fn unknown_answers_are_not_harmless() {
        for (code, harmless) in [(2, true), (218, true), (700, false), (4, false), (12345, false)] {
            assert_eq!(DriverError::Answer { call: "", code, bytes: None }.concerns_one_request(), harmless, "{code}");
            assert!(!DriverError::Answer { call: WAIT, code, bytes: None }.concerns_one_request());
        }
    }
}
