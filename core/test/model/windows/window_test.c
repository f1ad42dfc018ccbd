/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* window_test.c: when windows hold, and when the next switch is. */
#include "model/windows/window.h"

#include "test/support/fixture.h"

enum { HOUR = 3600, DAY = 24 * HOUR, ALL = 0x7f };
/* 2026-11-23 was a Monday. */
static const int64_t monday = 1795392000;

static int add(allot_plan *plan, int32_t from, int32_t to, uint32_t days, int32_t zone)
{
    int32_t window;
    allot_window it = {.group = ALLOT_ALL, .from = from, .to = to, .days = days, .zone = zone};
    int status = allot_plan_window(plan, &it, &window);
    return status ? status : window;
}

static int32_t add_zone(allot_plan *plan, const char *name)
{
    static char bytes[65536];
    char path[256];
    int32_t zone = -1;
    snprintf(path, sizeof path, "/usr/share/zoneinfo/%s", name);
    FILE *in = fopen(path, "rb");
    if (!CHECK(in != NULL))
        return -1;
    size_t len = fread(bytes, 1, sizeof bytes, in);
    fclose(in);
    CHECK_EQ(allot_plan_zone(plan, name, bytes, len, &zone), ALLOT_OK);
    return zone;
}

static void seal(fixture *it)
{
    CHECK_EQ(allot_plan_seal(it->plan, it->report), ALLOT_OK);
}

static int64_t next(const allot_plan *plan, int64_t when)
{
    int64_t at = -1;
    CHECK_EQ(allot_plan_switch(plan, when, &at), ALLOT_OK);
    return at;
}

/* */
static void windows_are_half_open(void)
{
    fixture it;
    fixture_begin(&it);
    CHECK_EQ(add(it.plan, 8 * HOUR, 17 * HOUR, ALL, -1), 0);
    CHECK_EQ(allot_plan_windows_at(it.plan, monday + 9 * HOUR), 0); /* not sealed */
    seal(&it);
    CHECK_EQ(allot_plan_windows_at(it.plan, monday + 8 * HOUR - 1), 0);
    CHECK_EQ(allot_plan_windows_at(it.plan, monday + 8 * HOUR), 1);
    CHECK_EQ(allot_plan_windows_at(it.plan, monday + 17 * HOUR - 1), 1);
    CHECK_EQ(allot_plan_windows_at(it.plan, monday + 17 * HOUR), 0);
    CHECK_EQ(next(it.plan, monday), monday + 8 * HOUR);
    CHECK_EQ(next(it.plan, monday + 8 * HOUR), monday + 17 * HOUR);
    CHECK_EQ(next(it.plan, monday + 17 * HOUR - 1), monday + 17 * HOUR);
    CHECK_EQ(next(it.plan, monday + 17 * HOUR), monday + 32 * HOUR);
    fixture_end(&it);
}

/* What is after midnight belongs to the day before. */
static void windows_go_over_midnight(void)
{
    fixture it;
    fixture_begin(&it);
    CHECK_EQ(add(it.plan, 22 * HOUR, 6 * HOUR, 1 << 4, -1), 0);  /* Friday */
    CHECK_EQ(add(it.plan, 0, 0, 1 << 6, -1), 1);                 /* Sunday, all of it */
    CHECK_EQ(add(it.plan, 12 * HOUR, 12 * HOUR, 1 << 6, -1), 2); /* Sunday noon to Monday noon */
    seal(&it);
    int64_t friday = monday + 4 * DAY, sunday = monday + 6 * DAY;
    CHECK_EQ(allot_plan_windows_at(it.plan, friday + 5 * HOUR), 0);
    CHECK_EQ(allot_plan_windows_at(it.plan, friday + 22 * HOUR), 1);
    CHECK_EQ(allot_plan_windows_at(it.plan, friday + 24 * HOUR), 1);
    CHECK_EQ(allot_plan_windows_at(it.plan, friday + 30 * HOUR - 1), 1);
    CHECK_EQ(allot_plan_windows_at(it.plan, friday + 30 * HOUR), 0);
    CHECK_EQ(allot_plan_windows_at(it.plan, sunday - 1), 0);
    CHECK_EQ(allot_plan_windows_at(it.plan, sunday), 2);
    CHECK_EQ(allot_plan_windows_at(it.plan, sunday + 12 * HOUR), 2 | 4);
    CHECK_EQ(allot_plan_windows_at(it.plan, sunday + DAY), 4);
    CHECK_EQ(allot_plan_windows_at(it.plan, monday), 4);
    CHECK_EQ(allot_plan_windows_at(it.plan, monday + 12 * HOUR), 0);
    CHECK_EQ(next(it.plan, monday + 12 * HOUR), friday + 22 * HOUR);
    fixture_end(&it);
}

