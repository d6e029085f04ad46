//! Large copies between arrays of the program and the device, by several threads through pinned memory.
//!
//! The device copies from and to *pinned* memory by itself, several times faster than one thread copies at all; for
//! ordinary memory the driver uses one thread and pinned memory of its own. Measured on an NVIDIA H100 behind PCI Express
//! 5, in GB/s:
//!
//! | bytes | ordinary to device | pinned to device | device to ordinary | device to pinned | to pinned and on by one thread |
//! | --- | --- | --- | --- | --- | --- |
//! | 64 Ki | 3.2 | 6.5 | 4.2 | 8.7 | 4.9 |
//! | 1 Mi | 11.1 | 33.9 | 7.7 | 40.1 | 8.4 |
//! | 64 Mi | 10.3 | 55.0 | 13.4 | 55.0 | 8.3 |
//!
//! So small arrays are handed to the driver as they are, and from [`LARGE`] bytes on they are cut into pieces, which a few
//! threads copy through *lanes*: a piece of pinned memory with a stream of its own, two per thread, so that on the way to
//! the device one piece is copied there while the thread copies the next. Pinned memory stays small that way (it takes 0.3 ms per MiB to get).
//! Nothing is in flight when a copy through lanes is complete.

#![expect(unsafe_code, reason = "arrays of the program are reached by pointer")]

use std::slice;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::device::{Device, Pinned};
use crate::driver::{DeviceAddress, Driver, DriverError, Shape, Stream};
use crate::reason::Reason;
use crate::workers::with_workers;

/// From this many bytes on an array is copied by several threads.
pub(crate) const LARGE: usize = 8 << 20;

/// Bytes of a piece; 1 MiB and 4 MiB were not better.
const PIECE: usize = 2 << 20;

/// Bytes that are compared at once.
const BLOCK: usize = 64;

/// More threads than this do not help. `y = a x + y` on arrays of 1 GiB, with all copies, took 964 ms on that machine with
/// the driver's own copies, and with 1, 2, 4 and 8 threads 816, 413, 270 and 175 ms (212 ms on the host).
pub(crate) const MOST_WORKERS: usize = 8;

/// A part of an array: the row and the byte of the row with which it begins, and its shape.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Piece {
    row: usize,
    begin: usize,
    shape: Shape,
}

impl Piece {
    /// Bytes from the array's begin, where the rows of the array are so many bytes apart.
    fn offset(&self, pitch: usize) -> usize {
        self.row * pitch + self.begin
    }
}

/// Cuts an array into pieces of at most [`PIECE`] bytes, in order.
fn pieces(shape: Shape) -> Vec<Piece> {
    let mut pieces = Vec::with_capacity(shape.bytes() / PIECE + 1);
    let rows_per_piece = PIECE / shape.row_bytes.max(1);
    if rows_per_piece > 0 {
        for row in (0..shape.rows).step_by(rows_per_piece) {
            let rows = rows_per_piece.min(shape.rows - row);
            pieces.push(Piece { row, begin: 0, shape: Shape { rows, ..shape } });
        }
        return pieces;
    }
    for row in 0..shape.rows {
        for begin in (0..shape.row_bytes).step_by(PIECE) {
            let bytes = PIECE.min(shape.row_bytes - begin);
            pieces.push(Piece { row, begin, shape: Shape::row(bytes) });
        }
    }
    pieces
}

/// A pointer that several threads use.
#[derive(Clone, Copy)]
struct Shared(*mut u8);

// SAFETY: the threads of this module use the pointer for pieces of one array, which do not overlap, while its owner waits.
unsafe impl Send for Shared {}
// SAFETY: as above.
unsafe impl Sync for Shared {}

impl Shared {
    fn address(self) -> *mut u8 {
        self.0
    }
}

/// Pinned memory for one piece, and the stream that copies it.
struct Lane {
    pinned: Pinned,
    stream: Stream,
}

