/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* plot_test.c: sums of bins, bands of pictures, axes, and names in gnuplot's words. */
#include "cli/plot/plot_picture.h"

#include <stdlib.h>

#include "test/support/check.h"
#include "test/support/oom.h"

/* ---- Bins ------------------------------------------------------------------------------------ */

enum { SECONDS = 5000, ROWS = 3 };

/* What every second had: levels of two rows, amounts of the third. */
typedef struct seconds {
    int64_t begin, levels[2][SECONDS], amounts[SECONDS];
} seconds;

static uint32_t draw(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

static void play(uint32_t seed, allot__bins *bins, seconds *all)
{
    int64_t level[2] = {0, 0};
    uint32_t most = draw(&seed) % 60 + 1;
    all->begin = (int64_t)(draw(&seed) % 100000) - 50000;
    allot__bins_level(bins, 0, all->begin, 0);
    for (int i = 0; i < SECONDS; i++) {
        all->amounts[i] = 0;
        for (int row = 0; row < 2; row++) {
            if (draw(&seed) % most == 0) {
                level[row] = draw(&seed) % 4 == 0 ? 0 : (int64_t)(draw(&seed) % 1000);
                allot__bins_level(bins, row, all->begin + i, level[row]);
            }
            all->levels[row][i] = level[row];
        }
        if (draw(&seed) % most == 0) {
            all->amounts[i] = draw(&seed) % 9;
            allot__bins_add(bins, 2, all->begin + i, all->amounts[i]);
        }
    }
    allot__bins_end(bins, all->begin + SECONDS);
}

static bool equal(const allot__bins *bins, const seconds *all)
{
    bool good = true;
    for (int32_t bin = 0; bin < bins->used; bin++) {
        int64_t sums[ROWS] = {0, 0, 0}, length = 0;
        for (int64_t at = bins->origin + bin * bins->width, end = at + bins->width; at < end;
             at++) {
            int64_t i = at - all->begin;
            if (i < 0 || i >= SECONDS)
                continue;
            sums[0] += all->levels[0][i];
            sums[1] += all->levels[1][i];
            sums[2] += all->amounts[i];
            length++;
        }
        for (int row = 0; row < ROWS; row++)
            good = good && sums[row] == allot__bins_at(bins, row, bin);
        good = good && length == allot__bins_seconds(bins, bin);
    }
    return good;
}

static void bins_are_exact_sums_of_seconds(void)
{
    static seconds all;
    for (uint32_t seed = 1; seed <= 60; seed++) {
        oom memory = {0};
        allot_engine *engine;
        CHECK_EQ(allot_engine_new(oom_alloc, &memory, &engine), ALLOT_OK);
        allot__bins bins;
        CHECK_EQ(allot__bins_make(engine, ROWS, 10 + (int32_t)seed * 30, &bins), ALLOT_OK);
        play(seed, &bins, &all);
        CHECK(bins.used <= bins.most && bins.used * 12 > bins.most);
        CHECK(bins.origin <= all.begin && bins.origin % bins.width == 0);
        CHECK(equal(&bins, &all));
        int64_t before = allot__bins_sum(&bins, 0);
        allot__bins_widen(&bins, 900);
        CHECK(bins.width >= 900);
        CHECK(equal(&bins, &all));
        CHECK_EQ(allot__bins_sum(&bins, 0), before);
        allot__bins_free(&bins);
        allot_engine_free(engine);
        CHECK(oom_clean(&memory));
    }
}

static void widths_divide_the_next(void)
{
    for (int64_t width = 1; width < (int64_t)1 << 40; width = allot__bins_wider(width)) {
        CHECK(allot__bins_wider(width) > width);
        CHECK_EQ(allot__bins_wider(width) % width, 0);
    }
}

static void memory_has_an_end(void)
{
    oom memory = {0};
    allot_engine *engine;
    CHECK_EQ(allot_engine_new(oom_alloc, &memory, &engine), ALLOT_OK);
    allot__bins bins;
    CHECK_EQ(allot__bins_make(engine, 10000, PLOT_BINS_MOST, &bins), ALLOT_OK);
    for (int64_t day = 0; day < 4000; day++)
        for (int32_t row = (int32_t)(day % 7); row < 10000; row += 7)
            allot__bins_level(&bins, row, day * 86400, day % 100 + 1);
    allot__bins_end(&bins, (int64_t)4000 * 86400);
    CHECK(bins.used > 50);
    CHECK(memory.peak < PLOT_CELLS_MOST * sizeof(int64_t) + 10000 * 4 * sizeof(int64_t));
    allot__bins_free(&bins);
    allot_engine_free(engine);
    CHECK(oom_clean(&memory));
}

static void what_is_too_much_to_count_stays_there(void)
{
    CHECK_EQ(allot__bins_plus(INT64_MAX - 1, 2), INT64_MAX);
    CHECK_EQ(allot__bins_times(INT64_MAX / 2, 3), INT64_MAX);
    CHECK_EQ(allot__bins_times(1000000007, 1000000009), 1000000016000000063);
}

/* ---- Pictures -------------------------------------------------------------------------------- */

enum { CONSUMERS = 14 };

static char names[CONSUMERS][16];

/* Consumer i holds 10 * i slots for an hour, from hour i on; there are 200, and half are wanted. */
static int make_panel(allot_engine *engine, allot__panel *panel, char **by_consumer, int32_t count)
{
    *panel = (allot__panel){.consumers = count, .names = by_consumer};
    int status = allot__bins_make(engine, count + PANEL_ROWS, 400, &panel->bins);
    if (status != ALLOT_OK)
        return status;
    allot__bins_level(&panel->bins, count + PANEL_SIZE, 0, 200);
    allot__bins_level(&panel->bins, count + PANEL_WANTED, 0, 100);
    for (int32_t i = 0; i < count; i++) {
        allot__bins_level(&panel->bins, i, i * 3600, 10 * i);
        allot__bins_level(&panel->bins, i, (i + 1) * 3600, 0);
    }
    allot__bins_add(&panel->bins, count + PANEL_RECLAIMED, count * 3600, 7);
    allot__bins_end(&panel->bins, (count + 1) * 3600);
    return panel->bins.failed ? ALLOT_ENOMEM : ALLOT_OK;
}

static void free_panel(allot_engine *engine, const allot__picture *picture, allot__panel *panel)
{
    size_t size = (size_t)picture->band_count * (size_t)panel->bins.used * sizeof *panel->bands;
    if (panel->bands)
        allot_engine_alloc(engine, panel->bands, size, 0);
    allot__bins_free(&panel->bins);
}

static char **named(void)
{
    static char *by_consumer[CONSUMERS];
    for (int i = 1; i < CONSUMERS; i++) { /* the first holds nothing */
        snprintf(names[i], sizeof names[i], "/c%02d", i);
        by_consumer[i] = names[i];
    }
    return by_consumer;
}

static void bands_have_all_slot_seconds(void)
{
    allot_engine *engine;
    CHECK_EQ(allot_engine_new(NULL, NULL, &engine), ALLOT_OK);
    allot__panel one, other;
    CHECK_EQ(make_panel(engine, &one, named(), CONSUMERS), ALLOT_OK);
    CHECK_EQ(make_panel(engine, &other, named(), 4), ALLOT_OK);
    allot__bins_widen(&other.bins, 3600);
    allot__picture picture = {.panels = {&one, &other}, .panel_count = 2, .title = "t"};
    CHECK_EQ(allot__picture_pick(engine, &picture), ALLOT_OK);
    CHECK_EQ(picture.band_count, PICTURE_BANDS + 1);
    CHECK_EQ(picture.others, CONSUMERS - 1 - PICTURE_BANDS);
    /* 13 ... 8 of the one, and all three of the other, by what both give. */
    static const char *const wanted[] = {"/c13", "/c12", "/c11", "/c10", "/c09",
                                         "/c08", "/c03", "/c02", "/c01"};
    for (int i = 0; i < PICTURE_BANDS; i++)
        CHECK_STR(picture.names[i], wanted[i]);
    CHECK_EQ(one.bins.width, other.bins.width);
    CHECK_EQ(picture.last, (CONSUMERS + 1) * 3600);
    allot__panel *panels[] = {&one, &other};
    for (int i = 0; i < 2; i++) {
        int64_t all = 0;
        for (int32_t bin = 0; bin < panels[i]->bins.used; bin++) {
            int64_t held = 0, drawn = 0;
            for (int32_t c = 0; c < panels[i]->consumers; c++)
                held += allot__bins_at(&panels[i]->bins, c, bin);
            for (int band = 0; band < picture.band_count; band++)
                drawn += panels[i]->bands[band * panels[i]->bins.used + bin];
            CHECK_EQ(drawn, held);
            all += drawn;
        }
        int32_t n = panels[i]->consumers;
        CHECK_EQ(all, (int64_t)10 * n * (n - 1) / 2 * 3600);
    }
    CHECK(!allot__picture_has(&other, 0));
    CHECK(allot__picture_has(&other, 7));
    free_panel(engine, &picture, &one);
    free_panel(engine, &picture, &other);
    allot_engine_free(engine);
}

/* ---- Axes ------------------------------------------------------------------------------------ */

static void check_ticks(int64_t first, int64_t last, const char *wanted)
{
    allot__tick ticks[PICTURE_TICKS];
    char all[1024] = "";
    int count = allot__axis_ticks(first, last, ticks);
    for (int i = 0; i < count; i++) {
        CHECK(ticks[i].at >= first && ticks[i].at <= last);
        strcat(strcat(all, i > 0 ? " | " : ""), ticks[i].label);
    }
    CHECK_STR(all, wanted);
}

static void ticks_are_where_people_look(void)
{
    enum { OCT_1 = 749433600 }; /* 1993-10-01, a Friday */
    check_ticks(OCT_1, OCT_1 + 10 * 60,
                "1 Oct | 00:01 | 00:02 | 00:03 | 00:04 | 00:05 | 00:06 | "
                "00:07 | 00:08 | 00:09 | 00:10");
    check_ticks(OCT_1 + 60, OCT_1 + 86400,
                "02:00 | 04:00 | 06:00 | 08:00 | 10:00 | 12:00 | 14:00 | "
                "16:00 | 18:00 | 20:00 | 22:00 | 2 Oct");
    check_ticks(OCT_1 + 1, OCT_1 + 3 * 86400,
                "06:00 | 12:00 | 18:00 | 2 Oct | 06:00 | 12:00 | "
                "18:00 | 3 Oct | 06:00 | 12:00 | 18:00 | 4 Oct");
    check_ticks(OCT_1, OCT_1 + 30 * 86400, "4 Oct | 11 Oct | 18 Oct | 25 Oct");
    /* Mondays, and months of their own lengths across a leap year's end of February. */
    check_ticks(1700000000, 1712000000,
                "27 Nov | 11 Dec | 25 Dec | 8 Jan | 22 Jan | 5 Feb | 19 Feb | "
                "4 Mar | 18 Mar | 1 Apr");
    check_ticks(1704067200, 1735689600,
                "Jan 2024 | Feb 2024 | Mar 2024 | Apr 2024 | May 2024 | "
                "Jun 2024 | Jul 2024 | Aug 2024 | Sep 2024 | Oct 2024 | "
                "Nov 2024 | Dec 2024 | Jan 2025");
    check_ticks(946684800, 1262304000,
                "2000 | 2001 | 2002 | 2003 | 2004 | 2005 | 2006 | 2007 | "
                "2008 | 2009 | 2010");
    check_ticks(0, 36000, "0 h | 1 h | 2 h | 3 h | 4 h | 5 h | 6 h | 7 h | 8 h | 9 h | 10 h");
    check_ticks(5, 40 * 86400, "7 d | 14 d | 21 d | 28 d | 35 d");
    check_ticks(7, 7, "7 s");
}

static void axes_have_units(void)
{
    char text[96];
    allot__axis_title(749433600, 757407825, text, sizeof text);
    CHECK_STR(text, "time (UTC), 1 Oct 1993 to 1 Jan 1994");
    allot__axis_title(749433600, 749433700, text, sizeof text);
    CHECK_STR(text, "time (UTC), 1 Oct 1993");
    allot__axis_title(0, 749433700, text, sizeof text);
    CHECK_STR(text, "time since the log's start");
    allot__axis_duration(10800, text, sizeof text);
    CHECK_STR(text, "3 h");
    allot__axis_duration(14 * 86400, text, sizeof text);
    CHECK_STR(text, "14 d");
    allot__axis_duration(90, text, sizeof text);
    CHECK_STR(text, "90 s");
    CHECK_EQ(allot__axis_step(1), 1);
    CHECK_EQ(allot__axis_step(5), 1);
    CHECK_EQ(allot__axis_step(128), 50);
    CHECK_EQ(allot__axis_step(1000000000), 200000000);
}

/* ---- Words for gnuplot ----------------------------------------------------------------------- */

static void check_quoted(allot_engine *engine, const char *name, int most, const char *wanted)
{
    allot__text out = {.engine = engine};
    allot__picture_quoted(&out, name, most);
    allot__cli_add(&out, "", 1);
    CHECK_STR(out.bytes, wanted);
    allot__cli_text_free(&out);
}

static void names_are_text_whatever_is_in_them(void)
{
    allot_engine *engine;
    CHECK_EQ(allot_engine_new(NULL, NULL, &engine), ALLOT_OK);
    check_quoted(engine, "/g1/u4", 20, "'/g1/u4'");
    check_quoted(engine, "it's ''", 20, "'it''s '''''");
    check_quoted(engine, "a_b^2 {/Bold x} \"q\" `id` $(id) @m \\", 60,
                 "'a_b^2 {/Bold x} \"q\" `id` $(id) @m \\'");
    check_quoted(engine, "line\nbreak\ttab\x7f\x1b[0m", 60, "'line?break?tab??[0m'");
    check_quoted(engine, "\xc3\xa9\xe4\xb8\x96\xf0\x9f\x90\x91", 60,
                 "'\xc3\xa9\xe4\xb8\x96\xf0\x9f\x90\x91'");
    /* Lone bytes, overlong forms, surrogates, noncharacters, C1 controls, and an end within one. */
    check_quoted(engine,
                 "\x80|\xc0\xaf|\xe0\x80\xaf|\xed\xa0\x80|\xef\xbf\xbf|\xc2\x9b|\xf5|\xe4\xb8", 60,
                 "'?|??|???|???|???|??|?|?"
                 "?'");
    check_quoted(engine, "/research/physics/alice", 12, "'\xe2\x80\xa6ysics/alice'");
    check_quoted(engine, "/\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9", 3, "'\xe2\x80\xa6\xc3\xa9\xc3\xa9'");
    check_quoted(engine, "", 3, "''");
    allot_engine_free(engine);
}

static bool has(const allot__text *text, const char *piece)
{
    return strstr(text->bytes, piece) != NULL;
}

static int script(allot_engine *engine)
{
    char strange[] = "/it's \"_{x}\"\n", *by_consumer[CONSUMERS] = {NULL};
    by_consumer[2] = strange;
    allot__text out = {.engine = engine};
    allot__panel panel;
    allot__picture picture = {.panels = {&panel}, .panel_count = 1, .title = "don't"};
    int status = make_panel(engine, &panel, by_consumer, 3);
    char title[] = "p'q";
    panel.title = title;
    panel.switch_count = 1;
    panel.switches[0] = 3600;
    if (status == ALLOT_OK)
        status = allot__picture_pick(engine, &picture);
    if (status == ALLOT_OK) {
        allot__picture_script(&picture, &out);
        allot__cli_add(&out, "", 1);
        status = out.failed ? ALLOT_ENOMEM : ALLOT_OK;
    }
    if (status == ALLOT_OK) {
        CHECK(has(&out, "set terminal svg") && has(&out, " noenhanced "));
        CHECK(has(&out, " title '/it''s \"_{x}\"?', \\\n"));
        CHECK(has(&out, "set label 2 'don''t' at screen"));
        CHECK(has(&out, "set label 1 'p''q' at graph"));
        CHECK(has(&out, "$size_0 << END\n0 200\n14400 200\nEND\n"));
        CHECK(has(&out, "$wanted_0 << END\n0 100\n14400 100\nEND\n"));
        CHECK(has(&out, "$reclaimed_0 << END\n0 0\n10830 7\nEND\n"));
        CHECK(has(&out, "$band_0_0 << END\n7200 20\n10800 20\n10800 0\n7200 0\n\nEND\n"));
        CHECK(has(&out, "set arrow from 3600, graph 0 to 3600, graph 1 "));
        CHECK(has(&out, "set xrange [0:14400]\n"));
        CHECK(!has(&out, "others"));
    }
    allot__cli_text_free(&out);
    free_panel(engine, &picture, &panel);
    return status;
}

static void scripts_say_what_is_drawn(void)
{
    allot_engine *engine;
    CHECK_EQ(allot_engine_new(NULL, NULL, &engine), ALLOT_OK);
    CHECK_EQ(script(engine), ALLOT_OK);
    allot_engine_free(engine);
}

static void out_of_memory_draws_nothing(void)
{
    CHECK(oom_each(script));
}

int main(void)
{
    RUN(bins_are_exact_sums_of_seconds);
    RUN(widths_divide_the_next);
    RUN(memory_has_an_end);
    RUN(what_is_too_much_to_count_stays_there);
    RUN(bands_have_all_slot_seconds);
    RUN(ticks_are_where_people_look);
    RUN(axes_have_units);
    RUN(names_are_text_whatever_is_in_them);
    RUN(scripts_say_what_is_drawn);
    RUN(out_of_memory_draws_nothing);
    return check_done();
}
