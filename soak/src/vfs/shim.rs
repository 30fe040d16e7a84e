//! The SQLite VFS of the simulated disk: SQLite's own, which reports every write, truncation, deletion and sync to a
//! [`Disk`] first.
//!
//! It is the default of the process, so that every connection goes through it. Files of no [`Disk`] pass through, without
//! syncs, which no trial needs. Those of a [`Disk`] are synced, because the time of a sync is what lets other writes wait
//! for the next commit together.
//!
//! A connection to a disk with [`Synchronous::Off`] is put there when it is opened, and kept there: SQLite asks the VFS
//! about every pragma before it obeys.

#![expect(unsafe_code, reason = "a VFS is a table of C functions")]

use std::ffi::{CStr, OsStr, c_char, c_int, c_void};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::ptr;
use std::slice;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use rusqlite::auto_extension::{init_auto_extension, register_auto_extension};
use rusqlite::{Connection, ffi};

use super::disk::{Disk, Durability, FileName, RefusedWrite, Synchronous, watched};

const NAME: &CStr = c"interline-soak";

/// What SQLite allocates for a file: this, and directly behind it the file of SQLite's own VFS.
#[repr(C)]
struct File {
    base: ffi::sqlite3_file,
    /// Owned, from `Box::into_raw`; null for a file of no disk.
    attached: *mut Attached,
}

/// A file of a disk.
struct Attached {
    disk: Arc<Disk>,
    name: FileName,
    /// SQLite's VFS syncs the directory with the first sync of a log or journal that it may have made. This
    /// tells the disk when.
    directory_sync_due: AtomicBool,
}

// Version 2 has no memory mapping: every byte goes through `xRead` and `xWrite`.
static METHODS: ffi::sqlite3_io_methods = ffi::sqlite3_io_methods {
    iVersion: 2,
    xClose: Some(close),
    xRead: Some(read),
    xWrite: Some(write),
    xTruncate: Some(truncate),
    xSync: Some(sync),
    xFileSize: Some(file_size),
    xLock: Some(lock),
    xUnlock: Some(unlock),
    xCheckReservedLock: Some(check_reserved_lock),
    xFileControl: Some(file_control),
    xSectorSize: Some(sector_size),
    xDeviceCharacteristics: Some(device_characteristics),
    xShmMap: Some(shm_map),
    xShmLock: Some(shm_lock),
    xShmBarrier: Some(shm_barrier),
    xShmUnmap: Some(shm_unmap),
    xFetch: None,
    xUnfetch: None,
};

/// Makes it the default of the process, once.
pub(super) fn install() -> Result<(), String> {
    static INSTALLED: OnceLock<Result<(), String>> = OnceLock::new();
    INSTALLED
        .get_or_init(|| {
            let code = register();
            if code != ffi::SQLITE_OK {
                return Err(format!("SQLite takes no VFS: error {code}"));
            }
            // SAFETY: `opened` opens and closes no connection, and leaves the list of extensions alone.
            unsafe { register_auto_extension(opened) }.map_err(|error| format!("SQLite takes no extension: {error}"))
        })
        .clone()
}

fn register() -> c_int {
    // SAFETY: null asks for the default VFS, which lives as long as the process. It is SQLite's for unix systems:
    // of its functions, only those that are replaced here look at the `sqlite3_vfs` that they are called with, so the
    // others may be called with the copy. The copy is leaked, as a registered VFS must stay.
    unsafe {
        let system = ffi::sqlite3_vfs_find(ptr::null());
        if system.is_null() {
            return ffi::SQLITE_ERROR;
        }
        let mut ours = *system;
        ours.zName = NAME.as_ptr();
        ours.pNext = ptr::null_mut();
        ours.pAppData = system.cast();
        ours.szOsFile += c_int::try_from(size_of::<File>()).unwrap_or(c_int::MAX);
        ours.xOpen = Some(open);
        ours.xDelete = Some(delete);
        ffi::sqlite3_vfs_register(Box::into_raw(Box::new(ours)), 1)
    }
}

unsafe extern "C" fn opened(
    connection: *mut ffi::sqlite3,
    message: *mut *mut c_char,
    _: *const ffi::sqlite3_api_routines,
) -> c_int {
    // SAFETY: SQLite calls this with a connection that is open and a place for a message.
    unsafe { init_auto_extension(connection, message, begin_as_its_disk_says) }
}

/// Puts a new connection where its disk wants it, before its owner has its say.
#[expect(clippy::needless_pass_by_value, reason = "the type of an extension")]
fn begin_as_its_disk_says(connection: Connection) -> rusqlite::Result<()> {
    let disk = connection.path().and_then(|path| watched(Path::new(path)).ok().flatten());
    match disk.map(|(disk, _)| disk.synchronous()) {
        Some(Synchronous::Off) => connection.execute_batch("PRAGMA synchronous = OFF"),
        Some(Synchronous::AsAsked) | None => Ok(()),
    }
}

