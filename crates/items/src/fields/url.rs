//! The web addresses of bookmarks.

use super::text::{check, check_length};
use super::{FieldError, Limits};

const FIELD: &str = "url";

/// A web address in the normal form of the WHATWG URL standard: two spellings of one address are one value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Url(String);

impl Url {
    /// An absolute `http` or `https` address without a user name or password.
    ///
    /// Blanks around it are dropped, scheme and host are lower-cased, a default port is removed, and what needs
    /// percent-encoding gets it; the fragment stays. Credentials are refused because a bookmark is shown, searched and
    /// exported as plain text.
    pub fn parse(address: &str, limits: &Limits) -> Result<Url, FieldError> {
        check(FIELD, address, limits.url)?;
        let url = url::Url::parse(address).map_err(|error| match error {
            url::ParseError::RelativeUrlWithoutBase if address.trim().is_empty() => {
                FieldError::new(FIELD, "must not be blank; give an address like `https://example.com/page`")
            }
            url::ParseError::RelativeUrlWithoutBase => {
                FieldError::new(FIELD, "the address needs `https://` in front, as in `https://example.com/page`")
            }
            error => {
                FieldError::new(FIELD, format!("{error}; give an absolute address like `https://example.com/page`"))
            }
        })?;
        if !matches!(url.scheme(), "http" | "https") {
            let message = format!("the scheme is `{}`; only http and https can be bookmarked", url.scheme());
            return Err(FieldError::new(FIELD, message));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(FieldError::new(FIELD, "the address has a user name or password; remove what is before `@`"));
        }
        // Percent-encoding makes it longer.
        check_length(FIELD, url.as_str(), limits.url)?;
        Ok(Url(url.into()))
    }

    /// A value that was parsed before it was stored; limits may have changed since.
    pub fn from_stored(stored: String) -> Url {
        Url(stored)
    }

    /// The normalised address.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_normalised() {
        for (given, normal) in [
            ("https://example.com", "https://example.com/"),
            (" HTTP://EXAMPLE.com:80/A ", "http://example.com/A"),
            ("https://example.com:443/#top", "https://example.com/#top"),
            ("https://example.com/a/../b/./c?q=1 2", "https://example.com/b/c?q=1%202"),
            ("https://bücher.example/ä", "https://xn--bcher-kva.example/%C3%A4"),
            ("http://[::1]:8080/", "http://[::1]:8080/"),
            ("http://127.1/", "http://127.0.0.1/"),
            ("https:example.com", "https://example.com/"),
        ] {
            assert_eq!(Url::parse(given, &Limits::default()).unwrap().as_str(), normal, "{given}");
        }
    }

    #[test]
    fn a_normal_address_stays_as_it_is() {
        for address in ["https://example.com/?a=%20b#c%20d", "http://example.com:8080/x%2Fy"] {
            assert_eq!(Url::parse(address, &Limits::default()).unwrap().as_str(), address);
        }
    }

    #[test]
    fn other_addresses_are_refused_with_the_reason() {
        for (given, reason) in [
            ("", "must not be blank"),
            ("example.com/page", "the address needs `https://` in front"),
            ("/page", "the address needs `https://` in front"),
            ("http://", "empty host"),
            ("https://exa mple.com", "invalid"),
            ("http://example.com:99999/", "port"),
            ("ftp://example.com/", "`ftp`"),
            ("javascript:alert(1)", "`javascript`"),
            ("file:///etc/passwd", "`file`"),
            ("https://user:secret@example.com/", "user name or password"),
            ("https://user@example.com/", "user name or password"),
            ("https://example.com/\0", "NUL"),
        ] {
            let error = Url::parse(given, &Limits::default()).unwrap_err();
            assert_eq!(error.field, "url");
            assert!(error.message.contains(reason), "{given:?}: {error}");
        }
    }

    #[test]
    fn the_limit_holds_for_the_normal_form_too() {
        let limits = Limits { url: 30, ..Limits::default() };
        assert!(Url::parse("https://example.com/1234567890", &limits).is_ok());
        for (given, actual) in [("https://example.com/12345678901", 31), ("https://example.com/ääää", 44)] {
            let error = Url::parse(given, &limits).unwrap_err();
            assert_eq!(error.message, format!("has {actual} characters; the limit is 30"));
        }
    }
}
