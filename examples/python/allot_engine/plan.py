# SPDX-License-Identifier: MIT
# Copyright the allot authors
"""Plans: who owns what."""

from __future__ import annotations

import functools
import os
from typing import TYPE_CHECKING, Any, Iterator, Optional, Union

from ._engine import Diagnostic, Document, Engine, Error, Report, document, name, text
from ._library import ffi, lib

if TYPE_CHECKING:
    from .state import State


class Plan:
    """A plan, which never changes."""

    def __init__(self, source: Document, file: str = "plan", policy: Optional[str] = None) -> None:
        """Reads a document. `file` is the plan's name in messages, and paths of policies begin at
        its folder; `policy` replaces the plan's own. Raises Error with diagnostics."""
        self.engine = Engine()
        self._loader = self._policies(policy)
        report, data, called = Report(self.engine), document(source), ffi.new("char[]", name(file))
        self.handle = self.engine.make(
            lib.allot_plan_read, lib.allot_plan_free, self.engine.handle, data, len(data), called,
            self._loader, report=report, keep=self._loader)
        self.warnings: tuple[Diagnostic, ...] = report.diagnostics()

    @classmethod
    def open(cls, path: Union[str, "os.PathLike[str]"], policy: Optional[str] = None) -> "Plan":
        """Reads a file."""
        with open(path, "rb") as file:
            return cls(file.read(), os.fspath(path), policy)

    def _policies(self, instead: Optional[str]) -> Any:
        loader = ffi.new("allot_policy_loader *")
        engine = self.engine
        with engine.lock:
            engine.check(lib.allot_script_loader_new(engine.handle, ffi.NULL, loader))
        kept = ffi.new("char[]", name(instead)) if instead else ffi.NULL
        loader.instead = kept
        return engine.keep(
            loader, functools.partial(lib.allot_script_loader_free, engine.handle), kept)

    def state(self, source: Document, file: str = "state") -> "State":
        """Reads a state's document. Raises Error with diagnostics."""
        from .state import State

        return State(self, source, file)

    def consumers(self) -> Iterator[str]:
        """Paths in plan order, parents before children."""
        number = -1
        while (number := lib.allot_plan_next(self.handle, number)) != -1:
            yield self.path(number)

    def groups(self) -> list[str]:
        """Names of resource groups; group None of other calls is the first."""
        return [text(lib.allot_plan_group_name(self.handle, i)) or ""
                for i in range(lib.allot_plan_groups(self.handle))]

    def slots(self, group: Optional[str] = None) -> int:
        """The planned size of a group."""
        return int(lib.allot_plan_group_slots(self.handle, self.group(group)))

    def path(self, number: int) -> str:
        """The path of a consumer's number."""
        space = ffi.new("char[]", lib.allot_plan_path(self.handle, number, ffi.NULL, 0) + 1)
        lib.allot_plan_path(self.handle, number, space, len(space))
        return text(space) or ""

    def number(self, path: str) -> int:
        """The number of a path. Raises Error with the nearest path that there is."""
        wanted = name(path)
        number = lib.allot_plan_find(self.handle, wanted, len(wanted))
        if number < 0:
            space = ffi.new("char[]", 4096)
            near = lib.allot_plan_nearest(self.handle, wanted, len(wanted), space, len(space))
            hint = f" (near: {text(space)})" if near else ""
            raise Error("ENOENT", f"there is no consumer {path!r}{hint}")
        return int(number)

    def group(self, called: Optional[str]) -> int:
        """The number of a group."""
        if called is None:
            return 0
        wanted = name(called)
        number = lib.allot_plan_group_find(self.handle, wanted, len(wanted))
        if number < 0:
            known = ", ".join(self.groups())
            raise Error("ENOENT", f"there is no resource group {called!r} (there are: {known})")
        return int(number)
