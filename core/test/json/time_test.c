/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* time_test.c: times as text, and back. */
#include <time.h>

#include <allot/json.h>

#include "test/support/check.h"

static void texts_are_the_systems(void)
{
    uint64_t seed = 3;
    for (int i = 0; i < 5000; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        int64_t when = (int64_t)(seed >> 16) % 250000000000 - 30000000000; /* years 1019 ... 8940 */
        time_t seconds = (time_t)when;
        char wanted[40], text[40];
        struct tm parts;
        strftime(wanted, sizeof wanted, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&seconds, &parts));
        CHECK_EQ(allot_time_text(when, text, sizeof text), 20);
        CHECK_STR(text, wanted);
        int64_t back = 0;
        CHECK_EQ(allot_time_read(text, &back), ALLOT_OK);
        CHECK_EQ(back, when);
    }
}

static void far_times_are_seconds(void)
{
    static const int64_t whens[] = {INT64_MIN, -62167219201, 253402300800, INT64_MAX};
    for (size_t i = 0; i < sizeof whens / sizeof *whens; i++) {
        char text[40];
        int64_t back = 0;
        allot_time_text(whens[i], text, sizeof text);
        CHECK(!strchr(text, ':'));
        CHECK_EQ(allot_time_read(text, &back), ALLOT_OK);
        CHECK_EQ(back, whens[i]);
    }
    char text[40];
    allot_time_text(-62167219200, text, sizeof text);
    CHECK_STR(text, "0000-01-01T00:00:00Z");
    allot_time_text(253402300799, text, sizeof text);
    CHECK_STR(text, "9999-12-31T23:59:59Z");
}

static void other_texts_are_none(void)
{
    static const char *const texts[] = {"",
                                        "-",
                                        "now",
                                        "1x",
                                        " 1",
                                        "+1",
                                        "9223372036854775808",
                                        "2026-11-23",
                                        "2026-11-23T08:00:00",
                                        "1.5"};
    int64_t out = 77;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        CHECK_EQ(allot_time_read(texts[i], &out), ALLOT_EINVALID);
    CHECK_EQ(out, 77);
    CHECK_EQ(allot_time_read("-5", &out), ALLOT_OK);
    CHECK_EQ(out, -5);
}

int main(void)
{
    RUN(texts_are_the_systems);
    RUN(far_times_are_seconds);
    RUN(other_texts_are_none);
    return check_done();
}
