//! What the forms run with: blocks of threads, and operands from all corners.

/// The threads of a block.
pub(crate) const BLOCK: u32 = 64;

/// Operands from all corners: three of 64 bits for each of `threads` threads. Numbers of single precision stand in the
/// low and in the high half.
pub(crate) fn operands(threads: usize) -> Vec<u64> {
    const SINGLES: [u32; 36] = [
        0,
        0x8000_0000,
        1,
        0x8000_0001,
        0x007f_ffff,
        0x807f_ffff,
        0x0080_0000,
        0x8080_0000,
        0x3f80_0000,
        0xbf80_0000,
        0x3f00_0000,
        0xbf00_0000,
        0x3fc0_0000,
        0xc020_0000,
        0x7f7f_ffff,
        0xff7f_ffff,
        0x7f80_0000,
        0xff80_0000,
        0x7fc0_0000,
        0xffc1_2345,
        0x7f80_0001,
        0x4b00_0001,
        0xcb00_0001,
        0x4f00_0000,
        0xcf00_0000,
        0x4eff_ffff,
        0x4f80_0000,
        0x5f00_0000,
        0xdf00_0000,
        0x5f80_0000,
        0x42fe_0000,
        0x4300_0000,
        0xc300_8000,
        0x477f_e000,
        0x4780_0000,
        0x3380_0000,
    ];
    const DOUBLES: [u64; 28] = [
        0,
        1 << 63,
        1,
        1 << 63 | 1,
        0x000f_ffff_ffff_ffff,
        0x0010_0000_0000_0000,
        0x3ff0_0000_0000_0000,
        0xbff0_0000_0000_0000,
        0x3fe0_0000_0000_0000,
        0xc004_0000_0000_0000,
        0x7fef_ffff_ffff_ffff,
        0xffef_ffff_ffff_ffff,
        0x7ff0_0000_0000_0000,
        0xfff0_0000_0000_0000,
        0x7ff8_0000_0000_0000,
        0xfff8_1234_0000_0001,
        0x7ff0_0000_0000_0001,
        0x41df_ffff_ffc0_0000,
        0x41e0_0000_0000_0000,
        0xc1e0_0000_0020_0000,
        0x43e0_0000_0000_0000,
        0xc3e0_0000_0000_0000,
        0x43f0_0000_0000_0000,
        0x4330_0000_0000_0001,
        0x47ef_ffff_f000_0000,
        0x36a0_0000_0000_0000,
        0x3810_0000_0000_0000,
        0x3690_0000_0000_0000,
    ];
    const INTEGERS: [u64; 24] = [
        0,
        1,
        2,
        3,
        5,
        7,
        31,
        32,
        33,
        63,
        64,
        127,
        128,
        255,
        256,
        0x7fff,
        0x8000,
        0xffff,
        0x7fff_ffff,
        0x8000_0000,
        0xffff_ffff,
        1 << 32,
        i64::MAX as u64,
        1 << 63,
    ];
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut random = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.wrapping_mul(0x2545_f491_4f6c_dd1d)
    };
    let mut all = Vec::new();
    for thread in 0..threads {
        for _ in 0..3 {
            let r = random();
            let pick = (r >> 33) as usize;
            all.push(match thread % 8 {
                0 => u64::from(SINGLES[pick % SINGLES.len()]) | u64::from(SINGLES[(pick >> 9) % SINGLES.len()]) << 32,
                1 => DOUBLES[pick % DOUBLES.len()],
                2 => INTEGERS[pick % INTEGERS.len()].wrapping_mul(if r & 1 == 0 { 1 } else { u64::MAX }),
                3 => r & 0x3f_0000_003f,
                // Singles of like magnitude, then doubles.
                4 => (r & 0x83ff_ffff_83ff_ffff) | 0x3c00_0000_3c00_0000,
                5 => (r & 0x803f_ffff_ffff_ffff) | 0x3fc0_0000_0000_0000,
                6 if r & 2 == 0 => u64::from(SINGLES[pick % SINGLES.len()]) | r << 32,
                6 => DOUBLES[pick % DOUBLES.len()] ^ (r & 7),
                _ => r,
            });
        }
    }
    all
}
