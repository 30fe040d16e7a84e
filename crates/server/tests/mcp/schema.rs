//! Validates a value by a JSON schema, for the keywords that the schemas of the tools have. Other keywords are a failure:
//! a keyword that no test checks promises nothing.

use serde_json::Value;

/// What does not fit, if anything.
pub(crate) fn mismatch(schema: &Value, value: &Value, place: &str) -> Option<String> {
    let schema = schema.as_object().unwrap_or_else(|| panic!("{place}: {schema} is no schema"));
    schema.iter().find_map(|(keyword, rule)| {
        let fits = match keyword.as_str() {
            "type" => is_of_type(rule.as_str().expect("one type"), value),
            "enum" => rule.as_array().expect("words").contains(value),
            "minimum" => value.as_f64() >= rule.as_f64(),
            "maximum" => value.as_f64() <= rule.as_f64(),
            "required" => {
                rule.as_array().expect("names").iter().all(|name| value.get(name.as_str().unwrap()).is_some())
            }
            // Whatever members there are.
            "additionalProperties" if *rule == true => true,
            "additionalProperties" => {
                assert_eq!(rule, false, "{place}");
                let known = schema.get("properties").and_then(Value::as_object);
                value.as_object().is_none_or(|members| {
                    members.keys().all(|name| known.is_some_and(|known| known.contains_key(name)))
                })
            }
            "properties" => {
                let members = rule.as_object().expect("schemas").iter();
                return members
                    .filter_map(|(name, rule)| Some((name, rule, value.get(name)?)))
                    .find_map(|(name, rule, value)| mismatch(rule, value, &format!("{place}.{name}")));
            }
            "items" => {
                return value.as_array()?.iter().find_map(|value| mismatch(rule, value, &format!("{place}[]")));
            }
            "description" => true,
            other => panic!("{place}: the keyword {other} is not checked"),
        };
        (!fits).then(|| format!("{place}: {value} against {keyword}: {rule}"))
    })
}

fn is_of_type(name: &str, value: &Value) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_u64() || value.is_i64(),
        other => panic!("the type {other} is not known"),
    }
}
