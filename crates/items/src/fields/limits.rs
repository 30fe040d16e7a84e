//! The limits of fields: the largest values that are accepted.

/// The largest value of each field that has a size. The defaults are those of the product; an operator may set others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Characters of a title.
    pub title: usize,
    /// Characters of a description.
    pub description: usize,
    /// Characters of one tag, after it was normalised.
    pub tag: usize,
    /// Tags of one item, after duplicates were dropped.
    pub tags: usize,
    /// Characters of a prompt's name.
    pub name: usize,
    /// Characters of a path.
    pub path: usize,
    /// Characters of a bookmark's address, as it was given and as it is normalised.
    pub url: usize,
    /// Bytes of UTF-8 of a content.
    pub content_bytes: usize,
    /// Bytes of UTF-8 of front matter.
    pub front_matter_bytes: usize,
    /// Arguments of one prompt.
    pub arguments: usize,
    /// Characters of an argument's name.
    pub argument_name: usize,
    /// Characters of an argument's description.
    pub argument_description: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            title: 500,
            description: 4_000,
            tag: 64,
            tags: 100,
            name: 100,
            path: 500,
            url: 2_048,
            content_bytes: 8 * 1024 * 1024,
            front_matter_bytes: 16 * 1024,
            arguments: 100,
            argument_name: 100,
            argument_description: 1_000,
        }
    }
}
