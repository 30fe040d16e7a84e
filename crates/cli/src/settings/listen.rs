//! The address that a server listens on, given as an address or as a name.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, ToSocketAddrs as _};

use super::layers::Setting;
use crate::command_error::CommandError;

const DEFAULT: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 4680);

/// An address with a port, or a name with a port and the addresses that it has on this machine.
#[derive(Debug)]
pub(crate) struct ListenAddress {
    /// `None` where an address was given.
    name: Option<String>,
    /// At least one; those of IPv4 first, which more clients try first.
    addresses: Vec<SocketAddr>,
}

impl ListenAddress {
    pub(super) fn parse(setting: &Setting) -> Result<ListenAddress, CommandError> {
        let text = setting.text()?;
        if let Ok(address) = text.parse() {
            return Ok(ListenAddress { name: None, addresses: vec![address] });
        }
        let hint = "write an address or a name with a port, such as 127.0.0.1:4680, [::1]:4680 or localhost:4680";
        let malformed = || setting.invalid("is not an address with a port").hint(hint);
        let (name, port) = text.rsplit_once(':').ok_or_else(malformed)?;
        let port: u16 = port.parse().map_err(|_| malformed())?;
        if name.is_empty() || name.contains(|c: char| !c.is_ascii_alphanumeric() && !".-_".contains(c)) {
            return Err(malformed());
        }
        let found = (name, port).to_socket_addrs();
        let unknown = || setting.invalid(format!("cannot be used: the name {name} has no address here")).hint(hint);
        let addresses: Vec<SocketAddr> = found.map_err(|_| unknown())?.collect();
        if addresses.is_empty() { Err(unknown()) } else { Ok(ListenAddress::of_name(name, addresses)) }
    }

    pub(super) fn of_name(name: &str, mut addresses: Vec<SocketAddr>) -> ListenAddress {
        addresses.sort_by_key(SocketAddr::is_ipv6);
        addresses.dedup();
        ListenAddress { name: Some(name.to_owned()), addresses }
    }

    /// The addresses to try, one after the other.
    pub(crate) fn addresses(&self) -> &[SocketAddr] {
        &self.addresses
    }

    /// Whether nobody outside of this machine can reach any of the addresses.
    pub(crate) fn is_loopback(&self) -> bool {
        self.addresses.iter().all(|address| address.ip().to_canonical().is_loopback())
    }

    /// The name that was given, which clients will use, too.
    pub(crate) fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }
}

impl Default for ListenAddress {
    fn default() -> ListenAddress {
        ListenAddress { name: None, addresses: vec![DEFAULT] }
    }
}

impl fmt::Display for ListenAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let addresses: Vec<String> = self.addresses.iter().map(ToString::to_string).collect();
        match &self.name {
            Some(name) => write!(f, "{name} ({})", addresses.join(", ")),
            None => f.write_str(&addresses.join(", ")),
        }
    }
}
