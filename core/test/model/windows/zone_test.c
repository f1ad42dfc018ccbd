/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* zone_test.c: time zones against the C library, and files that are none. */
#define _DEFAULT_SOURCE
#include "model/windows/zone.h"

#include <stdlib.h>
#include <time.h>

#include "test/support/check.h"
#include "test/support/oom.h"

enum { FILE_MAX = 64 * 1024 };
static const char folder[] = "/usr/share/zoneinfo";

typedef struct file {
    unsigned char bytes[FILE_MAX];
    size_t len;
} file;

static bool read_zone(const char *name, file *out)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *in = fopen(path, "rb");
    if (!in)
        return false;
    out->len = fread(out->bytes, 1, FILE_MAX, in);
    fclose(in);
    return out->len < FILE_MAX;
}

static uint64_t next_random(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return *seed >> 11;
}

static long system_offset(int64_t when)
{
    time_t time = (time_t)when;
    struct tm local;
    return localtime_r(&time, &local) ? local.tm_gmtoff : -1;
}

/* At random times from 1970 to 2100, and on both sides of every change. */
static int differences(const char *name, const allot__zone *zone)
{
    const int64_t end = 4102444800;
    uint64_t seed = 7;
    int wrong = 0;
    setenv("TZ", name, 1);
    tzset();
    for (int i = 0; i < 200; i++) {
        int64_t when = (int64_t)(next_random(&seed) % (uint64_t)end);
        wrong += allot__zone_offset(zone, when) != system_offset(when);
    }
    for (int64_t when = 0; when < end && wrong == 0;) {
        int64_t next = allot__zone_until(zone, when);
        if (next > end)
            break;
        wrong += next <= when;
        wrong += allot__zone_offset(zone, next - 1) != system_offset(next - 1);
        wrong += allot__zone_offset(zone, next - 1) != allot__zone_offset(zone, when);
        wrong += allot__zone_offset(zone, next) != system_offset(next);
        when = next;
    }
    if (wrong)
        printf("# %s is wrong\n", name);
    return wrong;
}

static int compare(allot_engine *engine, const char *name)
{
    static file it;
    allot__zone zone;
    if (!CHECK(read_zone(name, &it)) ||
        !CHECK_EQ(allot__zone_read(engine, name, it.bytes, it.len, &zone), ALLOT_OK))
        return 1;
    int wrong = differences(name, &zone);
    allot__zone_free(engine, &zone);
    return wrong;
}

static void zones_tell_what_the_system_tells(void)
{
    char path[256], line[512], name[128];
    oom memory = {0};
    allot_engine *engine;
    CHECK_EQ(allot_engine_new(oom_alloc, &memory, &engine), ALLOT_OK);
    snprintf(path, sizeof path, "%s/tzdata.zi", folder);
    FILE *list = fopen(path, "r");
    int zones = 0, wrong = 0;
    while (list && fgets(line, sizeof line, list)) {
        if (sscanf(line, "Z %127s", name) != 1)
            continue;
        zones++;
        wrong += compare(engine, name);
    }
    if (list)
        fclose(list);
    unsetenv("TZ");
    tzset();
    CHECK(zones > 300); /* the package tzdata is there */
    CHECK_EQ(wrong, 0);
    allot_engine_free(engine);
    CHECK(oom_clean(&memory));
}

/* Cut short anywhere, or with any byte changed, it is refused or read, within its bytes. */
static void broken_files_are_refused(void)
{
    static const char *const names[] = {"Europe/Berlin", "Africa/Casablanca", "UTC"};
    static file it;
    oom memory = {0};
    allot_engine *engine;
    allot__zone zone;
    CHECK_EQ(allot_engine_new(oom_alloc, &memory, &engine), ALLOT_OK);
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        CHECK(read_zone(names[n], &it));
        for (size_t len = 0; len < it.len; len++) {
            unsigned char *exact = malloc(len + 1);
            memcpy(exact, it.bytes, len);
            CHECK_EQ(allot__zone_read(engine, "x", exact, len, &zone), ALLOT_EINVALID);
            free(exact);
        }
        for (size_t at = 0; at < it.len; at++) {
            unsigned char *exact = malloc(it.len);
            memcpy(exact, it.bytes, it.len);
            exact[at] ^= 0x81;
            int status = allot__zone_read(engine, "x", exact, it.len, &zone);
            CHECK(status == ALLOT_OK || status == ALLOT_EINVALID);
            if (status == ALLOT_OK)
                allot__zone_free(engine, &zone);
            free(exact);
        }
    }
    allot_engine_free(engine);
    CHECK(oom_clean(&memory));
}