/// Copies an array to the device; where it is small, or there is no pinned memory or one processor only, by the driver in the
/// order of the stream. On the host rows are `pitch` bytes apart. Called in the device's context.
///
/// # Safety
///
/// The rows at `from` are readable until the stream was synchronised, and `to` has room for the span, which nothing else uses.
pub(crate) unsafe fn upload(
    device: &Device,
    to: DeviceAddress,
    from: *const u8,
    shape: Shape,
    pitch: usize,
    stream: Stream,
) -> Result<(), Reason> {
    if shape.bytes() >= LARGE && device.workers > 1 {
        let host = Shared(from.cast_mut());
        let copied = through_lanes(device, shape, &|driver, lane, piece| {
            let pinned = lane.pinned.address.as_ptr();
            driver.synchronize(lane.stream)?;
            // SAFETY: the piece is within the array, pinned memory holds a piece, and no copy uses it since the stream was
            // synchronised.
            unsafe {
                copy_rows(host.address().add(piece.offset(pitch)), pitch, pinned, piece.shape.row_bytes, piece.shape)
            };
            let to = DeviceAddress(to.0 + piece.offset(shape.pitch) as u64);
            // SAFETY: pinned memory stays as it is until the stream is synchronised again, and the piece is within the span.
            unsafe { driver.upload(to, pinned, piece.shape, piece.shape.row_bytes, lane.stream) }
        });
        if copied != Err(Reason::NoPinnedMemory) {
            return copied;
        }
    }
    // SAFETY: the same contract.
    Ok(unsafe { device.driver.upload(to, from, shape, pitch, stream) }?)
}

/// Copies a large array from the device to memory without gaps; where there is no pinned memory, by the driver. Called in
/// the device's context, with a stream that has no work.
///
/// # Safety
///
/// `to` has room for the rows without gaps and belongs to nobody else; `from` has the span, and nothing writes there.
pub(crate) unsafe fn download(
    device: &Device,
    to: *mut u8,
    from: DeviceAddress,
    shape: Shape,
    stream: Stream,
) -> Result<(), Reason> {
    let host = Shared(to);
    let copied = through_lanes(device, shape, &|driver, lane, piece| {
        let pinned = lane.pinned.address.as_ptr();
        let from = DeviceAddress(from.0 + piece.offset(shape.pitch) as u64);
        // SAFETY: pinned memory holds a piece and is used by nobody else, and the piece is within the span.
        unsafe { driver.download(pinned, from, piece.shape, lane.stream) }?;
        driver.synchronize(lane.stream)?;
        let to = piece.offset(shape.row_bytes);
        // SAFETY: the copy to pinned memory is complete, and the piece is within the target.
        unsafe { std::ptr::copy_nonoverlapping(pinned, host.address().add(to), piece.shape.bytes()) };
        Ok(())
    });
    match copied {
        Err(Reason::NoPinnedMemory) => {
            // SAFETY: the same contract; the call that follows waits for the copy.
            unsafe { device.driver.download(to, from, shape, stream) }?;
            Ok(device.driver.synchronize(stream)?)
        }
        copied => copied,
    }
}

/// Copies the rows of `from` to `to` without gaps. Cannot fail.
///
/// # Safety
///
/// `from` has the rows of the shape, `to` its bytes, and the two do not overlap.
pub(crate) unsafe fn pack(workers: usize, from: *const u8, to: *mut u8, shape: Shape) {
    // SAFETY: the same contract.
    unsafe { copy(workers, (from, shape.pitch), (to, shape.row_bytes), shape) };
}

/// Copies rows that lie without gaps at `from` to the rows of `to`. Cannot fail.
///
/// # Safety
///
/// `from` has the bytes of the shape, `to` has its rows, and the two do not overlap.
pub(crate) unsafe fn unpack(workers: usize, from: *const u8, to: *mut u8, shape: Shape) {
    // SAFETY: the same contract.
    unsafe { copy(workers, (from, shape.row_bytes), (to, shape.pitch), shape) };
}

/// Copies the rows of `shape`, which are so many bytes apart on each side. Cannot fail.
///
/// # Safety
///
/// Both sides have the rows at their distances, and do not overlap.
unsafe fn copy(workers: usize, (from, from_pitch): (*const u8, usize), (to, to_pitch): (*mut u8, usize), shape: Shape) {
    let (from, to) = (Shared(from.cast_mut()), Shared(to));
    in_pieces(workers, shape, &|piece| {
        // SAFETY: the piece is within both by the contract.
        unsafe {
            let (from, to) = (from.address().add(piece.offset(from_pitch)), to.address().add(piece.offset(to_pitch)));
            copy_rows(from, from_pitch, to, to_pitch, piece.shape);
        }
    });
}

