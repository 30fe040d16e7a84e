//! The address of the client that a request comes from.

use std::net::{IpAddr, Ipv6Addr};

use interline_items::MemoryHolder;

/// The address that a request came from: that of its connection, or the one that a trusted proxy forwarded. Every request
/// has it as an extension.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ClientAddress(pub(crate) IpAddr);

impl ClientAddress {
    /// What one client can be told apart by: an IPv6 client has a whole network of addresses (64 bits) to choose from.
    pub(crate) fn network(self) -> IpAddr {
        match self.0.to_canonical() {
            IpAddr::V6(address) => {
                let [a, b, c, d, ..] = address.segments();
                Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0).into()
            }
            address @ IpAddr::V4(_) => address,
        }
    }

    /// The holder of what its client takes without a token.
    pub(crate) fn memory_holder(self) -> MemoryHolder {
        MemoryHolder::Address(match self.network() {
            IpAddr::V4(address) => address.to_ipv6_mapped().to_bits(),
            IpAddr::V6(address) => address.to_bits(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ipv6_client_is_a_network_of_64_bits() {
        for (address, network) in [
            ("10.1.2.3", "10.1.2.3"),
            ("::ffff:10.1.2.3", "10.1.2.3"),
            ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"),
            ("2001:db8:1:3:3:4:5:6", "2001:db8:1:3::"),
        ] {
            assert_eq!(ClientAddress(address.parse().unwrap()).network().to_string(), network);
        }
    }
}
