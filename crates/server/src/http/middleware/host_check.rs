//! The host and origin check: requests to a foreign `Host` (DNS rebinding) and from pages of a foreign `Origin` are refused.

use std::net::{IpAddr, SocketAddr};

use axum::http::header::{HOST, ORIGIN};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, Uri};

use crate::Settings;
use crate::http::error::ApiError;

/// The host names and origins that are not foreign.
pub(in crate::http) struct HostCheck {
    hosts: AllowedHosts,
    /// Normalized.
    origins: Vec<String>,
}

enum AllowedHosts {
    /// Names and addresses of the loopback interface, and these names.
    Local(Vec<String>),
    /// Any IP address, and these names.
    Named(Vec<String>),
    /// Every host: the server listens beyond the loopback interface, and its settings name no host.
    Any,
}

impl HostCheck {
    pub(in crate::http) fn new(settings: &Settings, address: SocketAddr) -> HostCheck {
        let names: Vec<String> = settings.allowed_hosts.iter().map(|host| host.to_ascii_lowercase()).collect();
        let hosts = match (address.ip().to_canonical().is_loopback(), names.is_empty()) {
            (true, _) => AllowedHosts::Local(names),
            (false, false) => AllowedHosts::Named(names),
            (false, true) => AllowedHosts::Any,
        };
        let origins = settings.allowed_origins.iter().map(|origin| normalize_origin(origin)).collect();
        HostCheck { hosts, origins }
    }

    /// Refuses a foreign request, before anything else reads it. A target in absolute form names a host too: the same.
    pub(in crate::http) fn check(&self, target: &Uri, headers: &HeaderMap) -> Result<(), ApiError> {
        let mut hosts = headers.get_all(HOST).iter();
        let host = match (hosts.next(), hosts.next()) {
            (Some(host), None) => host.to_str().ok(),
            _ => None,
        };
        let target = target.authority().map(Authority::as_str);
        let is_same = |host: &str| target.is_none_or(|target| target.eq_ignore_ascii_case(host));
        if !host.is_some_and(|host| self.is_own_host(host) && is_same(host)) {
            return Err(ApiError::Foreign {
                reason: "the `Host` of the request is not a name of this server",
                option: "--allowed-host NAME",
            });
        }
        let mut origins = headers.get_all(ORIGIN).iter().map(|origin| origin.to_str().unwrap_or("null"));
        if !origins.all(|origin| self.is_allowed_origin(origin, host)) {
            return Err(ApiError::Foreign {
                reason: "the request comes from a page of another origin",
                option: "--allowed-origin ORIGIN",
            });
        }
        Ok(())
    }

    fn is_own_host(&self, host: &str) -> bool {
        let Some(name) = parse_host(host) else { return false };
        let address = parse_address(name);
        let is_named = |names: &[String]| {
            let name = name.to_ascii_lowercase();
            is_local(&name) || names.contains(&name)
        };
        match &self.hosts {
            AllowedHosts::Any => true,
            AllowedHosts::Named(names) => address.is_some() || is_named(names),
            AllowedHosts::Local(names) => address.is_some_and(|address| address.is_loopback()) || is_named(names),
        }
    }

    /// Whether a page of this origin may send requests: the server's own origin, or one that the settings allow.
    fn is_allowed_origin(&self, origin: &str, host: Option<&str>) -> bool {
        let origin = normalize_origin(origin);
        let own = origin.split_once("://").map(|(_, authority)| authority);
        own.is_some() && own == host.map(str::to_ascii_lowercase).as_deref() || self.origins.contains(&origin)
    }
}

/// The name or address of a host with or without a port: labels of letters, digits, `-` and `_`, or an IPv6 address in
/// brackets. What else a URL may hold (users, paths, fragments) is no host.
fn parse_host(host: &str) -> Option<&str> {
    let name_end = match host.strip_prefix('[') {
        Some(rest) => rest.find(']')? + 2,
        None => host.find(':').unwrap_or(host.len()),
    };
    let (name, port) = host.split_at_checked(name_end)?;
    let is_port = match port.strip_prefix(':') {
        Some(digits) => digits.bytes().all(|byte| byte.is_ascii_digit()) && digits.parse::<u16>().is_ok(),
        None => port.is_empty(),
    };
    let is_label = |label: &str| {
        !label.is_empty() && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
    };
    let is_name = if name.starts_with('[') { parse_address(name).is_some() } else { name.split('.').all(is_label) };
    (is_port && is_name).then_some(name)
}

/// The IP address that a host is. IPv6 addresses stand in brackets, and no others do.
fn parse_address(name: &str) -> Option<IpAddr> {
    match name.strip_prefix('[').and_then(|name| name.strip_suffix(']')) {
        Some(inside) => inside.parse().ok().map(IpAddr::V6),
        None => name.parse().ok().map(IpAddr::V4),
    }
}

fn is_local(name: &str) -> bool {
    name == "localhost" || name.ends_with(".localhost")
}

