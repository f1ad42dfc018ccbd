# SPDX-License-Identifier: MIT
# Copyright the allot authors
"""The package against the library: numbers, errors, changes, threads."""

import json
import tempfile
import threading
import unittest
from fractions import Fraction
from pathlib import Path

import allot_engine
from allot_engine import Claim, Error, Grant, Plan, Reclaim

PLAN = {
    "version": 1, "policy": "hybrid",
    "consumers": [
        {"name": "physics", "owned": 15}, {"name": "chemistry", "owned": 9},
        {"name": "guests", "rank": 1}]}
STATE = {
    "now": 1700000000,
    "consumers": {
        "/physics": {"demand": 20, "allocated": 10}, "/chemistry": {"demand": 4, "allocated": 2},
        "/guests": {"demand": 20, "allocated": 10}}}


class Deciding(unittest.TestCase):
    def setUp(self):
        self.plan = Plan(PLAN)
        self.state = self.plan.state(STATE)

    def test_numbers_are_those_of_the_document(self):
        decision = self.state.decide()
        document = decision.document()
        rows = document["groups"]["default"]["consumers"]
        self.assertEqual(list(decision.verdicts()), [row["path"] for row in rows])
        for row in rows:
            verdict = decision.verdict(row["path"])
            for each in set(row) & set(verdict.__dataclass_fields__):
                value = getattr(verdict, each)
                exact = isinstance(value, Fraction)
                self.assertEqual(row[each], str(value) if exact else value, each)
        self.assertEqual(Fraction(15), decision.verdict("/physics").owned)
        self.assertEqual(["/physics", "/chemistry", "/guests"], list(self.plan.consumers()))
        self.assertEqual(24, self.plan.slots())

    def test_owners_get_idle_slots_and_take_back_the_others(self):
        decision = self.state.decide()
        self.assertEqual([20, 4, 0], [v.quota for v in decision.verdicts().values()])
        self.assertEqual([Grant("default", "/physics", 2, ())], decision.grants())
        self.assertEqual([], decision.kills())
        (reclaim,) = decision.reclaims()
        self.assertIsInstance(reclaim, Reclaim)
        self.assertEqual(("/guests", 10), (reclaim.consumer, reclaim.slots))
        self.assertEqual(1700000000 + reclaim.grace, reclaim.deadline)
        self.assertEqual((Claim("/physics", 8), Claim("/chemistry", 2)), reclaim.claims)
        self.assertTrue(any("20" in line for line in decision.explain("/physics")))

    def test_changes_go_on_from_the_state(self):
        decision = self.state.decide()
        self.state.apply(decision)
        with self.assertRaisesRegex(Error, "the state has changed"):
            decision.verdict("/physics")
        with self.assertRaisesRegex(Error, "the state has changed"):
            self.state.apply(decision)
        (reclaim,) = self.state.reclaims()
        with self.assertRaisesRegex(KeyError, reclaim):
            self.state.returned("another")
        self.state.returned(reclaim)
        self.state.now += 1
        again = self.state.decide()
        self.assertEqual([8, 2], [grant.slots for grant in again.grants()])
        self.state.apply(again)
        self.state.demand("/guests", 0)
        settled = self.state.decide()
        self.assertEqual(([], []), (settled.grants(), settled.reclaims()))
        anew = self.plan.state(self.state.document()).decide()
        self.assertEqual(settled.verdicts(), anew.verdicts())

    def test_pending_tasks_start_whole(self):
        plan = Plan({"version": 1, "slots": 4, "policy": "hybrid",
                     "consumers": [{"name": "a", "owned": 4}]})
        state = plan.state({"now": 100})
        state.add_task("wide", "/a", 3, pending=True)
        state.add_task("wider", "/a", 2, pending=True)
        decision = state.decide()
        self.assertEqual(("wide",), decision.grants()[0].tasks)
        self.assertTrue(decision.explain_task("wider"))
        state.apply(decision)
        state.end_task("wide")
        state.now = 200
        self.assertEqual(("wider",), state.decide().grants()[0].tasks)

    def test_decisions_outlive_the_names_of_what_they_read(self):
        decision = Plan(PLAN).state(STATE).decide()
        self.assertEqual(20, decision.verdict("/physics").quota)

    def test_a_policy_is_read_beside_the_plan_or_replaced(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "plan.json"
            (Path(folder) / "mine.lua").write_text(
                'return policy { name = "mine", quota = { fill "demand" { up_to = "demand" } } }')
            path.write_text(json.dumps({**PLAN, "policy": "mine.lua"}))
            self.assertEqual(["default"], Plan.open(path).groups())
            Plan.open(path, policy="share_ratio")


class Failing(unittest.TestCase):
    def test_a_plan_with_faults_says_where(self):
        with self.assertRaises(Error) as caught:
            Plan('{"version": 1,\n "consumers": [{"name": "a", "ownd": 3}]}', "site.json")
        (found,) = caught.exception.diagnostics
        self.assertEqual(("EINVALID", "error", "site.json", 2),
                         (caught.exception.status, found.severity, found.file, found.line))
        self.assertIn("site.json:2:", str(caught.exception))
        self.assertIn("owned", str(caught.exception))

    def test_unknown_names_have_a_nearest(self):
        plan = Plan(PLAN)
        state = plan.state(STATE)
        with self.assertRaisesRegex(Error, "'/phisics'.*near: /physics"):
            state.demand("/phisics", 3)
        with self.assertRaisesRegex(Error, "'gpu'.*there are: default"):
            state.demand("/physics", 3, group="gpu")
        with self.assertRaisesRegex(Error, "no name has"):
            state.demand("/phy\0sics", 3)

    def test_a_refused_change_changes_nothing(self):
        state = Plan(PLAN).state(STATE)
        before = state.document()
        with self.assertRaises(Error) as caught:
            state.demand("/physics", -2)
        self.assertEqual("ERANGE", caught.exception.status)
        self.assertEqual(before, state.document())

    def test_a_decision_is_of_its_state(self):
        plan = Plan(PLAN)
        one, other = plan.state(STATE), plan.state(STATE)
        with self.assertRaisesRegex(Error, "another state"):
            other.apply(one.decide())


class Threads(unittest.TestCase):
    def test_one_state_from_many(self):
        state, wrong = Plan(PLAN).state(STATE), []

        def work(number):
            try:
                for i in range(100):
                    state.demand("/physics", (number * 31 + i) % 30)
                    state.document()
                    Plan(PLAN).state(STATE).decide()
            except Exception as error:  # pylint: disable=broad-except
                wrong.append(error)

        threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual([], wrong)
        state.demand("/physics", 20)
        self.assertEqual(20, state.decide().verdict("/physics").quota)


class Version(unittest.TestCase):
    def test_it_is_the_library_s(self):
        self.assertRegex(allot_engine.library_version(), r"^\d+\.\d+\.\d+$")


if __name__ == "__main__":
    unittest.main()
