//! Compression of texts with zstd: alone, or as a delta against another text.

use std::io::Read;

use zstd::bulk::Compressor;
use zstd::stream::read::Decoder;
use zstd::zstd_safe::CParameter;

use super::CodecError;

/// Fast enough not to matter beside the sync of a commit.
const LEVEL: i32 = 3;
/// The smallest and largest windows that zstd takes without being asked for more memory when it reads.
const WINDOW_LOGS: std::ops::RangeInclusive<u32> = 10..=27;

/// How long a text gets that is decompressed: no content is longer, because neither database keeps a value of a gigabyte. A
/// forged or damaged megabyte would otherwise become 32 gigabytes.
const MAX_BYTES: u64 = 1 << 30;
/// How much is reserved at the most because a frame says that it is so long: what it says may be wrong.
const MAX_RESERVED_BYTES: usize = 32 * 1024 * 1024;

/// Compresses bytes alone.
pub(super) fn compress(bytes: &[u8]) -> Result<Vec<u8>, CodecError> {
    Ok(Compressor::new(LEVEL)?.compress(bytes)?)
}

/// The bytes that [`compress`] was given.
pub(super) fn decompress(bytes: &[u8]) -> Result<Vec<u8>, CodecError> {
    read_up_to(MAX_BYTES, bytes, Decoder::with_buffer(bytes)?)
}

/// The delta of `text` against `reference`: what `text` has and `reference` has not.
pub(super) fn compress_against(reference: &str, text: &str) -> Result<Vec<u8>, CodecError> {
    let mut compressor = Compressor::new(LEVEL)?;
    // The window must span both texts, or the far end of `reference` is out of reach.
    let span = (reference.len() + text.len()).max(1);
    let window_log = (span.ilog2() + 1).clamp(*WINDOW_LOGS.start(), *WINDOW_LOGS.end());
    compressor.set_parameter(CParameter::WindowLog(window_log))?;
    // Repeated passages are found wherever they moved to, at a cost that does not grow with the distance.
    compressor.set_parameter(CParameter::EnableLongDistanceMatching(true))?;
    compressor.context_mut().ref_prefix(reference.as_bytes()).map_err(refused)?;
    Ok(compressor.compress(text.as_bytes())?)
}

/// The text that [`compress_against`] was given with the same `reference`.
pub(super) fn decompress_against(reference: &str, bytes: &[u8]) -> Result<Vec<u8>, CodecError> {
    read_up_to(MAX_BYTES, bytes, Decoder::with_ref_prefix(bytes, reference.as_bytes())?)
}

/// Reads `frame` to the end, which must come after `limit` bytes at the latest.
fn read_up_to(limit: u64, frame: &[u8], decoder: impl Read) -> Result<Vec<u8>, CodecError> {
    let announced = zstd::stream::decompressed_size(frame).and_then(|size| usize::try_from(size).ok());
    let mut bytes = Vec::with_capacity(announced.unwrap_or_default().min(MAX_RESERVED_BYTES));
    decoder.take(limit + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        return Err(CodecError::Undo("it is longer than a database can keep"));
    }
    Ok(bytes)
}

fn refused(code: usize) -> CodecError {
    CodecError::Zstd(std::io::Error::other(zstd::zstd_safe::get_error_name(code)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_grows_beyond_the_limit_is_refused() {
        let text = "x".repeat(1_000_000);
        let (whole, delta) = (compress(text.as_bytes()).unwrap(), compress_against("xyz", &text).unwrap());
        assert!(whole.len() < 1_000 && delta.len() < 1_000, "it is much longer than its bytes");
        let read = |limit| {
            let alone = read_up_to(limit, &whole, Decoder::with_buffer(&whole[..]).unwrap());
            [alone, read_up_to(limit, &delta, Decoder::with_ref_prefix(&delta[..], b"xyz").unwrap())]
        };
        assert!(read(1_000_000).into_iter().all(|bytes| bytes.unwrap() == text.as_bytes()));
        assert!(read(999_999).into_iter().all(|bytes| matches!(bytes, Err(CodecError::Undo(_)))));
    }
}