/// Stores those bytes of `after` to the rows of `to` that differ from `before`, and nothing else. Both lie without gaps. Cannot fail.
/// A thread does that at 5 GB/s where nothing differs, and at 1.4 GB/s where all numbers do (Intel Xeon, 64 MiB of doubles).
///
/// # Safety
///
/// `after` and `before` have the bytes of the shape, which nobody changes; `to` has its rows, and does not overlap the two.
pub(crate) unsafe fn unpack_changed(workers: usize, after: *const u8, before: *const u8, to: *mut u8, shape: Shape) {
    let (after, before, to) = (Shared(after.cast_mut()), Shared(before.cast_mut()), Shared(to));
    in_pieces(workers, shape, &|piece| {
        let Shape { row_bytes, rows, .. } = piece.shape;
        for row in 0..rows {
            let compact = piece.offset(shape.row_bytes) + row * row_bytes;
            // SAFETY: the row of the piece is within all three by the contract.
            unsafe {
                let after = slice::from_raw_parts(after.address().add(compact), row_bytes);
                let before = slice::from_raw_parts(before.address().add(compact), row_bytes);
                store_changed(after, before, to.address().add(piece.offset(shape.pitch) + row * shape.pitch));
            }
        }
    });
}

/// Stores the bytes that differ. A loop over blocks, of which most are equal or most are not.
///
/// # Safety
///
/// `to` can be written where the two differ, which are equally long.
unsafe fn store_changed(after: &[u8], before: &[u8], to: *mut u8) {
    let store = |offset: usize, after: &[u8], before: &[u8]| {
        for (place, (after, before)) in after.iter().zip(before).enumerate() {
            if after != before {
                // SAFETY: the two differ at this place of `to`.
                unsafe { to.add(offset + place).write(*after) };
            }
        }
    };
    let ((after, after_rest), (before, before_rest)) = (after.as_chunks::<BLOCK>(), before.as_chunks::<BLOCK>());
    for (number, (after, before)) in after.iter().zip(before).enumerate() {
        if after != before {
            store(number * BLOCK, after, before);
        }
    }
    store(after.len() * BLOCK, after_rest, before_rest);
}

/// Calls `copy` for all pieces of an array; where it is large, in several threads.
fn in_pieces(workers: usize, shape: Shape, copy: &(dyn Fn(&Piece) + Sync)) {
    if shape.bytes() < LARGE {
        return copy(&Piece { row: 0, begin: 0, shape });
    }
    let (pieces, next) = (pieces(shape), AtomicUsize::new(0));
    with_workers(workers.min(pieces.len()), &|| {
        while let Some(piece) = pieces.get(next.fetch_add(1, Ordering::Relaxed)) {
            copy(piece);
        }
    });
}

/// Copies the rows of `shape`, which are so many bytes apart on each side.
///
/// # Safety
///
/// Both sides have the rows at their distances, and do not overlap.
unsafe fn copy_rows(from: *const u8, from_pitch: usize, to: *mut u8, to_pitch: usize, shape: Shape) {
    for row in 0..shape.rows {
        // SAFETY: the row is within both by the contract.
        unsafe {
            std::ptr::copy_nonoverlapping(from.add(row * from_pitch), to.add(row * to_pitch), shape.row_bytes);
        }
    }
}

/// Copies one piece through a lane.
type CopyPiece<'a> = &'a (dyn Fn(&dyn Driver, &Lane, &Piece) -> Result<(), DriverError> + Sync);

/// Copies all pieces by several threads.
fn through_lanes(device: &Device, shape: Shape, copy: CopyPiece<'_>) -> Result<(), Reason> {
    let pieces = pieces(shape);
    let (next, failed) = (AtomicUsize::new(0), AtomicBool::new(false));
    let error = std::sync::Mutex::new(None);
    with_workers(device.workers.min(pieces.len()), &|| {
        let result = device.within(|| {
            let mut lanes = Vec::with_capacity(2);
            while lanes.len() < 2 {
                match device.take_pinned(PIECE)? {
                    Some(pinned) => lanes.push(Lane { pinned, stream: device.take_stream()? }),
                    // One lane is better than none.
                    None if lanes.is_empty() => return Err(Reason::NoPinnedMemory),
                    None => break,
                }
            }
            let mut copied = Ok(());
            for lane in lanes.iter().cycle() {
                if failed.load(Ordering::Relaxed) {
                    break;
                }
                let Some(piece) = pieces.get(next.fetch_add(1, Ordering::Relaxed)) else { break };
                copied = copy(device.driver.as_ref(), lane, piece);
                if copied.is_err() {
                    break;
                }
            }
            // Also after an error: a copy may still use the pinned memory. Where this fails too, it is left alone.
            for lane in &lanes {
                device.driver.synchronize(lane.stream)?;
            }
            for lane in lanes {
                device.give_stream(lane.stream);
                device.give_pinned(lane.pinned)?;
            }
            Ok(copied?)
        });
        if let Err(reason) = result {
            failed.store(true, Ordering::Relaxed);
            let mut error = crate::device::lock(&error);
            // The one that breaks the context is the one to know.
            if error.as_ref().is_none_or(|_| !reason.leaves_device_usable()) {
                *error = Some(reason);
            }
        }
    });
    let error = error.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    // A thread that panicked left pieces out.
    let complete = next.load(Ordering::Relaxed) >= pieces.len();
    match error {
        Some(reason) => Err(reason),
        None if complete => Ok(()),
        None => Err(Reason::Panic),
    }
}

