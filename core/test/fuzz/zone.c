/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* zone.c: any bytes as a TZif file: it is refused, or its offsets hold as long as it says. */
#include "test/fuzz/fuzz.h"

#include "model/windows/zone.h"

enum { DAY = 86400 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz it;
    allot__zone zone;
    allot__zone_rule rule;
    fuzz_begin(&it);
    if (allot__zone_read(it.engine, "fuzz", data, size, &zone) == ALLOT_OK) {
        static const int64_t times[] = {INT64_MIN,  -4102444800,  0,        1800000000,
                                        4102444800, 253402300799, INT64_MAX};
        for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
            int64_t until = allot__zone_until(&zone, times[i]);
            MUST(until > times[i] || times[i] == INT64_MAX);
            MUST(llabs(allot__zone_offset(&zone, times[i])) <= 8 * DAY);
            MUST(allot__zone_offset(&zone, until - 1) == allot__zone_offset(&zone, times[i]));
        }
        allot__zone_free(it.engine, &zone);
    }
    if (allot__rule_read((const char *)data, size, &rule))
        MUST(allot__rule_until(&rule, 1800000000) > 1800000000);
    fuzz_end(&it);
    return 0;
}
