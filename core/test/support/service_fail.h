/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* service_fail.h: something done to a service that runs, while memory runs out. */
#ifndef ALLOT_TEST_SUPPORT_SERVICE_FAIL_H
#define ALLOT_TEST_SUPPORT_SERVICE_FAIL_H

#include "test/support/oom.h"
#include "test/support/service_fixture.h"

/* Does something to a running service, once for each allocation that it makes, which fails: that
 * one alone, and then all from it on. False: something leaked, or memory was misused. */
static inline bool fail_each(void (*change)(allot_service_config *), void (*act)(world *it))
{
    bool sound = true, failed = true;
    for (long at = 1; failed; at++) {
        failed = false;
        for (int on = 0; on < 2; on++) {
            world it;
            oom memory = {.blocks = 0};
            open_world(&it);
            allot_report_free(it.report);
            allot_engine_free(it.engine);
            CHECK_EQ(allot_engine_new(oom_alloc, &memory, &it.engine), ALLOT_OK);
            CHECK_EQ(allot_report_new(it.engine, &it.report), ALLOT_OK);
            if (!CHECK_EQ(start_as(&it, ":memory:", change), ALLOT_OK))
                return false;
            settle(&it);
            memory.fail_at = memory.calls + at;
            memory.fail_on = on != 0;
            act(&it);
            failed = failed || memory.failed;
            memory.fail_at = 0;
            stop(&it);
            close_world(&it);
            sound = oom_clean(&memory) && sound;
        }
    }
    return sound;
}

#endif
