"""Foreign bytes made readable: gzip with a limit, and the encoding found out.

A gzip file of a few kilobytes can unpack to more than the machine holds, so what comes out is
counted as it comes. Text may be UTF-8 with or without a mark, UTF-16 or UTF-32.
"""

from __future__ import annotations

import codecs
import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING

from core.config import MAX_UNPACK_RATIO, MAX_UNPACKED_BYTES, UNPACK_FREE_BYTES
from core.errors import DataError

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

_GZIP_MAGIC = b"\x1f\x8b"
_PACKED = {
    b"PK\x03\x04": "is a ZIP archive (or a spreadsheet)",
    b"PK\x05\x06": "is an empty ZIP archive",
    b"\x28\xb5\x2f\xfd": "is packed by zstd",
    b"\xfd7zX": "is packed by xz",
    b"BZh": "is packed by bzip2",
    b"7z\xbc\xaf": "is a 7z archive",
}
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


@contextmanager
def open_bytes(path: Path, data: bytes | None = None) -> Iterator[io.BufferedReader]:
    """The file's bytes, unpacked where they are gzip; ``data`` stands in for what is on disk.

    Raises :class:`DataError` where the file is missing, is not a whole gzip file, or unpacks
    past the limits of ``core.config``. A pipe is refused, since a file is read more than once.
    """
    try:
        if data is None and path.exists() and not path.is_file():
            what = "a folder" if path.is_dir() else "no ordinary file"
            raise DataError(f"{path}: is {what}. Name a file of rows.")
        raw: io.BytesIO | io.BufferedReader = (
            io.BytesIO(data) if data is not None else path.open("rb")
        )
    except FileNotFoundError:
        raise DataError(f"{path}: no such file") from None
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error}") from None
    with raw:
        magic = raw.read(4)
        packed = magic[:2] == _GZIP_MAGIC
        for mark, what in _PACKED.items():
            if magic.startswith(mark):
                raise DataError(f"{path}: {what}. Unpack it first, or save as CSV.")
        size = raw.seek(0, io.SEEK_END)
        raw.seek(0)
        if packed:
            yield io.BufferedReader(_Unpacked(path, raw, size), 1 << 16)
        elif path.name.lower().endswith(".gz") and size:
            raise DataError(f"{path}: not a whole gzip file. Pack it again, or drop the .gz")
        else:
            yield io.BufferedReader(raw, 1 << 16)


@contextmanager
def open_text(path: Path, data: bytes | None = None) -> Iterator[io.TextIOWrapper]:
    """The file's text with its line ends as they are (for :mod:`csv`), encoding found out.

    Raises :class:`DataError` with the line where the bytes are no text.
    """
    with open_bytes(path, data) as raw:
        encoding = _encoding(raw.peek(4)[:4])
        text = io.TextIOWrapper(raw, encoding=encoding, newline="")
        try:
            yield text
        except UnicodeError:
            place = _first_bad_line(path, data) if encoding.startswith("utf-8") else ""
            raise DataError(
                f"{path}{place}: not {encoding.upper()} text. Save the file as UTF-8."
            ) from None


def _encoding(head: bytes) -> str:
    for mark, encoding in _MARKS:
        if head.startswith(mark):
            return encoding
    if len(head) == 4 and head[0] and head[2] and not head[1] and not head[3]:
        return "utf-16-le"
    if len(head) == 4 and head[1] and head[3] and not head[0] and not head[2]:
        return "utf-16-be"
    return "utf-8"


def _first_bad_line(path: Path, data: bytes | None) -> str:
    with open_bytes(path, data) as raw:
        for number, line in enumerate(raw, start=1):
            try:
                line.decode("utf-8")
            except UnicodeDecodeError:
                return f", line {number}"
    return ""


class _Unpacked(io.RawIOBase):
    """What a gzip file holds, counted against the limits while it is read."""

    def __init__(self, path: Path, raw: IO[bytes], size: int) -> None:
        self._path = path
        self._size = size
        self._inner = gzip.GzipFile(fileobj=raw, mode="rb")
        self._count = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        view = memoryview(buffer)
        try:
            chunk = self._inner.read(view.nbytes)
        except (OSError, EOFError, zlib.error) as error:
            raise DataError(f"{self._path}: not a whole gzip file: {error}") from None
        view[: len(chunk)] = chunk
        self._count += len(chunk)
        excess = self._count > UNPACK_FREE_BYTES and self._count > MAX_UNPACK_RATIO * self._size
        if excess or self._count > MAX_UNPACKED_BYTES:
            raise DataError(
                f"{self._path}: unpacks to more than {self._count >> 20} MB from"
                f" {self._size:,} bytes, past the limit of {MAX_UNPACK_RATIO} times its size or"
                f" {MAX_UNPACKED_BYTES >> 30} GB. Unpack it yourself if you trust it."
            )
        return len(chunk)
