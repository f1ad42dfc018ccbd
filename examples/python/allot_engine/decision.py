# SPDX-License-Identifier: MIT
# Copyright the allot authors
"""Decisions: what a cycle decided, and why."""

from __future__ import annotations

import json
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Optional

from ._engine import Diagnostic, Error, Report, locked, name, text
from ._library import ffi, lib

if TYPE_CHECKING:
    from .state import State


@dataclass(frozen=True)
class Verdict:
    """What was decided about one consumer in one group, in slots; `owned` and `exact`, the quota
    before rounding, are exact numbers."""

    demand: int
    need: int
    reserve: int
    owned: Fraction
    exact: Fraction
    quota: int
    allocated: int
    in_flight: int
    received: int
    granted: int
    held: int
    over: int
    deficit: int
    earmarked: int
    reclaimed: int
    own_used: int
    lent: int
    borrowed: int
    shared: int
    planned: int


@dataclass(frozen=True)
class Grant:
    """Idle slots that a leaf gets, and its pending tasks that start with them."""

    group: str
    consumer: str
    slots: int
    tasks: tuple[str, ...]


@dataclass(frozen=True)
class Claim:
    """A claimant's part of what is reclaimed."""

    consumer: str
    slots: int


@dataclass(frozen=True)
class Reclaim:
    """Slots that a leaf gives back by `deadline` (Unix seconds), and the tasks that go."""

    group: str
    consumer: str
    slots: int
    grace: int
    deadline: int
    reason: str
    claims: tuple[Claim, ...]
    tasks: tuple[str, ...]


@dataclass(frozen=True)
class Kill:
    """A task whose reclaim's deadline has passed."""

    task: str
    reason: str


def _ratio(value: Any) -> Fraction:
    return Fraction((value.num_high << 64) + value.num_low,
                    (value.den_high << 64) + value.den_low)


class Decision:
    """One cycle's decision. It reads its state, so it can be used until the state changes."""

    def __init__(self, state: "State") -> None:
        self.state, self.plan, self.engine = state, state.plan, state.engine
        self._version = state.version
        self._report = Report(self.engine)
        self._handle = self.engine.make(
            lib.allot_cycle, lib.allot_decision_free, self.plan.handle, state.handle,
            report=self._report, keep=state.handle)
        self.warnings: tuple[Diagnostic, ...] = self._report.diagnostics()

    def live(self, state: Optional["State"] = None) -> Any:
        """The handle. Raises Error if the state has changed, or is not `state`."""
        if self._version != self.state.version:
            raise Error("EUSAGE", "the state has changed since this decision was made")
        if state is not None and state is not self.state:
            raise Error("EUSAGE", "this decision is about another state")
        return self._handle

    @locked
    def verdict(self, path: str, group: Optional[str] = None) -> Verdict:
        """What was decided about a consumer."""
        return self._verdict(self.plan.number(path), self.plan.group(group))

    @locked
    def verdicts(self, group: Optional[str] = None) -> dict[str, Verdict]:
        """What was decided about all, in plan order."""
        number = self.plan.group(group)
        return {path: self._verdict(self.plan.number(path), number)
                for path in self.plan.consumers()}

    def _verdict(self, consumer: int, group: int) -> Verdict:
        row = ffi.new("allot_verdict *")
        self.engine.check(lib.allot_decision_verdict(self.live(), group, consumer, row))
        fields: dict[str, Any] = {each: getattr(row, each) for each in Verdict.__dataclass_fields__}
        fields.update(owned=_ratio(row.owned), exact=_ratio(row.exact))
        return Verdict(**fields)

    def _tasks(self, item: Any) -> tuple[str, ...]:
        return tuple(self._task(item.tasks[i]) for i in range(item.task_count))

    def _task(self, number: int) -> str:
        task = ffi.new("allot_task *")
        self.engine.check(lib.allot_state_task_at(self.state.handle, number, task))
        return text(task.id) or ""

    @locked
    def grants(self) -> list[Grant]:
        """In the order to carry them out."""
        item, found, groups = ffi.new("allot_grant *"), [], self.plan.groups()
        for i in range(lib.allot_decision_grants(self.live())):
            lib.allot_decision_grant(self._handle, i, item)
            found.append(Grant(groups[item.group], self.plan.path(item.consumer), item.slots,
                               self._tasks(item)))
        return found

    @locked
    def reclaims(self) -> list[Reclaim]:
        """In the order to carry them out."""
        item, found, groups = ffi.new("allot_reclaim *"), [], self.plan.groups()
        for i in range(lib.allot_decision_reclaims(self.live())):
            lib.allot_decision_reclaim(self._handle, i, item)
            claims = (item.claims[j] for j in range(item.claim_count))
            found.append(Reclaim(
                groups[item.group], self.plan.path(item.consumer), item.slots, item.grace,
                item.deadline, text(item.reason) or "",
                tuple(Claim(self.plan.path(each.consumer), each.slots) for each in claims),
                self._tasks(item)))
        return found

    @locked
    def kills(self) -> list[Kill]:
        """Tasks to kill and requeue now."""
        item, found = ffi.new("allot_kill *"), []
        for i in range(lib.allot_decision_kills(self.live())):
            lib.allot_decision_kill(self._handle, i, item)
            found.append(Kill(self._task(item.task), text(item.reason) or ""))
        return found

    @locked
    def explain(self, path: str, group: Optional[str] = None) -> list[str]:
        """Sentences about what a consumer gets, with the numbers."""
        return self.engine.collect(
            lib.explain_text, self.live(), self.plan.group(group),
            self.plan.number(path)).splitlines()

    @locked
    def explain_task(self, task: str) -> list[str]:
        """Why a task goes or stays, or why a pending one waits."""
        return self.engine.collect(
            lib.explain_task_text, self.live(), name(task)).splitlines()

    @locked
    def document(self) -> dict[str, Any]:
        """The decision as a document; that of a plan with queues has what becomes of jobs."""
        read: dict[str, Any] = json.loads(self.engine.collect(
            lib.decision_text, self.live(), self._report.handle))
        return read
