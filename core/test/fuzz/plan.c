/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* plan.c: any bytes as a plan: it is refused with a place, or a cycle of it works. */
#include "test/fuzz/fuzz.h"

static void check_places(const allot_report *report)
{
    for (int32_t i = 0; i < allot_report_count(report); i++) {
        const allot_diagnostic *finding = allot_report_at(report, i);
        MUST(finding->line > 0 && finding->col > 0 && finding->width > 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz it;
    allot_plan *plan = NULL;
    allot_state *state = NULL;
    fuzz_begin(&it);
    int status = fuzz_plan(&it, (const char *)data, size, &plan);
    MUST(status == ALLOT_OK || status == ALLOT_EINVALID || status == ALLOT_EIO ||
         status == ALLOT_EBUDGET);
    fuzz_sound(&it, status, plan);
    check_places(it.report);
    if (status == ALLOT_OK) {
        MUST(allot_state_new(plan, &state) == ALLOT_OK);
        MUST(allot_state_now(state, 1800000000) == ALLOT_OK);
        status = allot_state_seal(state, it.report);
        MUST(status == ALLOT_OK || status == ALLOT_EINVALID); /* hosts may have too many slots */
        if (status == ALLOT_OK)
            fuzz_decide(&it, plan, state);
    }
    allot_state_free(state);
    allot_plan_free(plan);
    fuzz_end(&it);
    return 0;
}
