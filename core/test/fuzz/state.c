/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* state.c: any bytes as a state of plans of each kind: it is refused with a place, or the cycle
 * works, is told, and every consumer's part of it explained. */
#include "test/fuzz/fuzz.h"

#define PLAN(text)                                                                                 \
    {                                                                                              \
        text, sizeof text - 1                                                                      \
    }

static const struct {
    const char *text;
    size_t len;
} plans[] = {
    PLAN("{\"policy\": \"hybrid\", \"consumers\": [{\"name\": \"a\", \"owned\": 8, \"children\": ["
         "{\"name\": \"x\", \"owned\": 5, \"reserve\": 2}, {\"name\": \"y\", \"limit\": 4}]},"
         " {\"name\": \"b\", \"owned\": 4, \"rank\": 2, \"grace\": 9, \"exclusive\": true}],"
         " \"hosts\": {\"h\": {\"slots\": 8}, \"i\": {\"slots\": 4}}}"),
    PLAN(
        "{\"policy\": \"ownership\", \"slots\": 20, \"consumers\": [{\"name\": \"a\", \"owned\": 8,"
        " \"children\": [{\"name\": \"x\", \"owned\": 5, \"lend\": true}, {\"name\": \"y\","
        " \"share\": 2, \"borrow\": true}]}, {\"name\": \"b\", \"owned\": 6, \"borrow\": "
        "[\"/a/x\"],"
        " \"lend\": true, \"lend_limit\": 3}],"
        " \"windows\": [{\"from\": \"08:00\", \"to\": \"17:00\", \"consumers\": {\"/b\":"
        " {\"owned\": 2}}}]}"),
    PLAN("{\"policy\": {\"use\": \"share_ratio\", \"enforce_share\": \"parent\"}, \"groups\": "
         "{\"g\":"
         " {\"slots\": 12}, \"i\": {\"slots\": 5, \"policy\": \"hybrid\"}}, \"consumers\": ["
         "{\"name\": \"a\", \"children\": [{\"name\": \"x\"}, {\"name\": \"y\", \"share\": 3}]},"
         " {\"name\": \"b\", \"share\": 2}]}"),
    PLAN("{\"hosts\": {\"h\": {\"slots\": 8}, \"i\": {\"slots\": 4}, \"j\": {\"slots\": 4}},"
         " \"queues\": [{\"name\": \"high\", \"priority\": 50, \"preemptive\": true}, {\"name\":"
         " \"low\", \"priority\": 5, \"qjob_limit\": 6}, {\"name\": \"p\", \"priority\": 30,"
         " \"slot_pool\": \"s\", \"slot_share\": 60, \"hosts\": [\"j\"]}, {\"name\": \"q\","
         " \"priority\": 20, \"slot_pool\": \"s\", \"slot_share\": 40, \"hosts\": [\"j\"]}],"
         " \"leases\": [{\"name\": \"l\", \"provider\": \"high\", \"consumer\": \"low\","
         " \"slots\": 3}]}"),
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) {
        fuzz it;
        allot_plan *plan = NULL;
        allot_state *state = NULL;
        fuzz_begin(&it);
        MUST(fuzz_plan(&it, plans[i].text, plans[i].len, &plan) == ALLOT_OK);
        allot_report_clear(it.report);
        int status =
            allot_state_read(plan, (const char *)data, size, "state.json", it.report, &state);
        MUST(status == ALLOT_OK || status == ALLOT_EINVALID);
        fuzz_sound(&it, status, state);
        if (status == ALLOT_OK)
            fuzz_decide(&it, plan, state);
        allot_state_free(state);
        allot_plan_free(plan);
        fuzz_end(&it);
    }
    return 0;
}
