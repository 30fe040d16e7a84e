//! Statements: one SQL text for both databases, or one for each.

/// An SQL statement. It is made by [`statement!`], which numbers the parameters for both databases at compile time.
#[derive(Clone, Copy)]
pub(crate) struct Statement {
    /// With parameters `?1`, `?2`, …
    pub(crate) sqlite: &'static str,
    /// With parameters `$1`, `$2`, …
    pub(crate) postgres: &'static str,
}

/// A [`Statement`] of the text that the arguments make when they are put together, as `concat!` does. Parameters are written
/// `?1`, `?2`, …, and no string literal has a `?` before a digit.
///
/// With `sqlite:` and `postgres:` it is one text for each database, both with parameters `?1`, `?2`, …; then the two take
/// the same values and answer with the same columns.
macro_rules! statement {
    (sqlite: $sqlite:expr, postgres: $postgres:expr $(,)?) => {{
        const POSTGRES: &str = $postgres;
        const { assert!(!$crate::sql::has_parameter_in_literal(POSTGRES), "a string literal has a parameter") };
        const REWRITTEN: [u8; POSTGRES.len()] = $crate::sql::dollar_parameters(POSTGRES);
        $crate::sql::Statement { sqlite: $sqlite, postgres: $crate::sql::Statement::utf8(&REWRITTEN) }
    }};
    ($($part:tt)+) => {
        $crate::sql::statement!(sqlite: concat!($($part)+), postgres: concat!($($part)+))
    };
}
pub(crate) use statement;

impl Statement {
    /// A text whose ASCII characters were exchanged for others, so that it is UTF-8 as it was before.
    pub(crate) const fn utf8(rewritten: &'static [u8]) -> &'static str {
        match std::str::from_utf8(rewritten) {
            Ok(text) => text,
            Err(_) => "",
        }
    }
}

/// Whether a string literal of `sql` has text that [`dollar_parameters`] would rewrite.
pub(crate) const fn has_parameter_in_literal(sql: &str) -> bool {
    let sql = sql.as_bytes();
    let (mut at, mut is_literal) = (0, false);
    while at < sql.len() {
        if sql[at] == b'\'' {
            is_literal = !is_literal;
        } else if is_literal && sql[at] == b'?' && at + 1 < sql.len() && sql[at + 1].is_ascii_digit() {
            return true;
        }
        at += 1;
    }
    false
}

/// The text `sql`, of `N` bytes, with `$1` for `?1` and so on.
pub(crate) const fn dollar_parameters<const N: usize>(sql: &str) -> [u8; N] {
    let sql = sql.as_bytes();
    let mut rewritten = [0; N];
    let mut at = 0;
    while at < N {
        let is_parameter = sql[at] == b'?' && at + 1 < N && sql[at + 1].is_ascii_digit();
        rewritten[at] = if is_parameter { b'$' } else { sql[at] };
        at += 1;
    }
    rewritten
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_numbered_for_both_databases() {
        const PLAIN: Statement = statement!("SELECT ?1, ", "'ä?' || ?12 WHERE a ? b");
        assert_eq!(PLAIN.sqlite, "SELECT ?1, 'ä?' || ?12 WHERE a ? b");
        assert_eq!(PLAIN.postgres, "SELECT $1, 'ä?' || $12 WHERE a ? b");
    }

    #[test]
    fn a_parameter_in_a_string_literal_is_found() {
        for (sql, found) in [("'?1'", true), ("'a''b ?2'", true), ("'?' || ?1", false), ("?1 || 'x'", false)] {
            assert_eq!(has_parameter_in_literal(sql), found, "{sql}");
        }
    }

    #[test]
    fn each_database_may_have_its_own_text() {
        const LOCKING: Statement = statement!(sqlite: "SELECT ?1", postgres: "SELECT ?1 FOR UPDATE");
        assert_eq!((LOCKING.sqlite, LOCKING.postgres), ("SELECT ?1", "SELECT $1 FOR UPDATE"));
    }
}
