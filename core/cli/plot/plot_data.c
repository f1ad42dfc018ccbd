/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* plot_data.c: names and series of a picture as gnuplot reads them. */
#include "cli/plot/plot_picture.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- Text ------------------------------------------------------------------------------------ */

/* The length of a character of UTF-8 that XML may have, or 0. */
static size_t character(const unsigned char *s)
{
    size_t len = s[0] < 0x80 ? 1 : s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
    uint32_t code = len == 1 ? s[0] : s[0] & (0xffu >> (len + 1));
    static const uint32_t least[] = {0, 0x20, 0x80, 0x800, 0x10000};
    if (s[0] >= 0x80 && (s[0] < 0xc2 || s[0] > 0xf4))
        return 0;
    for (size_t i = 1; i < len; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (s[i] & 0x3f);
    }
    bool good = code >= least[len] && code <= 0x10ffff && !(code >= 0x7f && code < 0xa0) &&
                !(code >= 0xd800 && code < 0xe000) && (code & 0xfffe) != 0xfffe;
    return good ? len : 0;
}

int allot__picture_letters(const char *s)
{
    int count = 0;
    for (; *s != '\0'; s++)
        count += ((unsigned char)*s & 0xc0) != 0x80;
    return count;
}

void allot__picture_quoted(allot__text *out, const char *s, int most)
{
    int skip = allot__picture_letters(s) - most;
    allot__cli_puts(out, skip > 0 ? "'\xe2\x80\xa6" : "'");
    for (skip += skip > 0; skip > 0 && *s != '\0'; skip--)
        do
            s++;
        while (((unsigned char)*s & 0xc0) == 0x80);
    while (*s != '\0') {
        size_t len = character((const unsigned char *)s);
        if (*s == '\'')
            allot__cli_puts(out, "''");
        else if (len > 0)
            allot__cli_add(out, s, len);
        else
            allot__cli_puts(out, "?");
        s += len > 0 ? len : 1;
    }
    allot__cli_puts(out, "'");
}

/* ---- Data ------------------------------------------------------------------------------------ */

/* One value of a step line per bin; bins of the same value are one step. */
typedef struct steps {
    allot__text *out;
    const allot__picture *picture;
    const allot__bins *bins;
    double value;
    int64_t from, to;
    bool open, told;
} steps;

static void end_step(steps *line)
{
    if (line->open)
        allot__cli_printf(line->out, "%" PRId64 " %.6g\n%" PRId64 " %.6g\n",
                          line->from - line->picture->first, line->value,
                          line->to - line->picture->first, line->value);
    line->told = line->told || line->open;
    line->open = false;
}

/* The mean of a bin whose sum is so many slot-seconds. */
static void put_step(steps *line, int32_t bin, int64_t sum)
{
    int64_t seconds = allot__bins_seconds(line->bins, bin);
    if (seconds == 0)
        return;
    int64_t begin = line->bins->origin + bin * line->bins->width;
    double value = (double)sum / (double)seconds;
    if (begin < line->bins->first)
        begin = line->bins->first;
    if (!line->open || value > line->value || value < line->value) {
        end_step(line);
        line->from = begin;
        line->value = value;
        line->open = true;
    }
    line->to = begin + seconds;
}

bool allot__picture_has(const allot__panel *panel, int band)
{
    size_t used = (size_t)panel->bins.used;
    for (size_t i = 0; panel->bands && i < used; i++)
        if (panel->bands[(size_t)band * used + i] != 0)
            return true;
    return false;
}

static void put_row(const allot__picture *picture, const allot__panel *panel, int32_t row,
                    allot__text *out)
{
    steps line = {.out = out, .picture = picture, .bins = &panel->bins};
    for (int32_t bin = 0; bin < panel->bins.used; bin++)
        put_step(&line, bin, allot__bins_at(&panel->bins, row, bin));
    end_step(&line);
    if (!line.told) /* gnuplot takes no block without points */
        allot__cli_puts(out, "0 0\n");
}

/* Closes a polygon from `start` on. */
static void end_shape(steps *line, int64_t start)
{
    if (!line->open)
        return;
    end_step(line);
    allot__cli_printf(line->out, "%" PRId64 " 0\n%" PRId64 " 0\n\n",
                      line->to - line->picture->first, start - line->picture->first);
}

/* Where a band has anything, it and all below it, down to 0: those below are painted over it. */
static void put_band(const allot__picture *picture, const allot__panel *panel, int band,
                     allot__text *out)
{
    steps line = {.out = out, .picture = picture, .bins = &panel->bins};
    const allot__bins *bins = &panel->bins;
    int64_t start = 0;
    for (int32_t bin = 0; bin < bins->used; bin++) {
        int64_t sum = 0, own = 0;
        for (int i = 0; i <= band; i++) {
            own = panel->bands[(size_t)i * (size_t)bins->used + (size_t)bin];
            sum = allot__bins_plus(sum, own);
        }
        bool begins = own > 0 && !line.open;
        if (own > 0)
            put_step(&line, bin, sum);
        else
            end_shape(&line, start);
        start = begins ? line.from : start;
    }
    end_shape(&line, start);
}

static void put_reclaims(const allot__picture *picture, const allot__panel *panel, allot__text *out)
{
    const allot__bins *bins = &panel->bins;
    int32_t row = panel->consumers + PANEL_RECLAIMED;
    allot__cli_puts(out, "0 0\n");
    for (int32_t bin = 0; bin < bins->used; bin++) {
        int64_t slots = allot__bins_at(bins, row, bin);
        int64_t begin = bins->origin + bin * bins->width;
        int64_t middle = begin + bins->width / 2;
        if (slots > 0)
            allot__cli_printf(out, "%" PRId64 " %" PRId64 "\n",
                              (middle < bins->last ? middle : bins->last) - picture->first, slots);
    }
}

void allot__picture_data(const allot__picture *picture, int index, allot__text *out)
{
    const allot__panel *panel = picture->panels[index];
    for (int band = 0; band < picture->band_count; band++) {
        if (!allot__picture_has(panel, band))
            continue;
        allot__cli_printf(out, "$band_%d_%d << END\n", index, band);
        put_band(picture, panel, band, out);
        allot__cli_puts(out, "END\n");
    }
    allot__cli_printf(out, "$wanted_%d << END\n", index);
    put_row(picture, panel, panel->consumers + PANEL_WANTED, out);
    allot__cli_printf(out, "END\n$size_%d << END\n", index);
    put_row(picture, panel, panel->consumers + PANEL_SIZE, out);
    allot__cli_printf(out, "END\n$reclaimed_%d << END\n", index);
    put_reclaims(picture, panel, out);
    allot__cli_puts(out, "END\n");
}