static void what_never_changes_has_no_switch(void)
{
    fixture it;
    int64_t at = 77;
    fixture_begin(&it);
    CHECK_EQ(add(it.plan, 0, DAY, ALL, -1), 0);
    CHECK_EQ(add(it.plan, 3 * HOUR, 4 * HOUR, 0, -1), 1); /* on no day */
    seal(&it);
    CHECK_EQ(allot_plan_windows_at(it.plan, monday), 1);
    CHECK_EQ(allot_plan_switch(it.plan, monday, &at), ALLOT_ENOENT);
    CHECK_EQ(allot_plan_switch(it.plan, INT64_MAX, &at), ALLOT_ENOENT);
    CHECK_EQ(at, 77);
    CHECK(allot_plan_windows_at(it.plan, INT64_MIN) == 1);
    CHECK(allot_plan_windows_at(it.plan, INT64_MAX) == 1);
    fixture_end(&it);
}

/* Berlin goes from UTC+1 to UTC+2 on 2026-03-29 at 01:00 UTC: there is no 02:30. It goes back on
 * 2026-10-25 at 01:00 UTC: 02:30 is twice. */
static void clocks_are_local(void)
{
    const int64_t spring = 1774746000, autumn = 1792890000;
    fixture it;
    fixture_begin(&it);
    int32_t berlin = add_zone(it.plan, "Europe/Berlin");
    CHECK_EQ(add(it.plan, 2 * HOUR, 3 * HOUR, ALL, berlin), 0);
    CHECK_EQ(add(it.plan, 2 * HOUR + HOUR / 2, 4 * HOUR, ALL, berlin), 1);
    seal(&it);
    CHECK_EQ(allot_plan_windows_at(it.plan, spring - 1), 0);
    CHECK_EQ(allot_plan_windows_at(it.plan, spring), 2); /* 03:00 */
    CHECK_EQ(next(it.plan, spring - 2 * HOUR), spring);
    CHECK_EQ(next(it.plan, spring), spring + HOUR);
    CHECK_EQ(next(it.plan, autumn - HOUR), autumn - HOUR / 2);
    CHECK_EQ(allot_plan_windows_at(it.plan, autumn - 1), 1 | 2);
    CHECK_EQ(next(it.plan, autumn - HOUR / 2), autumn); /* 02:00 again */
    CHECK_EQ(allot_plan_windows_at(it.plan, autumn), 1);
    CHECK_EQ(next(it.plan, autumn), autumn + HOUR / 2);
    CHECK_EQ(next(it.plan, autumn + HOUR / 2), autumn + HOUR);
    CHECK_EQ(allot_plan_windows_at(it.plan, autumn + HOUR), 2);
    fixture_end(&it);
}

/* Every switch found is one, and between two there is none. */
static void switches_are_exact(void)
{
    static const char *const names[] = {"America/New_York", "Australia/Lord_Howe", "Asia/Tokyo",
                                        "Africa/Casablanca"};
    fixture it;
    fixture_begin(&it);
    for (int32_t i = 0; i < 4; i++) {
        int32_t zone = add_zone(it.plan, names[i]);
        CHECK_EQ(zone, i);
        CHECK_EQ(add(it.plan, i * HOUR + 1800, (i * 7 + 9) % 24 * HOUR, 0x15u << i & ALL, zone), i);
    }
    seal(&it);
    for (int64_t at = monday - 30 * DAY; at < monday + 150 * DAY;) {
        int64_t then = next(it.plan, at);
        uint64_t held = allot_plan_windows_at(it.plan, at);
        CHECK(allot_plan_windows_at(it.plan, then) != held);
        for (int64_t between = at; between < then; between += 900)
            CHECK(allot_plan_windows_at(it.plan, between) == held);
        CHECK(allot_plan_windows_at(it.plan, then - 1) == held);
        at = then;
    }
    fixture_end(&it);
}

