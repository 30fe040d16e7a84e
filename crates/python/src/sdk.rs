//! The name of the SDK that workflow decorators come from.

/// A Python name that may stand before a workflow decorator: `bifrost` in `@bifrost.workflow`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SdkName(String);

impl SdkName {
    /// Accepts an ASCII identifier.
    pub fn parse(text: &str) -> Option<SdkName> {
        let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        let starts_well = text.bytes().next().is_some_and(|first| !first.is_ascii_digit());
        (starts_well && text.bytes().all(is_word)).then(|| SdkName(text.to_owned()))
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Default for SdkName {
    fn default() -> SdkName {
        SdkName("bifrost".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_identifiers() {
        for good in ["bifrost", "_", "b2", "My_SDK"] {
            assert_eq!(SdkName::parse(good).unwrap().as_str(), good);
        }
        for bad in ["", "2b", "a.b", "a b", "é", "a-b"] {
            assert_eq!(SdkName::parse(bad), None, "{bad:?}");
        }
    }
}
