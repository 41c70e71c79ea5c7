"""Whether a MATLAB 5 file is whole, before it is parsed.

scipy's parser can crash the whole process on a damaged file. Every variable of a compressed file is a zlib
stream that ends in a checksum, so damage is seen by unpacking it once, a piece at a time.
"""

from __future__ import annotations

import struct
import zlib
from pathlib import Path
from typing import BinaryIO

from arcuate.errors import ArcuateError

HEADER_BYTES = 128
COMPRESSED = 15
PIECE = 1 << 20


def check_mat5(path: Path) -> None:
    """Refuse a file that is cut off or whose checksums do not fit.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "a.mat"
    >>> _ = path.write_bytes(b"hello")
    >>> check_mat5(path)
    Traceback (most recent call last):
    arcuate.errors.ArcuateError: ...a.mat is not a whole MATLAB file (no header). Download it again.
    """
    try:
        with open(path, "rb") as file:
            fault = _fault(file, path.stat().st_size)
    except OSError as error:
        raise ArcuateError(f"{path} cannot be read: {error.strerror}.") from error
    except zlib.error as error:
        fault = str(error)
    if fault:
        raise ArcuateError(f"{path} is not a whole MATLAB file ({fault}). Download it again.")


def _fault(file: BinaryIO, size: int) -> str:
    header = file.read(HEADER_BYTES)
    order = {b"IM": "<", b"MI": ">"}.get(header[126:128])
    if len(header) < HEADER_BYTES or order is None:
        return "no header"
    if file.tell() == size:
        return "no variables"
    while file.tell() < size:
        tag = file.read(8)
        if len(tag) < 8:
            return "cut off in a tag"
        kind, length = struct.unpack(f"{order}II", tag)
        if file.tell() + length > size:
            return f"{size} bytes where {file.tell() + length} are needed"
        if kind != COMPRESSED:
            file.seek(length, 1)
        elif not _unpacks(file, length):
            return "a compressed variable does not end"
    return ""


def _unpacks(file: BinaryIO, length: int) -> bool:
    """Whether `length` bytes are one whole zlib stream; zlib compares its checksum at the end."""
    stream = zlib.decompressobj()
    while length > 0 and (piece := file.read(min(PIECE, length))):
        length -= len(piece)
        while piece:
            stream.decompress(piece, PIECE)
            piece = stream.unconsumed_tail
    stream.flush()
    return stream.eof