static void builders_refuse(void)
{
    fixture it;
    int32_t out = -7;
    fixture_begin(&it);
    int32_t a = fixture_add(it.plan, "/a"), b = fixture_add(it.plan, "/b");
    allot_window window = {.group = ALLOT_ALL, .to = DAY, .days = ALL, .zone = -1};
    CHECK_EQ(allot_plan_zone(it.plan, "x", "TZif", 4, &out), ALLOT_EINVALID);
    CHECK_EQ(allot_plan_zone(it.plan, "", "TZif", 4, &out), ALLOT_ENAME);
    CHECK_EQ(out, -7);
    CHECK_EQ(add(it.plan, -1, 0, ALL, -1), ALLOT_ERANGE);
    CHECK_EQ(add(it.plan, 0, DAY + 1, ALL, -1), ALLOT_ERANGE);
    CHECK_EQ(add(it.plan, 0, DAY, ALL + 1, -1), ALLOT_ERANGE);
    CHECK_EQ(add(it.plan, 0, DAY, ALL, 0), ALLOT_EUSAGE);
    window.group = 3;
    CHECK_EQ(allot_plan_window(it.plan, &window, &out), ALLOT_EUSAGE);
    CHECK_EQ(allot_plan_window_slots(it.plan, 0, 4), ALLOT_EUSAGE);
    for (int i = 0; i < ALLOT_WINDOWS_MAX; i++)
        CHECK_EQ(add(it.plan, 0, DAY, ALL, -1), i);
    CHECK_EQ(add(it.plan, 0, DAY, ALL, -1), ALLOT_EUSAGE);
    CHECK_EQ(allot_plan_window_slots(it.plan, 0, -1), ALLOT_ERANGE);
    CHECK_EQ(allot_plan_window_set(it.plan, 0, 9, ALLOT_OWNED, 1), ALLOT_EUSAGE);
    CHECK_EQ(allot_plan_window_set(it.plan, 0, a, ALLOT_DEMAND, 1), ALLOT_EUSAGE);
    CHECK_EQ(allot_plan_window_set(it.plan, 0, a, ALLOT_OWNED, -1), ALLOT_ERANGE);
    CHECK_EQ(allot_plan_window_option(it.plan, 0, ALLOT_OPTION_COUNT, 1), ALLOT_EUSAGE);
    CHECK_EQ(allot_plan_window_option(it.plan, 0, ALLOT_OPTION_LEEWAY, -1), ALLOT_ERANGE);
    CHECK_EQ(allot_plan_window_lend(it.plan, 0, a, &out, 1), ALLOT_EUSAGE);
    CHECK_EQ(allot_plan_window_lend(it.plan, 0, a, &a, 1), ALLOT_EUSAGE);
    CHECK_EQ(allot_plan_window_lend(it.plan, 0, a, &b, 1), ALLOT_OK);
    CHECK_EQ(allot_plan_window_borrow(it.plan, 0, a, NULL, -1), ALLOT_OK);
    seal(&it);
    CHECK_EQ(allot_plan_window_set(it.plan, 0, a, ALLOT_OWNED, 1), ALLOT_EUSAGE);
    fixture_end(&it);
}

/* What allot_plan_at promises of its variants: at most 14 sets a window, and the same every year.
 */
static void sets_do_not_grow_with_the_years(void)
{
    enum { WINDOWS = 12, MOST = 14 * WINDOWS, YEAR = 365 * DAY };
    fixture it;
    uint64_t seen[MOST], draw = 1;
    int32_t count = 0, after_two = 0;
    fixture_begin(&it);
    int32_t berlin = add_zone(it.plan, "Europe/Berlin");
    for (int32_t i = 0; i < WINDOWS; i++) {
        int32_t drawn[3];
        for (int k = 0; k < 3; k++) {
            draw = draw * UINT64_C(6364136223846793005) + 1442695040888963407;
            drawn[k] = (int32_t)(draw >> 40);
        }
        CHECK_EQ(add(it.plan, drawn[0] % 96 * 900, drawn[1] % 96 * 900, 1 + drawn[2] % ALL, berlin),
                 i);
    }
    seal(&it);
    for (int64_t at = monday; at < monday + 4 * (int64_t)YEAR; at = next(it.plan, at)) {
        uint64_t held = allot_plan_windows_at(it.plan, at);
        int32_t k = 0;
        while (k < count && seen[k] != held)
            k++;
        if (!CHECK(k < MOST))
            break;
        seen[k] = held;
        count = k == count ? count + 1 : count;
        after_two = at < monday + 2 * (int64_t)YEAR ? count : after_two;
    }
    CHECK(count > WINDOWS);
    CHECK_EQ(count, after_two);
    fixture_end(&it);
}

int main(void)
{
    RUN(windows_are_half_open);
    RUN(windows_go_over_midnight);
    RUN(what_never_changes_has_no_switch);
    RUN(clocks_are_local);
    RUN(switches_are_exact);
    RUN(builders_refuse);
    RUN(sets_do_not_grow_with_the_years);
    return check_done();
}
