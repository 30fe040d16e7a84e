//! The addresses of webhooks, and which of them are public.

// Addresses as values; sockets are not in `core`.
use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use url::{Host, Url};

use crate::fields::FieldError;

const FIELD: &str = "url";
/// The longest address.
const MAX_CHARS: usize = 2_000;

/// Which addresses webhooks may have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WebhookTargets {
    /// Public ones, which everybody can reach. Others are behind this server's firewall: a caller must not reach them through
    /// this server.
    #[default]
    Public,
    /// All.
    Any,
}

/// The absolute `http` or `https` address of a webhook, allowed as far as its text shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebhookUrl(String);

impl WebhookUrl {
    /// Parses and normalises an address as the WHATWG URL standard says, without its fragment. Credentials are refused,
    /// because the address is shown.
    pub fn parse(address: &str, targets: WebhookTargets) -> Result<WebhookUrl, FieldError> {
        let refused = |message: String| Err(FieldError::new(FIELD, message));
        let characters = address.chars().count();
        if characters > MAX_CHARS {
            return refused(format!("has {characters} characters; the limit is {MAX_CHARS}"));
        }
        let mut url = match Url::parse(address.trim()) {
            Ok(url) => url,
            Err(url::ParseError::RelativeUrlWithoutBase) => {
                return refused("the address needs `https://` in front, as in `https://example.com/hook`".to_owned());
            }
            Err(error) => return refused(format!("{error}; give an absolute address like `https://example.com/hook`")),
        };
        if !matches!(url.scheme(), "http" | "https") {
            return refused(format!("the scheme is `{}`; a webhook is an http or https address", url.scheme()));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return refused("the address has a user name or password; verify the signature instead".to_owned());
        }
        if targets == WebhookTargets::Public && !url.host().is_some_and(|host| may_be_public(&host)) {
            let message = "the address is private: webhooks go to public addresses, unless the server was started with \
                           `--webhook-targets any`";
            return refused(message.to_owned());
        }
        url.set_fragment(None);
        Ok(WebhookUrl(url.into()))
    }

    /// A value that was parsed before it was stored.
    pub fn from_stored(stored: String) -> WebhookUrl {
        WebhookUrl(stored)
    }

    /// The address.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Whether a host may be public; the address of a name is checked when the name is resolved.
fn may_be_public(host: &Host<&str>) -> bool {
    match host {
        Host::Ipv4(address) => is_public((*address).into()),
        Host::Ipv6(address) => is_public((*address).into()),
        Host::Domain(name) => {
            let name = name.trim_end_matches('.');
            let is_local = |end: &str| name == end || name.strip_suffix(end).is_some_and(|rest| rest.ends_with('.'));
            !["localhost", "local", "internal", "localdomain"].into_iter().any(is_local)
        }
    }
}

/// Whether an address is public: one that everybody can reach.
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => match embedded_v4(address) {
            Some(embedded) => is_public_v4(embedded),
            None => is_public_v6(address),
        },
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let is_special = address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_multicast()
        || address.is_documentation()
        || matches!((a, b, c), (0 | 240.., ..) | (100, 64..=127, _) | (192, 0, 0) | (192, 88, 99) | (198, 18 | 19, _));
    !is_special
}

/// The IPv4 address that an IPv6 address embeds.
fn embedded_v4(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let last_of = |high: u16, low: u16| Ipv4Addr::from(u32::from(high) << 16 | u32::from(low));
    match address.segments() {
        // `::1` and `::` are addresses of their own.
        [0, 0, 0, 0, 0, 0, 0, 0 | 1] => None,
        // Mapped, compatible, translated.
        [0, 0, 0, 0, 0, 0 | 0xffff, high, low] | [0x64, 0xff9b, 0, 0, 0, 0, high, low] => Some(last_of(high, low)),
        // 6to4.
        [0x2002, high, low, ..] => Some(last_of(high, low)),
        _ => None,
    }
}

/// Of the addresses that are assigned today, only 2000::/3 is public; of that, some is reserved.
fn is_public_v6(address: Ipv6Addr) -> bool {
    let [first, second, ..] = address.segments();
    let is_global = first & 0xe000 == 0x2000;
    // Teredo and other protocols' own; documentation.
    let is_reserved =
        (first == 0x2001 && (second < 0x0200 || second == 0x0db8)) || (first == 0x3fff && second < 0x1000);
    is_global && !is_reserved
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_behind_the_firewall_are_not_public() {
        for private in [
            "0.0.0.0",
            "10.1.2.3",
            "100.64.0.1",
            "127.0.0.1",
            "169.254.169.254",
            "172.31.0.1",
            "192.0.0.8",
            "192.168.1.1",
            "198.18.0.1",
            "203.0.113.7",
            "224.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::ffff:127.0.0.1",
            "::127.0.0.1",
            "64:ff9b::10.0.0.1",
            "2002:7f00:1::",
            "2001:db8::1",
            "2001::1",
            "fc00::1",
            "fd12::1",
            "fe80::1",
            "fec0::1",
            "ff02::1",
            "3fff::1",
        ] {
            assert!(!is_public(private.parse().unwrap()), "{private}");
        }
        for public in ["1.1.1.1", "172.32.0.1", "100.128.0.1", "2606:4700::1111", "::ffff:8.8.8.8", "2002:808:808::"] {
            assert!(is_public(public.parse().unwrap()), "{public}");
        }
    }

    #[test]
    fn a_target_is_a_public_web_address() {
        for (given, normal) in [
            ("https://example.com/hook?x=1#part", "https://example.com/hook?x=1"),
            (" HTTP://Example.com:80 ", "http://example.com/"),
            ("https://8.8.8.8/", "https://8.8.8.8/"),
        ] {
            assert_eq!(WebhookUrl::parse(given, WebhookTargets::Public).unwrap().as_str(), normal);
        }
        for (given, reason) in [
            ("ftp://example.com/", "`ftp`"),
            ("/hook", "the address needs `https://` in front"),
            ("https://ada:pw@example.com/", "user name or password"),
            ("http://127.1/", "private"),
            ("http://0x7f000001/", "private"),
            ("http://[::1]/", "private"),
            ("http://localhost:8080/", "private"),
            ("http://a.localhost./", "private"),
            ("http://metadata.google.internal/", "private"),
        ] {
            let error = WebhookUrl::parse(given, WebhookTargets::Public).unwrap_err();
            assert!(error.message.contains(reason), "{given}: {error}");
        }
        assert!(WebhookUrl::parse("http://127.0.0.1:9/x", WebhookTargets::Any).is_ok());
        let long = format!("https://example.com/{}", "a".repeat(MAX_CHARS));
        assert!(WebhookUrl::parse(&long, WebhookTargets::Any).unwrap_err().message.contains("the limit is 2000"));
    }
}
