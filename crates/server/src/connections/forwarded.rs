//! The address that a proxy forwards: `X-Forwarded-For` or `Forwarded`, of which only what trusted proxies wrote counts.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use axum::http::header::FORWARDED;
use axum::http::{HeaderMap, HeaderName};

use super::address_range::AddressRange;

const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// The longest id that is taken over, in characters.
const MAX_ID: usize = 128;

/// The address that a trusted proxy forwarded a request for; an extension of such requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ForwardedFor(pub(crate) IpAddr);

/// The id that a trusted proxy gave a request; an extension of such requests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ForwardedId(Arc<str>);

impl ForwardedId {
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// The id in `X-Request-Id`, if `peer` is a trusted proxy and it is one that cannot harm a log.
    pub(crate) fn from_headers(peer: IpAddr, headers: &HeaderMap, trusted: &[AddressRange]) -> Option<ForwardedId> {
        if !trusted.iter().any(|range| range.contains(peer)) {
            return None;
        }
        let mut values = headers.get_all(X_REQUEST_ID).iter();
        let (Some(value), None) = (values.next(), values.next()) else { return None };
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.:+/=".contains(c);
        let id = value.to_str().ok().filter(|id| (1..=MAX_ID).contains(&id.len()) && id.chars().all(is_plain))?;
        Some(ForwardedId(id.into()))
    }
}

/// The address of the client of a request that a trusted proxy forwarded over a connection from `peer`; `None` where `peer` is
/// the client.
///
/// Each proxy adds the address that it was called from at the end. So the last address that is no trusted proxy's is the
/// client's: what stands before it was written by the client, and may be anything.
pub(crate) fn forwarded_address(peer: IpAddr, headers: &HeaderMap, trusted: &[AddressRange]) -> Option<ForwardedFor> {
    let is_trusted = |address: IpAddr| trusted.iter().any(|range| range.contains(address));
    if !is_trusted(peer) {
        return None;
    }
    let mut nearest = None;
    for address in forwarded(headers).into_iter().rev() {
        // What cannot be read was not written by a proxy that we know: the last one that is known counts.
        let Some(address) = address else { break };
        nearest = Some(ForwardedFor(address));
        if !is_trusted(address) {
            break;
        }
    }
    nearest
}

/// The forwarded addresses in the order of the proxies; `None` for what is no address.
fn forwarded(headers: &HeaderMap) -> Vec<Option<IpAddr>> {
    let texts = |name: HeaderName| headers.get_all(name).into_iter().map(|value| value.to_str().unwrap_or(""));
    let mut addresses: Vec<_> =
        texts(X_FORWARDED_FOR).flat_map(|text| text.split(',')).map(|text| parse_address(text.trim())).collect();
    if addresses.is_empty() {
        let elements = texts(FORWARDED).flat_map(|text| text.split(','));
        addresses.extend(elements.map(|element| {
            let pairs = element.split(';').filter_map(|pair| pair.trim().split_once('='));
            let node = pairs.filter(|(name, _)| name.eq_ignore_ascii_case("for")).map(|(_, node)| node).next()?;
            parse_address(node.trim_matches('"'))
        }));
    }
    addresses
}

/// An address with or without a port; IPv6 may stand in brackets.
fn parse_address(text: &str) -> Option<IpAddr> {
    let bare = || text.parse::<IpAddr>().ok();
    let with_port = || text.parse::<SocketAddr>().ok().map(|address| address.ip());
    let in_brackets = || text.strip_prefix('[')?.strip_suffix(']')?.parse().ok();
    bare().or_else(with_port).or_else(in_brackets).map(|address| address.to_canonical())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address_of(peer: &str, headers: &[(&'static str, &str)]) -> String {
        let headers = headers.iter().map(|(name, value)| (HeaderName::from_static(name), value.parse().unwrap()));
        let trusted = ["127.0.0.1", "10.0.0.0/8"].map(|range| range.parse().unwrap());
        let forwarded = forwarded_address(peer.parse().unwrap(), &headers.collect(), &trusted);
        forwarded.map_or("the peer's".to_owned(), |ForwardedFor(address)| address.to_string())
    }

    #[test]
    fn an_id_is_taken_from_trusted_proxies_if_it_is_plain() {
        let id_of = |peer: &str, values: &[&str]| {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(X_REQUEST_ID, value.parse().unwrap());
            }
            let id = ForwardedId::from_headers(peer.parse().unwrap(), &headers, &["10.0.0.0/8".parse().unwrap()]);
            id.map(|id| id.as_str().to_owned())
        };
        for id in ["a", "0190a6f4-7b3c-7def-8123-456789abcdef", "Root=1-67:aB+/_.", &"x".repeat(128)] {
            assert_eq!(id_of("10.0.0.1", &[id]).as_deref(), Some(id));
            assert_eq!(id_of("192.0.2.1", &[id]), None, "no proxy that is known");
        }
        for wrong in
            [&[][..], &[""], &["a b"], &["a\tb"], &["é"], &["a\"b"], &["a,b"], &["a", "b"], &[&"x".repeat(129)]]
        {
            assert_eq!(id_of("10.0.0.1", wrong), None, "{wrong:?}");
        }
    }

    #[test]
    fn only_what_trusted_proxies_wrote_counts() {
        let xff = |value| [("x-forwarded-for", value)];
        assert_eq!(address_of("192.0.2.1", &xff("203.0.113.9")), "the peer's");
        assert_eq!(address_of("127.0.0.1", &[]), "the peer's");
        assert_eq!(address_of("127.0.0.1", &xff("127.0.0.1")), "127.0.0.1", "whoever wrote that");
        assert_eq!(address_of("::ffff:127.0.0.1", &xff("203.0.113.9")), "203.0.113.9");
        assert_eq!(address_of("127.0.0.1", &xff("1.1.1.1, 203.0.113.9, 10.0.0.7")), "203.0.113.9");
        assert_eq!(address_of("127.0.0.1", &xff("10.0.0.9, 10.0.0.7")), "10.0.0.9");
        assert_eq!(address_of("127.0.0.1", &xff("203.0.113.9, nonsense, 10.0.0.7")), "10.0.0.7");
        assert_eq!(address_of("127.0.0.1", &xff("[2001:db8::1]:443")), "2001:db8::1");
        let twice = [("x-forwarded-for", "1.1.1.1"), ("x-forwarded-for", "203.0.113.9")];
        assert_eq!(address_of("127.0.0.1", &twice), "203.0.113.9");
        let standard = [("forwarded", "for=1.1.1.1, For=\"[2001:db8::2]:80\";proto=https, by=x;for=10.1.1.1")];
        assert_eq!(address_of("127.0.0.1", &standard), "2001:db8::2");
        assert_eq!(address_of("127.0.0.1", &[("forwarded", "for=unknown")]), "the peer's");
    }
}