/// The disk and the name of a path; `Err` for a file that a disk does not know how to keep.
///
/// # Safety
///
/// `name` is null or a C string.
unsafe fn attached(name: *const c_char) -> Result<Option<Attached>, ()> {
    if name.is_null() {
        return Ok(None);
    }
    // SAFETY: not null, and so a C string; it is not kept.
    let bytes = unsafe { CStr::from_ptr(name) }.to_bytes();
    watched(Path::new(OsStr::from_bytes(bytes)))
        .map(|found| found.map(|(disk, name)| Attached { disk, name, directory_sync_due: AtomicBool::new(false) }))
}

unsafe extern "C" fn open(
    vfs: *mut ffi::sqlite3_vfs,
    name: ffi::sqlite3_filename,
    file: *mut ffi::sqlite3_file,
    flags: c_int,
    out_flags: *mut c_int,
) -> c_int {
    // SAFETY: SQLite hands over the VFS that `install` made, whose data is the system's, a name that is null or a string,
    // and `szOsFile` bytes for the file, which hold a `File` and the system's file behind it. A file with methods will be
    // closed, one without will not: so ours has some exactly if the system's has.
    unsafe {
        let ours = file.cast::<File>();
        (*ours).base.pMethods = ptr::null();
        (*ours).attached = ptr::null_mut();
        let Ok(attached) = attached(name) else { return ffi::SQLITE_CANTOPEN };
        let is_new = attached.as_ref().is_some_and(|at| !at.disk.has(at.name));
        let system = (*vfs).pAppData.cast::<ffi::sqlite3_vfs>();
        let inner = inner(file);
        (*inner).pMethods = ptr::null();
        let Some(open) = (*system).xOpen else { return ffi::SQLITE_CANTOPEN };
        let code = open(system, name, inner, flags, out_flags);
        if let (ffi::SQLITE_OK, true, Some(at)) = (code, is_new, &attached) {
            at.disk.created(at.name);
        }
        if !(*inner).pMethods.is_null() {
            let may_have_made = flags & ffi::SQLITE_OPEN_CREATE != 0;
            let of_a_transaction = flags & (ffi::SQLITE_OPEN_WAL | ffi::SQLITE_OPEN_MAIN_JOURNAL) != 0;
            if let Some(at) = &attached {
                at.directory_sync_due.store(may_have_made && of_a_transaction, Ordering::Relaxed);
            }
            (*ours).base.pMethods = &raw const METHODS;
            (*ours).attached = attached.map_or(ptr::null_mut(), |attached| Box::into_raw(Box::new(attached)));
        }
        code
    }
}

unsafe extern "C" fn delete(vfs: *mut ffi::sqlite3_vfs, name: *const c_char, sync_directory: c_int) -> c_int {
    // SAFETY: the VFS is the one that `install` made, and the name is a string.
    unsafe {
        let system = (*vfs).pAppData.cast::<ffi::sqlite3_vfs>();
        let Some(delete) = (*system).xDelete else { return ffi::SQLITE_IOERR_DELETE };
        let code = delete(system, name, 0);
        if let (ffi::SQLITE_OK, Ok(Some(Attached { disk, name, .. }))) = (code, attached(name)) {
            disk.deleted(name, if sync_directory == 0 { Durability::InDoubt } else { Durability::Certain });
        }
        code
    }
}

/// The system's file behind ours.
///
/// # Safety
///
/// `file` has the room that `szOsFile` asks for.
unsafe fn inner(file: *mut ffi::sqlite3_file) -> *mut ffi::sqlite3_file {
    // SAFETY: within the room; a `File` is two pointers, so it is aligned as what SQLite allocates is, to 8 bytes.
    unsafe { file.cast::<u8>().add(size_of::<File>()).cast() }
}

/// What the file is on its disk.
///
/// # Safety
///
/// `file` was opened by [`open`] and not closed since; the answer is not kept beyond the call.
unsafe fn attached_to<'a>(file: *mut ffi::sqlite3_file) -> Option<&'a Attached> {
    // SAFETY: `open` left a pointer there that is null or from a box, which lives until `close`.
    unsafe { (*file.cast::<File>()).attached.as_ref() }
}

/// Functions that do what the system's file does.
macro_rules! passed_on {
    ($($name:ident = $method:ident($($argument:ident: $type:ty),*);)*) => {$(
        unsafe extern "C" fn $name(file: *mut ffi::sqlite3_file, $($argument: $type),*) -> c_int {
            // SAFETY: SQLite calls the methods of files that `open` opened, and with them the system's file is open,
            // with arguments that are as good for it as for ours.
            unsafe {
                let inner = inner(file);
                let Some(method) = (*(*inner).pMethods).$method else { return ffi::SQLITE_IOERR };
                method(inner, $($argument),*)
            }
        }
    )*};
}

