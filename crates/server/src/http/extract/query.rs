//! Query parameters. Unknown ones are ignored; all problems with the others are reported together.

use axum::extract::FromRequestParts;
use axum::http::Uri;
use axum::http::request::Parts;
use interline_items::Error;
use interline_items::fields::FieldError;

/// The query parameters of a request, read by name.
pub(in crate::http) struct QueryParams {
    pairs: Vec<(String, String)>,
    problems: Vec<FieldError>,
}

impl<S: Sync> FromRequestParts<S> for QueryParams {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<QueryParams, Self::Rejection> {
        Ok(QueryParams::from_uri(&parts.uri))
    }
}

impl QueryParams {
    fn from_uri(uri: &Uri) -> QueryParams {
        let pairs = url::form_urlencoded::parse(uri.query().unwrap_or_default().as_bytes()).into_owned().collect();
        QueryParams { pairs, problems: Vec::new() }
    }

    /// The value of a parameter that is given at most once. The error of `parse` says what the value must be.
    pub(in crate::http) fn one<T>(&mut self, name: &str, parse: impl Fn(&str) -> Result<T, String>) -> Option<T> {
        let mut values = self.many(name, parse);
        if values.len() > 1 {
            self.problems.push(FieldError::new(name, format!("is given {} times; give it once", values.len())));
        }
        values.pop()
    }

    /// The values of a parameter that may be repeated.
    pub(in crate::http) fn many<T>(&mut self, name: &str, parse: impl Fn(&str) -> Result<T, String>) -> Vec<T> {
        let mut values = Vec::new();
        for (_, value) in self.pairs.iter().filter(|(key, _)| key == name) {
            match parse(value) {
                Ok(value) => values.push(value),
                Err(message) => self.problems.push(FieldError::new(name, message)),
            }
        }
        values
    }

    /// Refuses the request if any parameter that was read so far is wrong.
    pub(in crate::http) fn finish(&self) -> Result<(), Error> {
        if self.problems.is_empty() { Ok(()) } else { Err(Error::ValidationFailed(self.problems.clone())) }
    }
}

/// `true` or `false`.
pub(in crate::http) fn boolean(text: &str) -> Result<bool, String> {
    match text {
        "true" | "1" => Ok(true),
        "false" | "0" => Ok(false),
        _ => Err("must be true or false".to_owned()),
    }
}

/// A whole number from `least` to `most`.
pub(in crate::http) fn number(least: u64, most: u64) -> impl Fn(&str) -> Result<u64, String> {
    move |text| {
        let number = if text.bytes().all(|byte| byte.is_ascii_digit()) { text.parse().ok() } else { None };
        number.filter(|number| (least..=most).contains(number)).ok_or_else(|| {
            if most == u64::MAX {
                format!("must be a whole number of at least {least}")
            } else {
                format!("must be a whole number from {least} to {most}")
            }
        })
    }
}

/// One of these names.
pub(in crate::http) fn one_of<T: Copy>(names: &'static [(&'static str, T)]) -> impl Fn(&str) -> Result<T, String> {
    move |text| {
        names.iter().find(|(name, _)| *name == text).map(|(_, value)| *value).ok_or_else(|| {
            let names: Vec<&str> = names.iter().map(|(name, _)| *name).collect();
            format!("must be one of {}", names.join(", "))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn query(text: &str) -> QueryParams {
        QueryParams::from_uri(&format!("/notes?{text}").parse().unwrap())
    }

    #[test]
    fn values_are_read_by_name_and_problems_reported_together() {
        let mut wrong = query("limit=0&tags=a&tags=b%20c&view=new&x=1&start_line=+1&twice=1&twice=2");
        assert_eq!(wrong.many("tags", |text| Ok(text.to_owned())), ["a", "b c"]);
        assert_eq!(wrong.one("limit", number(1, 100)), None);
        assert_eq!(wrong.one("view", one_of(&[("active", 1), ("archived", 2)])), None);
        assert_eq!(wrong.one("start_line", number(1, u64::MAX)), None);
        wrong.one("twice", number(1, 9));
        let Err(Error::ValidationFailed(problems)) = wrong.finish() else { panic!("it was accepted") };
        let messages: Vec<String> = problems.iter().map(ToString::to_string).collect();
        assert_eq!(
            messages,
            [
                "limit: must be a whole number from 1 to 100",
                "view: must be one of active, archived",
                "start_line: must be a whole number of at least 1",
                "twice: is given 2 times; give it once",
            ]
        );
    }

    #[test]
    fn hostile_numbers_are_refused() {
        for text in ["", "-1", "+1", "1.0", "1e3", "0x10", "99999999999999999999", "１", " 1"] {
            assert!(number(0, u64::MAX)(text).is_err(), "{text:?}");
        }
    }
}
