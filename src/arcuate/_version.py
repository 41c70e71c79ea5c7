"""The version, importable without anything else."""

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("arcuate")
except PackageNotFoundError:  # run from a source tree that is not installed (the GPU machine)
    __version__ = "0.1.0"
