//! Ranges of IP addresses, written as `10.0.0.0/8` or as a single address.

use std::net::IpAddr;
use std::str::FromStr;
use std::{error, fmt};

/// A range of addresses: those that share the first bits of one address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AddressRange {
    first: IpAddr,
    bits: u32,
}

/// A text that is no range of addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotAnAddressRange;

impl AddressRange {
    /// Whether an address is in the range. An IPv4 address that is written as IPv6 is the IPv4 address.
    pub fn contains(&self, address: IpAddr) -> bool {
        match (self.first, address.to_canonical()) {
            (IpAddr::V4(first), IpAddr::V4(address)) => {
                let different = (first.to_bits() ^ address.to_bits()).leading_zeros();
                different >= self.bits
            }
            (IpAddr::V6(first), IpAddr::V6(address)) => {
                let different = (first.to_bits() ^ address.to_bits()).leading_zeros();
                different >= self.bits
            }
            (IpAddr::V4(_), IpAddr::V6(_)) | (IpAddr::V6(_), IpAddr::V4(_)) => false,
        }
    }
}

impl FromStr for AddressRange {
    type Err = NotAnAddressRange;

    fn from_str(text: &str) -> Result<AddressRange, NotAnAddressRange> {
        let (address, bits) = text.split_once('/').map_or((text, None), |(address, bits)| (address, Some(bits)));
        let first: IpAddr = address.parse().map_err(|_| NotAnAddressRange)?;
        let most = if first.is_ipv4() { 32 } else { 128 };
        let bits = bits.map_or(Ok(most), |bits| bits.parse().map_err(|_| NotAnAddressRange))?;
        if bits > most { Err(NotAnAddressRange) } else { Ok(AddressRange { first, bits }) }
    }
}

impl fmt::Display for AddressRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.first, self.bits)
    }
}

impl fmt::Display for NotAnAddressRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not a range of addresses")
    }
}

impl error::Error for NotAnAddressRange {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_has_the_addresses_that_share_its_bits() {
        for (range, address, inside) in [
            ("10.0.0.0/8", "10.255.0.1", true),
            ("10.0.0.0/8", "11.0.0.1", false),
            ("10.0.0.0/8", "::ffff:10.1.1.1", true),
            ("192.0.2.7", "192.0.2.7", true),
            ("192.0.2.7", "192.0.2.6", false),
            ("0.0.0.0/0", "203.0.113.1", true),
            ("0.0.0.0/0", "::1", false),
            ("2001:db8::/32", "2001:db8:ffff::1", true),
            ("2001:db8::/32", "2001:db9::1", false),
            ("::/0", "::1", true),
        ] {
            let parsed: AddressRange = range.parse().unwrap();
            assert_eq!(parsed.contains(address.parse().unwrap()), inside, "{range} {address}");
        }
        for text in ["", "10.0.0.0/33", "::/129", "10.0.0/8", "10.0.0.0/", "10.0.0.0/-1", "localhost", "10.0.0.0/8/8"] {
            assert_eq!(text.parse::<AddressRange>(), Err(NotAnAddressRange), "{text}");
        }
    }
}
