"""Write MATLAB files of both versions from one description, with MATLAB's own conventions.

str is char; a number is 1×1; arrays are MATLAB's shape; `EMPTY` is []; `Cell` is a cell row;
`Structs` is a 1×n struct array whose elements share their fields.
"""

from __future__ import annotations

import itertools

import numpy as np

COUNTER = itertools.count()  # names in #refs# are taken before nested values are written
EMPTY = np.zeros((0, 0))


class Cell(list):
    """A 1×n cell."""


class Structs(list):
    """A 1×n struct array, one dict an element."""


def write_mat5(path, **variables):
    """MATLAB -v7: compressed MAT 5."""
    from scipy.io import savemat

    content = {name: _mat5(value) for name, value in variables.items()}
    savemat(path, content, do_compression=True, long_field_names=True)


def _mat5(value):
    if isinstance(value, Structs):
        array = np.empty((1, len(value)), dtype=[(name, object) for name in value[0]])
        for position, struct in enumerate(value):
            array[0, position] = tuple(_mat5(field) for field in struct.values())
        return array
    if isinstance(value, Cell):
        array = np.empty((1, len(value)), dtype=object)
        for position, item in enumerate(value):
            array[0, position] = _mat5(item)
        return array
    return value if isinstance(value, str) else np.atleast_2d(value)


def write_mat73(path, **variables):
    """MATLAB -v7.3: HDF5 behind a 512-byte header."""
    import h5py

    with h5py.File(path, "w", userblock_size=512) as file:
        refs = file.create_group("#refs#")
        for name, value in variables.items():
            if isinstance(value, Structs) and len(value) == 1:
                _fill_struct(file, refs, file.create_group(name), value)
            elif isinstance(value, Structs):
                _fill_structs(file, refs, file.create_group(name), value)
            else:
                _write73(file, refs, file, name, value)
    with open(path, "r+b") as raw:
        raw.write(b"MATLAB 7.3 MAT-file, Platform: GLNXA64".ljust(124) + b"\x00\x02IM")


def _write73(file, refs, parent, name, value):
    import h5py

    if isinstance(value, Structs):
        group = parent.create_group(name)
        (_fill_struct if len(value) == 1 else _fill_structs)(file, refs, group, value)
        return group
    if isinstance(value, Cell):
        targets = [_write73(file, refs, refs, _new_name(), item).ref for item in value]
        dataset = parent.create_dataset(name, data=np.array(targets, dtype=h5py.ref_dtype).reshape(-1, 1))
        dataset.attrs["MATLAB_class"] = np.bytes_("cell")
        return dataset
    if isinstance(value, str):
        units = np.frombuffer(value.encode("utf-16-le"), dtype=np.uint16).reshape(-1, 1)
        dataset = parent.create_dataset(name, data=units)
        dataset.attrs["MATLAB_class"] = np.bytes_("char")
        dataset.attrs["MATLAB_int_decode"] = np.int32(2)
        return dataset
    array = np.atleast_2d(value)
    empty = array.size == 0
    dataset = parent.create_dataset(name, data=np.array(array.shape, np.uint64) if empty else array.T)
    dataset.attrs["MATLAB_class"] = np.bytes_({"float64": "double", "float32": "single"}[array.dtype.name])
    if empty:
        dataset.attrs["MATLAB_empty"] = np.uint8(1)
    return dataset


def _fill_struct(file, refs, group, structs):
    """A 1×1 struct holds its fields themselves."""
    group.attrs["MATLAB_class"] = np.bytes_("struct")
    for name, value in structs[0].items():
        _write73(file, refs, group, name, value)


def _fill_structs(file, refs, group, structs):
    """A larger struct array holds, for each field, references to the elements' values."""
    import h5py

    group.attrs["MATLAB_class"] = np.bytes_("struct")
    for name in structs[0]:
        targets = [_write73(file, refs, refs, _new_name(), struct[name]).ref for struct in structs]
        group.create_dataset(name, data=np.array(targets, dtype=h5py.ref_dtype).reshape(-1, 1))


def _new_name():
    return f"r{next(COUNTER):06d}"
