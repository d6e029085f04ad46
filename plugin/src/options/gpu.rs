//! The option `gpu`: whether nests are compiled for a device, too, and for which ones.

/// When code for a device is made, and when it runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GpuUse {
    /// Never.
    #[default]
    Off,
    /// It is made for nests that a device can execute, and runs where the run-time library expects that it is faster.
    WhereFaster,
    /// It is made for them all, and runs wherever there is a device.
    Always,
}

/// What the user asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gpu {
    /// When.
    pub when: GpuUse,
    /// The oldest devices that have to run it.
    pub architecture: Architecture,
}

/// A generation of NVIDIA's devices, with the oldest version of the PTX language that knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Architecture {
    /// Its name, such as `sm_70`.
    pub name: &'static str,
    /// The version as the compiler's back end calls it, such as `+ptx60`.
    pub ptx: &'static str,
}

/// The generations that can be asked for. Code for one of them runs on all later ones.
const ARCHITECTURES: [Architecture; 8] = [
    Architecture { name: "sm_70", ptx: "+ptx60" },
    Architecture { name: "sm_75", ptx: "+ptx63" },
    Architecture { name: "sm_80", ptx: "+ptx70" },
    Architecture { name: "sm_86", ptx: "+ptx71" },
    Architecture { name: "sm_89", ptx: "+ptx78" },
    Architecture { name: "sm_90", ptx: "+ptx78" },
    Architecture { name: "sm_100", ptx: "+ptx86" },
    Architecture { name: "sm_120", ptx: "+ptx87" },
];

impl Default for Gpu {
    fn default() -> Self {
        Self { when: GpuUse::Off, architecture: ARCHITECTURES[0] }
    }
}

impl Gpu {
    /// What is expected as a value.
    pub(super) const EXPECTED: &str =
        "on, off, force, or a device from sm_70 on (sm_70, sm_75, sm_80, sm_86, sm_89, sm_90, sm_100, sm_120)";

    /// The same with one more value of the option; nothing if it is none. A device says only which, unless the option is off: then it also
    /// switches it on.
    pub(super) fn with(self, value: Option<&str>) -> Option<Self> {
        let when = match value {
            None | Some("on" | "true" | "1" | "yes") => GpuUse::WhereFaster,
            Some("off" | "false" | "0" | "no") => GpuUse::Off,
            Some("force") => GpuUse::Always,
            Some(name) => {
                let architecture = ARCHITECTURES.into_iter().find(|architecture| architecture.name == name)?;
                let when = if self.when == GpuUse::Off { GpuUse::WhereFaster } else { self.when };
                return Some(Self { when, architecture });
            }
        };
        Some(Self { when, ..self })
    }
}

impl std::fmt::Display for Gpu {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self.when {
            GpuUse::Off => "off",
            GpuUse::WhereFaster => "on",
            GpuUse::Always => "force",
        })
    }
}
