//! Windows. Who else may write a file is not looked at: that is for its directory to say.

use std::{
    fs::{File, Metadata, OpenOptions},
    io,
    os::windows::fs::{FileExt, OpenOptionsExt},
    path::Path,
};

use crate::gate::share::file::error::FileError;

/// `FILE_FLAG_OPEN_REPARSE_POINT`: no link is followed.
const NO_FOLLOW: u32 = 0x0020_0000;

/// `FILE_SHARE_READ | FILE_SHARE_WRITE`: others may do both, but neither delete nor move what is open here.
const SHARED: u32 = 0x1 | 0x2;

pub(in super::super) fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options
        .read(true)
        .custom_flags(NO_FOLLOW)
        .share_mode(SHARED);
    options
}

pub(in super::super) fn check(_: &Path, _: &File, _: &Metadata) -> Result<(), FileError> {
    Ok(())
}

pub(in super::super) fn make_private(_: &Path, _: &File, _: &Metadata) -> Result<(), FileError> {
    Ok(())
}

/// While it is open, no other comes to stand there.
pub(in super::super) fn is_at(_: &Path, _: &Metadata) -> bool {
    true
}

pub(in super::super) fn is_foreign_home(_: &Path) -> bool {
    false
}

pub(in super::super) fn read(file: &File, buffer: &mut [u8], at: usize) -> io::Result<usize> {
    file.seek_read(buffer, at as u64)
}

pub(in super::super) fn write(file: &File, mut bytes: &[u8]) -> io::Result<()> {
    let mut at = 0;
    while !bytes.is_empty() {
        match file.seek_write(bytes, at)? {
            0 => return Err(io::ErrorKind::WriteZero.into()),
            count => {
                bytes = &bytes[count..];
                at += count as u64;
            }
        }
    }
    Ok(())
}
