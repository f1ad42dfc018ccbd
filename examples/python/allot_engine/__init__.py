# SPDX-License-Identifier: MIT
# Copyright the allot authors
"""The engine of allot: who gets how many slots, and who gives them back.

    from allot_engine import Plan

    plan = Plan.open("plan.json")
    state = plan.state({"now": 1700000000, "consumers": {"/physics": {"demand": 20}}})
    decision = state.decide()
    print(decision.verdict("/physics").quota, decision.explain("/physics"))

A plan and all that is made from it may be used from any thread, one call at a time: a lock sees to
this. Different plans share nothing, and their calls run side by side.
"""

from ._engine import Diagnostic, Error, library_version
from .decision import Claim, Decision, Grant, Kill, Reclaim, Verdict
from .plan import Plan
from .state import State

__all__ = [
    "Claim", "Decision", "Diagnostic", "Error", "Grant", "Kill", "Plan", "Reclaim", "State",
    "Verdict", "library_version",
]