#[cfg(test)]
mod tests {
    use super::{BLOCK, PIECE, Piece, Shape, pack, pieces, store_changed, unpack, unpack_changed};

    /// Pieces follow each other, are small enough, and are all of the array.
    fn check(shape: Shape) -> Vec<Piece> {
        let pieces = pieces(shape);
        let mut compact = 0;
        for piece in &pieces {
            assert_eq!(piece.offset(shape.row_bytes), compact);
            assert!(piece.shape.bytes() <= PIECE && piece.shape.bytes() > 0);
            let (row, column) = (compact / shape.row_bytes, compact % shape.row_bytes);
            assert_eq!(piece.offset(shape.pitch), row * shape.pitch + column);
            assert!(piece.offset(shape.pitch) + piece.shape.span() <= shape.span());
            compact += piece.shape.bytes();
        }
        assert_eq!(compact, shape.bytes());
        pieces
    }

    #[test]
    fn arrays_are_cut_into_pieces() {
        for (row, rows, pitch) in [
            (5 * PIECE + 3, 1, 0),
            (PIECE, 1, 0),
            (100, 70_000, 120),
            (3 * PIECE + 1, 3, 4 * PIECE),
            (PIECE, 2, PIECE + 8),
        ] {
            check(Shape::new(row as u64, rows, pitch as u64).unwrap());
        }
        assert_eq!(check(Shape::new(PIECE as u64 + 1, 1, 0).unwrap()).len(), 2);
    }

    #[test]
    fn packing_and_unpacking_keeps_gaps() {
        for (row, rows, pitch) in [(3usize, 5usize, 7usize), (1000, 20_000, 1003)] {
            let shape = Shape::new(row as u64, rows as u64, pitch as u64).unwrap();
            let from: Vec<u8> = (0..shape.span()).map(|place| (place * 31 % 251) as u8).collect();
            let mut compact = vec![0u8; shape.bytes()];
            let mut to = vec![255u8; shape.span()];
            // SAFETY: the vectors have the sizes of the shape.
            unsafe {
                pack(2, from.as_ptr(), compact.as_mut_ptr(), shape);
                unpack(3, compact.as_ptr(), to.as_mut_ptr(), shape);
            }
            for (place, byte) in to.iter().enumerate() {
                let inside = place % pitch < row;
                assert_eq!(*byte, if inside { from[place] } else { 255 }, "{place}");
            }
        }
    }

    /// Other bytes of the target are taken for those of other threads.
    #[test]
    fn only_bytes_that_differ_are_stored() {
        for (row, rows, pitch) in [(3usize, 5usize, 7usize), (2 * BLOCK + 5, 3, 200), (1000, 20_000, 1003)] {
            let shape = Shape::new(row as u64, rows as u64, pitch as u64).unwrap();
            let before: Vec<u8> = (0..shape.bytes()).map(|place| (place * 31 % 251) as u8).collect();
            let changes = |place: usize| place % 97 == 5 || place / BLOCK % 5 == 1;
            let after: Vec<u8> =
                before.iter().enumerate().map(|(place, byte)| byte ^ u8::from(changes(place))).collect();
            let mut to = vec![255u8; shape.span()];
            // SAFETY: the vectors have the sizes of the shape.
            unsafe { unpack_changed(3, after.as_ptr(), before.as_ptr(), to.as_mut_ptr(), shape) };
            for (place, byte) in to.iter().enumerate() {
                let compact = place / pitch * row + place % pitch;
                let stored = place % pitch < row && changes(compact);
                assert_eq!(*byte, if stored { after[compact] } else { 255 }, "{place}");
            }
        }
    }

    #[test]
    fn a_change_is_stored_wherever_it_is() {
        let before = [7u8; 2 * BLOCK + 3];
        for place in 0..before.len() {
            let (mut after, mut to, mut expected) = (before, [1u8; 2 * BLOCK + 3], [1u8; 2 * BLOCK + 3]);
            after[place] = 9;
            expected[place] = 9;
            // SAFETY: all three are equally long.
            unsafe { store_changed(&after, &before, to.as_mut_ptr()) };
            assert_eq!(to, expected);
        }
    }
}
