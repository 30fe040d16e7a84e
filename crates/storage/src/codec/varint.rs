//! Variable-length numbers (LEB128): seven bits a byte, the lowest first, so that a small number is one byte.

/// Appends a number.
pub(crate) fn put(bytes: &mut Vec<u8>, mut number: u64) {
    loop {
        let digit = number.to_le_bytes()[0] & 0x7f;
        number >>= 7;
        if number == 0 {
            return bytes.push(digit);
        }
        bytes.push(digit | 0x80);
    }
}

/// Takes the number that the bytes start with; `None` if they end within it or it does not fit.
#[inline]
pub(crate) fn take(bytes: &mut &[u8]) -> Option<u64> {
    let mut number: u64 = 0;
    for shift in (0..u64::BITS).step_by(7) {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        let digit = u64::from(byte & 0x7f);
        if digit << shift >> shift != digit {
            return None;
        }
        number |= digit << shift;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

/// Takes a number of bytes.
#[inline]
pub(crate) fn take_length(bytes: &mut &[u8]) -> Option<usize> {
    usize::try_from(take(bytes)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back_and_small_ones_are_short() {
        for (number, length) in
            [(0, 1), (127, 1), (128, 2), (16_383, 2), (16_384, 3), (u64::MAX >> 1, 9), (u64::MAX, 10)]
        {
            let mut bytes = Vec::new();
            put(&mut bytes, number);
            assert_eq!(bytes.len(), length, "{number}");
            let mut rest = bytes.as_slice();
            assert_eq!(take(&mut rest), Some(number));
            assert!(rest.is_empty());
            assert_eq!(take(&mut &bytes[..length - 1]), None, "{number}");
        }
    }

    #[test]
    fn a_number_that_does_not_fit_is_none() {
        assert_eq!(take(&mut &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02][..]), None);
        assert_eq!(take(&mut &[0x80; 11][..]), None);
    }
}
