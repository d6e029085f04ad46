//! What every Rust program of the corpus is linked with: the standard library that panics need, and rows in vectors of
//! their own, made of a flat array before the kernel runs and copied back to it afterwards. Never compiled with the plugin.
//!
//! Where a flat array is too short for its extents, the last row is shorter, and rows without elements are missing.

/// The blocks of `width` elements of `data`; `count` empty ones where blocks have no elements.
fn blocks<T>(data: &[T], count: usize, width: usize) -> Vec<&[T]> {
    if width == 0 { vec![&[]; count] } else { data.chunks(width).collect() }
}

/// For one type of elements: a vector, a vector of rows and a vector of planes, made and copied back (and freed).
macro_rules! rows {
    ($element:ty, $vector:ident $vector_back:ident, $matrix:ident $matrix_back:ident, $cube:ident $cube_back:ident) => {
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $vector(data: *const $element, length: usize) -> *mut Vec<$element> {
            let data = unsafe { std::slice::from_raw_parts(data, length) };
            Box::into_raw(Box::new(data.to_vec()))
        }

        #[unsafe(no_mangle)]
        unsafe extern "C" fn $vector_back(vector: *mut Vec<$element>, data: *mut $element) {
            let vector = unsafe { Box::from_raw(vector) };
            unsafe { std::slice::from_raw_parts_mut(data, vector.len()) }.copy_from_slice(&vector);
        }

        #[unsafe(no_mangle)]
        unsafe extern "C" fn $matrix(data: *const $element, length: usize, n: usize, m: usize) -> *mut Vec<Vec<$element>> {
            let data = unsafe { std::slice::from_raw_parts(data, length) };
            Box::into_raw(Box::new(blocks(data, n, m).into_iter().map(<[_]>::to_vec).collect()))
        }

        #[unsafe(no_mangle)]
        unsafe extern "C" fn $matrix_back(matrix: *mut Vec<Vec<$element>>, data: *mut $element) {
            let flat = unsafe { Box::from_raw(matrix) }.concat();
            unsafe { std::slice::from_raw_parts_mut(data, flat.len()) }.copy_from_slice(&flat);
        }

        #[unsafe(no_mangle)]
        unsafe extern "C" fn $cube(
            data: *const $element,
            length: usize,
            l: usize,
            n: usize,
            m: usize,
        ) -> *mut Vec<Vec<Vec<$element>>> {
            let data = unsafe { std::slice::from_raw_parts(data, length) };
            let plane = |plane| blocks(plane, n, m).into_iter().map(<[_]>::to_vec).collect();
            Box::into_raw(Box::new(blocks(data, l, n * m).into_iter().map(plane).collect()))
        }

        #[unsafe(no_mangle)]
        unsafe extern "C" fn $cube_back(cube: *mut Vec<Vec<Vec<$element>>>, data: *mut $element) {
            let flat = unsafe { Box::from_raw(cube) }.concat().concat();
            unsafe { std::slice::from_raw_parts_mut(data, flat.len()) }.copy_from_slice(&flat);
        }
    };
}

rows!(f64, rows_double_1 rows_double_1_back, rows_double_2 rows_double_2_back, rows_double_3 rows_double_3_back);
rows!(f32, rows_float_1 rows_float_1_back, rows_float_2 rows_float_2_back, rows_float_3 rows_float_3_back);
rows!(i32, rows_int_1 rows_int_1_back, rows_int_2 rows_int_2_back, rows_int_3 rows_int_3_back);
