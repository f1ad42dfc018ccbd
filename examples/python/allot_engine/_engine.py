# SPDX-License-Identifier: MIT
# Copyright the allot authors
"""Statuses as errors, reports, texts, and the lock of what is made from one engine."""

from __future__ import annotations

import functools
import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Concatenate, Optional, ParamSpec, Protocol, TypeVar, Union

from ._library import ffi, lib

Document = Union[str, bytes, Mapping[str, Any]]


@dataclass(frozen=True)
class Diagnostic:
    """One finding: an error or a warning, with its place as far as it is known."""

    severity: str
    code: str
    message: str
    file: Optional[str]
    line: int
    col: int
    path: Optional[str]
    hint: Optional[str]
    source: Optional[str]

    def __str__(self) -> str:
        place = [] if self.file is None else [self.file]
        place += [str(number) for number in (self.line, self.col) if number]
        hint = f" ({self.hint})" if self.hint else ""
        return ": ".join([*([":".join(place)] if place else []), self.message]) + hint


class Error(Exception):
    """A call failed and changed nothing. `status` is the library's ("EINVALID")."""

    def __init__(self, status: str, message: str, diagnostics: tuple[Diagnostic, ...] = ()):
        super().__init__(message)
        self.status = status
        self.diagnostics = diagnostics


def text(value: Any) -> Optional[str]:
    """A string of C, or None."""
    return None if value == ffi.NULL else ffi.string(value).decode()


def library_version() -> str:
    """The version of the linked library, as "0.1.0"."""
    return text(lib.allot_version()) or ""


def document(value: Document) -> bytes:
    """A document as the library reads it."""
    if isinstance(value, bytes):
        return value
    return (value if isinstance(value, str) else json.dumps(dict(value))).encode()


def name(value: str) -> bytes:
    """A string as C has it."""
    if "\0" in value:
        raise Error("ENAME", f"{value!r} has a character that no name has")
    return value.encode()


P = ParamSpec("P")
R = TypeVar("R")


class Of(Protocol):
    """What belongs to an engine."""

    @property
    def engine(self) -> "Engine": ...


T = TypeVar("T", bound=Of)


def locked(method: Callable[Concatenate[T, P], R]) -> Callable[Concatenate[T, P], R]:
    """A method that has its engine for itself."""

    @functools.wraps(method)
    def call(self: T, /, *args: P.args, **more: P.kwargs) -> R:
        with self.engine.lock:
            return method(self, *args, **more)

    return call


# What must be done at the end of a pointer. Not in the pointer's own destructor: Python ends what is
# garbage together in any order, but a state must end before its plan.
_alive: dict[int, tuple[Any, Callable[[Any], None], Any]] = {}


def _end(pointer: Any) -> None:
    lock, free, _keep = _alive.pop(int(ffi.cast("uintptr_t", pointer)))
    with lock:
        free(pointer)


class Engine:
    """Makes things of the library, one call at a time."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.handle = self.make(lib.allot_engine_new, lib.allot_engine_free, ffi.NULL, ffi.NULL)

    def make(self, new: Callable[..., int], free: Callable[[Any], None], *args: Any,
             report: Optional["Report"] = None, keep: Any = None) -> Any:
        """What `new` makes of `args`, the report's handle if there is one, and a place for it.
        `keep` lives as long as what is made, since it must be freed later."""
        made = ffi.new("void **")
        told = [report.handle] if report else []
        with self.lock:
            self.check(new(*args, *told, ffi.cast(ffi.typeof(new).args[-1], made)), report)
        return self.keep(ffi.cast(ffi.typeof(free).args[0], made[0]), free, keep)

    def keep(self, pointer: Any, free: Callable[[Any], None], keep: Any) -> Any:
        """A pointer that is freed when nobody has it any more, and before `keep` is freed."""
        _alive[int(ffi.cast("uintptr_t", pointer))] = (self.lock, free, keep)
        return ffi.gc(pointer, _end)

    def check(self, status: int, report: Optional["Report"] = None) -> None:
        """Raises what a status says."""
        if status != 0:
            found = report.diagnostics() if report else ()
            errors = [str(each) for each in found if each.severity == "error"]
            raise Error(
                text(lib.allot_status_name(status)) or "",
                "\n".join(errors) or text(lib.allot_status_text(status)) or "", found)

    def collect(self, write: Callable[..., int], *args: Any) -> str:
        """The text that a function of binding.py collects."""
        to = ffi.gc(ffi.new("collected *"), lib.collected_free)
        self.check(write(*args, to))
        return bytes(ffi.buffer(to.text, to.len)).decode() if to.len else ""


class Report:
    """Findings of one call."""

    def __init__(self, engine: Engine) -> None:
        self.handle = engine.make(lib.allot_report_new, lib.allot_report_free, engine.handle,
                                  keep=engine.handle)

    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """All findings, in order."""
        found = (lib.allot_report_at(self.handle, i)
                 for i in range(lib.allot_report_count(self.handle)))
        return tuple(
            Diagnostic(
                "error" if each.severity == 1 else "warning", text(each.code) or "",
                text(each.message) or "", text(each.file), each.line, each.col, text(each.path),
                text(each.hint), text(each.source))
            for each in found)
