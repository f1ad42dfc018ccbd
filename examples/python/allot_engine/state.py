# SPDX-License-Identifier: MIT
# Copyright the allot authors
"""States: what is demanded and held."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Optional

from ._engine import Document, Report, document, locked, name, text
from ._library import ffi, lib
from .decision import Decision
from .plan import Plan


class State:
    """A state of a plan. It can be changed and decided about again, at the cost of what changed.
    A change ends the use of decisions that were made before."""

    def __init__(self, plan: Plan, source: Document, file: str = "state") -> None:
        self.plan, self.engine = plan, plan.engine
        self.version = 0
        data, report = document(source), Report(plan.engine)
        self.handle = plan.engine.make(
            lib.allot_state_read, lib.allot_state_free, plan.handle, data, len(data),
            ffi.new("char[]", name(file)), report=report, keep=plan.handle)
        self._sealed = True

    @locked
    def _change(self, call: Callable[..., int], *args: Any) -> None:
        if self._sealed:
            self.engine.check(lib.allot_state_open(self.handle))
            self._sealed = False
            self.version += 1
        self.engine.check(call(self.handle, *args))

    @locked
    def seal(self) -> None:
        """Checks changes, as decide() and document() do. Raises Error with diagnostics; the state
        can be changed on."""
        if not self._sealed:
            report = Report(self.engine)
            self.engine.check(lib.allot_state_seal(self.handle, report.handle), report)
            self._sealed = True

    @locked
    def decide(self) -> Decision:
        """One cycle. Raises Error when a policy's function failed."""
        self.seal()
        return Decision(self)

    @property
    def now(self) -> int:
        """Unix seconds."""
        return int(lib.allot_state_now_get(self.handle))

    @now.setter
    def now(self, when: int) -> None:
        self._change(lib.allot_state_now, when)

    @locked
    def slots(self, slots: int, group: Optional[str] = None) -> None:
        """The actual size of a group; -1: the sum of its hosts, or the planned size."""
        self._change(lib.allot_state_slots, self.plan.group(group), slots)

    @locked
    def demand(self, path: str, slots: int, group: Optional[str] = None) -> None:
        """What a leaf wants; -1: the slots of its tasks."""
        where = self.plan.group(group), self.plan.number(path)
        self._change(lib.allot_state_demand, *where, slots)

    @locked
    def allocated(self, path: str, slots: int, group: Optional[str] = None) -> None:
        """What a leaf has."""
        where = self.plan.group(group), self.plan.number(path)
        self._change(lib.allot_state_allocated, *where, slots)

    @locked
    def add_task(self, task: str, path: str, slots: int = 1, *, group: Optional[str] = None,
                 started: int = 0, submitted: int = 0, host: Optional[str] = None,
                 session: Optional[str] = None, pending: bool = False, priority: int = 0) -> None:
        """A task that runs, or is pending: then it starts with all its slots or not at all."""
        strings = [ffi.new("char[]", name(value)) if value is not None else ffi.NULL
                   for value in (task, session, host)]
        new = ffi.new("allot_task *", {
            "id": strings[0], "session": strings[1], "host": strings[2],
            "consumer": self.plan.number(path), "group": self.plan.group(group), "slots": slots,
            "started": started, "submitted": submitted, "state": int(pending),
            "priority": priority})
        self._change(lib.allot_state_task, new)

    @locked
    def end_task(self, task: str) -> None:
        """A task is gone."""
        self._change(lib.allot_state_task_end, name(task))

    @locked
    def apply(self, decision: Decision, *, starts: bool = True) -> None:
        """Carries out a decision about this state: grants are held, reclaims are in flight.
        `starts`: pending tasks that grants name run from now on."""
        how = ffi.new("allot_apply *", {"starts": int(starts)})
        handle = decision.live(self)
        self._change(lib.allot_state_apply, handle, how)

    @locked
    def reclaims(self) -> list[str]:
        """Names of the reclaims in flight."""
        item = ffi.new("allot_in_flight *")
        return [text(item.id) or "" for i in range(lib.allot_state_reclaims(self.handle))
                if lib.allot_state_reclaim_at(self.handle, i, item) == 0]

    @locked
    def returned(self, reclaim: str) -> None:
        """All slots of a reclaim are back; its tasks have ended."""
        item = ffi.new("allot_in_flight *")
        for i in range(lib.allot_state_reclaims(self.handle)):
            if (lib.allot_state_reclaim_at(self.handle, i, item) == 0
                    and text(item.id) == reclaim):
                return self._change(lib.allot_state_reclaim_return, i, 0)
        known = ", ".join(self.reclaims()) or "none"
        raise KeyError(f"no reclaim {reclaim!r} is in flight (in flight: {known})")

    @locked
    def document(self) -> dict[str, Any]:
        """The state as a document."""
        self.seal()
        read: dict[str, Any] = json.loads(self.engine.collect(lib.state_text, self.handle))
        return read
