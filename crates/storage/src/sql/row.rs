//! Reading a row's columns from left to right, as typed values.

use std::sync::Arc;

use interline_items::{
    AppId, ChangeSetId, ItemId, OrganizationId, ProposalId, SpaceId, StoreError, TokenId, UserId, WebhookId,
};
use jiff::Timestamp;
use uuid::Uuid;

/// A row of either database; columns are counted from 0, and `None` is `NULL`.
pub(crate) trait RawRow {
    fn integer(&self, column: usize) -> Result<Option<i64>, StoreError>;
    fn text(&self, column: usize) -> Result<Option<&str>, StoreError>;
    fn bytes(&self, column: usize) -> Result<Option<&[u8]>, StoreError>;
    fn uuid(&self, column: usize) -> Result<Option<Uuid>, StoreError>;
}

/// Takes the columns of a row from left to right.
pub(crate) struct RowReader<'row> {
    row: &'row dyn RawRow,
    column: usize,
}

impl<'row> RowReader<'row> {
    /// From the first column on.
    pub(crate) fn new(row: &'row dyn RawRow) -> RowReader<'row> {
        RowReader { row, column: 0 }
    }

    /// The next value, which is not `NULL`.
    pub(crate) fn get<T: FromColumn<'row>>(&mut self) -> Result<T, StoreError> {
        let column = self.column;
        self.optional()?.ok_or_else(|| malformed(column))
    }

    /// The next value, or `None` for `NULL`.
    pub(crate) fn optional<T: FromColumn<'row>>(&mut self) -> Result<Option<T>, StoreError> {
        self.column += 1;
        T::from_column(self.row, self.column - 1)
    }
}

/// The value of a row's next column, which is not `NULL`: what reads the rows of a statement that selects one column.
pub(crate) fn column<T: for<'row> FromColumn<'row>>(row: &mut RowReader<'_>) -> Result<T, StoreError> {
    row.get()
}

/// A type that a column can be read as.
pub(crate) trait FromColumn<'row>: Sized {
    /// The value of a column; `None` for `NULL`.
    fn from_column(row: &'row dyn RawRow, column: usize) -> Result<Option<Self>, StoreError>;
}

impl FromColumn<'_> for i64 {
    fn from_column(row: &dyn RawRow, column: usize) -> Result<Option<i64>, StoreError> {
        row.integer(column)
    }
}

/// Numbers that are not negative.
macro_rules! counts {
    ($($count:ty),*) => {$(
        impl FromColumn<'_> for $count {
            fn from_column(row: &dyn RawRow, column: usize) -> Result<Option<$count>, StoreError> {
                row.integer(column)?.map(<$count>::try_from).transpose().map_err(|_| malformed(column))
            }
        }
    )*};
}

counts!(u64, u32, u16);

impl FromColumn<'_> for Timestamp {
    fn from_column(row: &dyn RawRow, column: usize) -> Result<Option<Timestamp>, StoreError> {
        row.integer(column)?.map(Timestamp::from_microsecond).transpose().map_err(|_| malformed(column))
    }
}

impl<'row> FromColumn<'row> for &'row str {
    fn from_column(row: &'row dyn RawRow, column: usize) -> Result<Option<&'row str>, StoreError> {
        row.text(column)
    }
}

impl FromColumn<'_> for String {
    fn from_column(row: &dyn RawRow, column: usize) -> Result<Option<String>, StoreError> {
        Ok(row.text(column)?.map(str::to_owned))
    }
}

impl FromColumn<'_> for Arc<str> {
    fn from_column(row: &dyn RawRow, column: usize) -> Result<Option<Arc<str>>, StoreError> {
        Ok(row.text(column)?.map(Arc::from))
    }
}

impl<const N: usize> FromColumn<'_> for [u8; N] {
    fn from_column(row: &dyn RawRow, column: usize) -> Result<Option<[u8; N]>, StoreError> {
        row.bytes(column)?.map(<[u8; N]>::try_from).transpose().map_err(|_| malformed(column))
    }
}

impl<'row> FromColumn<'row> for &'row [u8] {
    fn from_column(row: &'row dyn RawRow, column: usize) -> Result<Option<&'row [u8]>, StoreError> {
        row.bytes(column)
    }
}

impl FromColumn<'_> for Uuid {
    fn from_column(row: &dyn RawRow, column: usize) -> Result<Option<Uuid>, StoreError> {
        row.uuid(column)
    }
}

macro_rules! ids {
    ($($id:ty),*) => {$(
        impl FromColumn<'_> for $id {
            fn from_column(row: &dyn RawRow, column: usize) -> Result<Option<$id>, StoreError> {
                Ok(row.uuid(column)?.map(<$id>::from_uuid))
            }
        }
    )*};
}

ids!(AppId, ChangeSetId, ItemId, OrganizationId, ProposalId, SpaceId, TokenId, UserId, WebhookId);

fn malformed(column: usize) -> StoreError {
    StoreError::Failed(format!("column {column} of a row holds what this program never writes"))
}