/* ---- Rules ----------------------------------------------------------------------------------- */

static bool reads(const char *text, allot__zone_rule *rule)
{
    return allot__rule_read(text, strlen(text), rule);
}

/* What the system makes of the same rule, each hour around changes for some years. */
static int rule_differences(const char *text)
{
    allot__zone_rule rule;
    int wrong = 0;
    if (!CHECK(reads(text, &rule)))
        return 1;
    setenv("TZ", text, 1);
    tzset();
    for (int64_t when = 946684800; when < 1104537600; when += 3599)
        wrong += allot__rule_offset(&rule, when) != system_offset(when);
    unsetenv("TZ");
    tzset();
    if (wrong)
        printf("# %s is wrong %d times\n", text, wrong);
    return wrong;
}

static void rules_are_posix(void)
{
    static const char *const rules[] = {"EST5EDT,M3.2.0,M11.1.0",
                                        "CET-1CEST,M3.5.0,M10.5.0/3",
                                        "<-03>3",
                                        "<+0545>-5:45",
                                        "AEST-10AEDT,M10.1.0,M4.1.0/3",
                                        "IST-1GMT0,M10.5.0,M3.5.0/1",
                                        "<-02>2<-01>,M3.5.0/-1,M10.5.0/0",
                                        "IST-2IDT,M3.4.4/26,M10.5.0",
                                        "AAA3BBB,J60,J300/0",
                                        "AAA3BBB,59/0,299"};
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        CHECK_EQ(rule_differences(rules[i]), 0);
}

/* RFC 8536, 3.3.1: saving that never ends. */
static void saving_may_last_all_year(void)
{
    allot__zone_rule rule;
    CHECK(reads("XXX3EDT4,0/0,J365/23", &rule));
    for (int64_t when = 946684800; when < 1104537600; when += 3599)
        CHECK_EQ(allot__rule_offset(&rule, when), -4 * 3600);
}

static void other_rules_are_none(void)
{
    static const char *const rules[] = {"E5",
                                        "EST",
                                        "EST25",
                                        "EST5:60",
                                        "EST5EDT",
                                        "EST5EDT,M3.2.0",
                                        "EST5EDT,M13.2.0,M11.1.0",
                                        "EST5EDT,M3.6.0,M11.1.0",
                                        "EST5EDT,M3.2.7,M11.1.0",
                                        "EST5EDT,J0,J366",
                                        "EST5EDT,366,1",
                                        "EST5EDT,M3.2.0/168,M11.1.0",
                                        "EST5EDT,M3.2.0,M11.1.0x",
                                        "<-03",
                                        "<-0>3",
                                        "EST5EDT,M3.2.0,",
                                        ":Europe/Berlin"};
    allot__zone_rule rule;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (!CHECK(!reads(rules[i], &rule)))
            printf("# %s\n", rules[i]);
}

/* Far away a zone still has an offset, and no arithmetic overflows. */
static void time_has_ends(void)
{
    allot__zone_rule rule;
    CHECK(reads("CET-1CEST,M3.5.0,M10.5.0/3", &rule));
    int32_t early = allot__rule_offset(&rule, INT64_MIN),
            late = allot__rule_offset(&rule, INT64_MAX);
    CHECK(early == 3600 || early == 7200);
    CHECK(late == 3600 || late == 7200);
    CHECK(allot__rule_until(&rule, INT64_MIN) < 0);
    CHECK(allot__rule_until(&rule, 0) > 0);
}

int main(void)
{
    RUN(zones_tell_what_the_system_tells);
    RUN(broken_files_are_refused);
    RUN(rules_are_posix);
    RUN(saving_may_last_all_year);
    RUN(other_rules_are_none);
    RUN(time_has_ends);
    return check_done();
}
