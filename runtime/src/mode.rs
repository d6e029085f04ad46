//! What the user wants: the words of `TESSERA_RT`.
//!
//! `TESSERA_RT=device,trace` runs every nest on the device and says what happens. `host` beats the other words. Words that
//! are not known are returned, so that the caller can warn of them once.

/// The words of `TESSERA_RT`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Mode {
    /// Run every nest on the host.
    pub(crate) host: bool,
    /// Run every nest on the device, also where it would be slower.
    pub(crate) device: bool,
    /// Use the emulator in place of a driver, for every nest.
    pub(crate) emulate: bool,
    /// Say on the standard error what ran where and why.
    pub(crate) trace: bool,
}

impl Mode {
    /// Reads the words, and returns those that it does not know.
    pub(crate) fn parse(text: &str) -> (Mode, Vec<&str>) {
        let mut mode = Mode::default();
        let mut unknown = Vec::new();
        for word in text.split(',').map(str::trim).filter(|word| !word.is_empty()) {
            match word {
                "host" => mode.host = true,
                "device" => mode.device = true,
                "emulate" => mode.emulate = true,
                "trace" => mode.trace = true,
                _ => unknown.push(word),
            }
        }
        (mode, unknown)
    }

    /// Whether nests run on the device without being asked whether that is faster.
    pub(crate) fn forced(self) -> bool {
        self.device || self.emulate
    }
}

#[cfg(test)]
mod tests {
    use super::Mode;

    #[test]
    fn words_in_any_order_with_blanks() {
        let (mode, unknown) = Mode::parse(" trace , device,");
        assert_eq!(mode, Mode { device: true, trace: true, ..Mode::default() });
        assert!(unknown.is_empty());
    }

    #[test]
    fn unknown_words_are_returned_and_change_nothing() {
        assert_eq!(Mode::parse("gpu,host,Trace"), (Mode { host: true, ..Mode::default() }, vec!["gpu", "Trace"]));
    }

    #[test]
    fn nothing_is_the_default() {
        assert_eq!(Mode::parse(""), (Mode::default(), vec![]));
        assert!(!Mode::default().forced());
    }
}