/// An origin as it is compared: in lower case, without a final slash.
pub(in crate::http) fn normalize_origin(origin: &str) -> String {
    origin.trim_end_matches('/').to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passes(listens_on: &str, settings: &Settings, headers: &[(&'static str, &str)]) -> bool {
        passes_at("/notes", listens_on, settings, headers)
    }

    fn passes_at(target: &str, listens_on: &str, settings: &Settings, headers: &[(&'static str, &str)]) -> bool {
        let headers =
            headers.iter().map(|(name, value)| (axum::http::HeaderName::from_static(name), value.parse().unwrap()));
        HostCheck::new(settings, listens_on.parse().unwrap())
            .check(&target.parse().unwrap(), &headers.collect())
            .is_ok()
    }

    fn settings(hosts: &[&str], origins: &[&str]) -> Settings {
        let owned = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        Settings { allowed_hosts: owned(hosts), allowed_origins: owned(origins), ..Settings::default() }
    }

    #[test]
    fn an_address_that_is_mapped_to_ipv6_is_local_too() {
        let default = settings(&[], &[]);
        assert!(passes("[::ffff:127.0.0.1]:4680", &default, &[("host", "localhost:4680")]));
        assert!(!passes("[::ffff:127.0.0.1]:4680", &default, &[("host", "evil.example.org:4680")]));
    }

    #[test]
    fn a_local_server_answers_to_local_names_and_those_it_was_given() {
        let given = settings(&["Notes.example.org"], &[]);
        for (host, own) in [
            ("localhost", true),
            ("localhost:4680", true),
            ("LOCALHOST:1", true),
            ("127.0.0.1:4680", true),
            ("127.9.9.9", true),
            ("[::1]:4680", true),
            ("[::1]", true),
            ("notes.example.org", true),
            ("app.localhost", true),
            ("evil.example.org", false),
            ("192.168.1.1:4680", false),
            ("localhost.example.org", false),
            ("127.0.0.1.example.org", false),
            ("[[127.0.0.1]]:1", false),
            ("[127.0.0.1]", false),
            ("[[::1]]", false),
            ("[::1", false),
            ("", false),
            ("evil.com#.localhost", false),
            ("evil.com/.localhost", false),
            ("evil.com?.localhost", false),
            ("evil.com:80#.localhost", false),
            ("evil.com@app.localhost", false),
            ("evil.com\\.localhost", false),
            ("evil.com .localhost", false),
            ("evil.com%23.localhost", false),
            ("evil.com,.localhost", false),
            (".localhost", false),
            ("a..localhost", false),
            ("localhost.", false),
            ("localhost:", false),
            ("localhost:80:80", false),
            ("localhost:+80", false),
            ("localhost:65536", false),
            ("localhost:8o", false),
            ("::1", false),
            ("[::1]x", false),
            ("[::1]:80:", false),
            ("[::1%eth0]", false),
            ("[localhost]", false),
            ("localhöst.localhost", false),
            ("[::ffff:127.0.0.1]:4680", false),
        ] {
            assert_eq!(passes("127.0.0.1:4680", &given, &[("host", host)]), own, "{host}");
        }
        for (target, host, own) in [
            ("http://localhost:4680/notes", "localhost:4680", true),
            ("http://LOCALHOST:4680/notes", "localhost:4680", true),
            ("http://evil.com/notes", "localhost:4680", false),
            ("http://evil.com/notes", "evil.com", false),
            ("http://user@localhost:4680/notes", "localhost:4680", false),
            ("http://localhost:4680/notes", "app.localhost:4680", false),
        ] {
            assert_eq!(passes_at(target, "127.0.0.1:4680", &given, &[("host", host)]), own, "{target} {host}");
        }
        assert!(!passes("127.0.0.1:4680", &given, &[]));
        assert!(!passes("127.0.0.1:4680", &given, &[("host", "localhost"), ("host", "localhost")]));
    }

    #[test]
    fn a_public_server_answers_to_any_name_until_it_is_told_its_own() {
        assert!(passes("0.0.0.0:80", &settings(&[], &[]), &[("host", "example.org")]));
        for host in ["", "a#b", "user@example.org", "example.org/x"] {
            assert!(!passes("0.0.0.0:80", &settings(&[], &[]), &[("host", host)]), "{host}");
        }
        let named = settings(&["example.org"], &[]);
        for (host, own) in [("example.org:80", true), ("10.0.0.1", true), ("evil.example.org", false)] {
            assert_eq!(passes("0.0.0.0:80", &named, &[("host", host)]), own, "{host}");
        }
    }

    #[test]
    fn pages_of_other_origins_are_foreign() {
        let given = settings(&[], &["https://app.example.org/"]);
        for (origin, welcome) in [
            ("http://localhost:4680", true),
            ("https://app.example.org", true),
            ("https://APP.example.org", true),
            ("http://localhost:9999", false),
            ("http://localhost", false),
            ("https://evil.example.org", false),
            ("null", false),
            ("", false),
        ] {
            let headers = [("host", "localhost:4680"), ("origin", origin)];
            assert_eq!(passes("127.0.0.1:4680", &given, &headers), welcome, "{origin}");
        }
        let twice = [("host", "localhost:1"), ("origin", "http://localhost:1"), ("origin", "http://evil")];
        assert!(!passes("127.0.0.1:1", &given, &twice));
    }
}