passed_on! {
    read = xRead(into: *mut c_void, length: c_int, offset: i64);
    system_write = xWrite(from: *const c_void, length: c_int, offset: i64);
    system_truncate = xTruncate(size: i64);
    system_sync = xSync(flags: c_int);
    system_close = xClose();
    file_size = xFileSize(size: *mut i64);
    lock = xLock(level: c_int);
    unlock = xUnlock(level: c_int);
    check_reserved_lock = xCheckReservedLock(answer: *mut c_int);
    system_file_control = xFileControl(operation: c_int, argument: *mut c_void);
    sector_size = xSectorSize();
    device_characteristics = xDeviceCharacteristics();
    shm_map = xShmMap(region: c_int, size: c_int, extend: c_int, into: *mut *mut c_void);
    shm_lock = xShmLock(offset: c_int, count: c_int, flags: c_int);
    shm_unmap = xShmUnmap(delete: c_int);
}

unsafe extern "C" fn shm_barrier(file: *mut ffi::sqlite3_file) {
    // SAFETY: as for the functions that are passed on.
    unsafe {
        let inner = inner(file);
        if let Some(barrier) = (*(*inner).pMethods).xShmBarrier {
            barrier(inner);
        }
    }
}

unsafe extern "C" fn file_control(file: *mut ffi::sqlite3_file, operation: c_int, argument: *mut c_void) -> c_int {
    // SAFETY: the file is open; of a pragma the argument is an array: a place for an answer, the name, and the value,
    // which is null where it is asked for.
    unsafe {
        if operation == ffi::SQLITE_FCNTL_PRAGMA && attached_to(file).is_some() {
            let [_, name, value] = *argument.cast::<[*const c_char; 3]>();
            if !value.is_null() && is_overruled(file, CStr::from_ptr(name), CStr::from_ptr(value)) {
                // To SQLite this is a pragma of the VFS, which is done.
                return ffi::SQLITE_OK;
            }
        }
        system_file_control(file, operation, argument)
    }
}

/// Whether a connection may not set this.
///
/// # Safety
///
/// As for [`attached_to`].
unsafe fn is_overruled(file: *mut ffi::sqlite3_file, name: &CStr, value: &CStr) -> bool {
    // SAFETY: the caller's promise.
    let synchronous = unsafe { attached_to(file) }.map(|at| at.disk.synchronous());
    synchronous == Some(Synchronous::Off)
        && name.to_bytes().eq_ignore_ascii_case(b"synchronous")
        && !value.to_bytes().eq_ignore_ascii_case(b"off")
}

unsafe extern "C" fn close(file: *mut ffi::sqlite3_file) -> c_int {
    // SAFETY: the file is open; the box is taken out, so that it is freed once.
    unsafe {
        let attached = ptr::replace(&raw mut (*file.cast::<File>()).attached, ptr::null_mut());
        if !attached.is_null() {
            drop(Box::from_raw(attached));
        }
        system_close(file)
    }
}

unsafe extern "C" fn write(file: *mut ffi::sqlite3_file, from: *const c_void, length: c_int, offset: i64) -> c_int {
    // SAFETY: the file is open, and `from` has `length` bytes that nobody writes meanwhile.
    unsafe {
        let Some(Attached { disk, name, .. }) = attached_to(file) else {
            return system_write(file, from, length, offset);
        };
        let bytes = slice::from_raw_parts(from.cast::<u8>(), usize::try_from(length).unwrap_or(0));
        match disk.write(*name, offset.cast_unsigned(), bytes) {
            Ok(()) => system_write(file, from, length, offset),
            Err(RefusedWrite { code, written }) => {
                system_write(file, from, c_int::try_from(written).unwrap_or(0), offset);
                code
            }
        }
    }
}

unsafe extern "C" fn truncate(file: *mut ffi::sqlite3_file, size: i64) -> c_int {
    // SAFETY: the file is open.
    unsafe {
        let told = attached_to(file).map_or(Ok(()), |at| at.disk.truncate(at.name, size.cast_unsigned()));
        told.map_or_else(|code| code, |()| system_truncate(file, size))
    }
}

unsafe extern "C" fn sync(file: *mut ffi::sqlite3_file, flags: c_int) -> c_int {
    // SAFETY: the file is open.
    let Some(Attached { disk, name, directory_sync_due }) = (unsafe { attached_to(file) }) else {
        return ffi::SQLITE_OK;
    };
    if let Err(code) = disk.sync(*name) {
        return code;
    }
    if directory_sync_due.swap(false, Ordering::Relaxed) {
        disk.directory_synced();
    }
    // SAFETY: the file is open.
    unsafe { system_sync(file, flags) }
}
