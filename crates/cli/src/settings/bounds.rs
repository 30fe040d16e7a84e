//! Settings of what requests and connections may take.

use interline_server::AddressRange;

use super::layers::{Layers, Setting};
use crate::args::ServeArgs;
use crate::command_error::CommandError;

const MEGABYTE: usize = 1024 * 1024;
/// The least and the most megabytes of a budget.
const MEGABYTES: std::ops::RangeInclusive<usize> = 16..=1024 * 1024;

/// What requests and connections may take; `None` is the default.
#[derive(Debug)]
pub(crate) struct BoundSettings {
    /// In bytes.
    pub(crate) memory_budget: Option<usize>,
    pub(crate) max_connections_per_address: Option<usize>,
    pub(crate) trusted_proxies: Vec<AddressRange>,
}

impl BoundSettings {
    pub(super) fn from_args(args: &ServeArgs, layers: &Layers<'_>) -> Result<BoundSettings, CommandError> {
        let budget = args.memory_budget.as_deref();
        let budget = layers.find("memory-budget", budget, |file| file.memory_budget.as_deref());
        let per_address = args.max_connections_per_address.as_deref();
        let key = "max-connections-per-address";
        let per_address = layers.find(key, per_address, |file| file.max_connections_per_address.as_deref());
        let proxies = layers.find_all("trusted-proxy", &args.trusted_proxy, |file| file.trusted_proxy.as_deref())?;
        Ok(BoundSettings {
            memory_budget: budget.map(|setting| parse_megabytes(&setting)).transpose()?,
            max_connections_per_address: per_address.map(|setting| parse_number(&setting)).transpose()?,
            trusted_proxies: proxies.iter().map(parse_range).collect::<Result<_, _>>()?,
        })
    }
}

fn parse_megabytes(setting: &Setting) -> Result<usize, CommandError> {
    let text = setting.text()?;
    match text.strip_suffix("MB").unwrap_or(text).trim_end().parse() {
        Ok(megabytes) if MEGABYTES.contains(&megabytes) => Ok(megabytes * MEGABYTE),
        _ => Err(setting.invalid("is not a number of megabytes").hint("write one such as 512MB; 16MB is the least")),
    }
}

fn parse_number(setting: &Setting) -> Result<usize, CommandError> {
    match setting.text()?.parse() {
        Ok(0) | Err(_) => Err(setting.invalid("is not a number of connections").hint("write 1 or more")),
        Ok(number) => Ok(number),
    }
}

fn parse_range(setting: &Setting) -> Result<AddressRange, CommandError> {
    let hint = "write one such as 10.0.0.0/8, 192.0.2.7 or 2001:db8::/32";
    setting.text()?.parse().map_err(|_| setting.invalid("is not a range of addresses").hint(hint))
}
