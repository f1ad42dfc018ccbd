# SPDX-License-Identifier: MIT
# Copyright the allot authors
"""cffi's modules cannot be named in pyproject.toml."""

from setuptools import setup

setup(cffi_modules=["binding.py:ffi"])
