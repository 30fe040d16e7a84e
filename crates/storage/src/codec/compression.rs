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

/// Compresses bytes alone.
pub(super) fn compress(bytes: &[u8]) -> Result<Vec<u8>, CodecError> {
    Ok(Compressor::new(LEVEL)?.compress(bytes)?)
}

/// The bytes that [`compress`] was given.
pub(super) fn decompress(bytes: &[u8]) -> Result<Vec<u8>, CodecError> {
    Ok(zstd::stream::decode_all(bytes)?)
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
    let mut text = Vec::new();
    Decoder::with_ref_prefix(bytes, reference.as_bytes())?.read_to_end(&mut text)?;
    Ok(text)
}

fn refused(code: usize) -> CodecError {
    CodecError::Zstd(std::io::Error::other(zstd::zstd_safe::get_error_name(code)))
}
