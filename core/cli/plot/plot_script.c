/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* plot_script.c: a picture in the words of gnuplot. */
#include "cli/plot/plot_picture.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Tol's muted colours in an order in which neighbours also differ by lightness, at least 2:1. */
static const char *const colors[PICTURE_BANDS] = {"#332288", "#cc6677", "#ddcc77",
                                                  "#aa4499", "#88ccee", "#117733",
                                                  "#44aa99", "#882255", "#999933"};
#define OTHERS    "#dddddd"
#define WANTED    "#d55e00"
#define RECLAIMED "#333333"

/* Pixels of an SVG. */
#define PLOT_WIDTH  760
#define LEFT        70
#define ABOVE       34 /* of the picture's title */
#define TITLE       26 /* of a panel's */
#define STRIP       36
#define GAP         15
#define BELOW       56
#define LETTER      7
#define NAME_LENGTH 34

typedef struct layout {
    double width, height;
    double panel; /* bands of one */
    double legend;
    int64_t most, reclaimed_most; /* of the axes */
    bool cut;                     /* more is wanted than the axis has */
    int64_t wanted_most;
} layout;

static const char *color_of(const allot__picture *picture, int band)
{
    bool others = picture->others > 0 && band == picture->band_count - 1;
    return others ? OTHERS : colors[band];
}

static void put_name(const allot__picture *picture, int band, allot__text *out)
{
    bool others = picture->others > 0 && band == picture->band_count - 1;
    if (others)
        allot__cli_printf(out, "'%" PRId32 " other%s'", picture->others,
                          picture->others > 1 ? "s" : "");
    else
        allot__picture_quoted(out, picture->names[band], NAME_LENGTH);
}

/* ---- Layout ---------------------------------------------------------------------------------- */

static int64_t most_of(const allot__panel *panel, int row)
{
    const allot__bins *bins = &panel->bins;
    int64_t most = 0;
    for (int32_t bin = 0; bin < bins->used; bin++) {
        int64_t sum = allot__bins_at(bins, panel->consumers + row, bin);
        int64_t seconds = row == PANEL_RECLAIMED ? 1 : allot__bins_seconds(bins, bin);
        int64_t value = seconds > 0 ? sum / seconds + (sum % seconds != 0) : 0;
        if (value > most)
            most = value;
    }
    return most;
}

static int64_t held_of(const allot__picture *picture, const allot__panel *panel)
{
    const allot__bins *bins = &panel->bins;
    int64_t most = 0;
    for (int32_t bin = 0; panel->bands && bin < bins->used; bin++) {
        int64_t sum = 0, seconds = allot__bins_seconds(bins, bin);
        for (int band = 0; band < picture->band_count; band++)
            sum = allot__bins_plus(sum, panel->bands[band * bins->used + bin]);
        if (seconds > 0 && sum / seconds + (sum % seconds != 0) > most)
            most = sum / seconds + (sum % seconds != 0);
    }
    return most;
}

static void raise_to(int64_t *most, int64_t value)
{
    if (value > *most)
        *most = value;
}

/* What is wanted may be a hundred times what there is, of which nothing could then be seen: such an
 * axis ends above what there is, and says so. */
static layout arrange(const allot__picture *picture)
{
    layout at = {.most = 1};
    for (int i = 0; i < picture->panel_count; i++) {
        raise_to(&at.most, most_of(picture->panels[i], PANEL_SIZE));
        raise_to(&at.most, held_of(picture, picture->panels[i]));
        raise_to(&at.wanted_most, most_of(picture->panels[i], PANEL_WANTED));
        raise_to(&at.reclaimed_most, most_of(picture->panels[i], PANEL_RECLAIMED));
    }
    at.cut = at.wanted_most / 2 > at.most;
    if (!at.cut)
        raise_to(&at.most, at.wanted_most);
    int longest = 22;
    for (int i = 0; i < picture->band_count - (picture->others > 0); i++)
        if (allot__picture_letters(picture->names[i]) > longest)
            longest = allot__picture_letters(picture->names[i]);
    at.legend = (longest < NAME_LENGTH ? longest : NAME_LENGTH) * LETTER + 56;
    at.panel = picture->panel_count == 1 ? 300 : 180;
    at.width = LEFT + PLOT_WIDTH + at.legend;
    at.height = ABOVE + picture->panel_count * (TITLE + at.panel + GAP + STRIP) + BELOW;
    return at;
}

static double across(const layout *at, double pixels)
{
    return pixels / at->width;
}

/* Pixels from above, as gnuplot counts: from below. */
static double down(const layout *at, double pixels)
{
    return 1 - pixels / at->height;
}

/* ---- Parts ----------------------------------------------------------------------------------- */

static void put_head(const allot__picture *picture, const layout *at, allot__text *out)
{
    if (picture->kind == PICTURE_PNG)
        allot__cli_printf(out,
                          "set terminal pngcairo size %.0f,%.0f noenhanced font 'sans-serif,12' "
                          "fontscale 1.3 linewidth 1.6 background '#ffffff'\n",
                          at->width * 1.6, at->height * 1.6);
    else
        allot__cli_printf(out,
                          "set terminal svg size %.0f,%.0f noenhanced font 'sans-serif,12' "
                          "background '#ffffff'\n",
                          at->width, at->height);
    allot__cli_puts(out, "set encoding utf8\n");
    for (int i = 0; i < picture->panel_count; i++)
        allot__picture_data(picture, i, out);
    allot__cli_puts(out, "set multiplot\n"
                         "set style line 1 lc rgb '#000000' lw 1.6\n"
                         "set style line 2 lc rgb '" WANTED "' lw 1\n"
                         "set style line 3 lc rgb '" RECLAIMED "' lw 1.2\n"
                         "set style line 4 lc rgb '#444444' lw 0.8 dt (2,3)\n"
                         "set style line 5 lc rgb '#ffffff' lw 0.4\n"
                         "set border 3 lc rgb '#444444'\n");
    allot__cli_printf(out, "set lmargin at screen %.6f\nset rmargin at screen %.6f\n",
                      across(at, LEFT), across(at, LEFT + PLOT_WIDTH));
    allot__cli_printf(out, "set xrange [0:%" PRId64 "]\n", picture->last - picture->first);
}

static void put_ticks(const allot__picture *picture, bool labels, allot__text *out)
{
    allot__tick ticks[PICTURE_TICKS];
    int count = allot__axis_ticks(picture->first, picture->last, ticks);
    allot__cli_puts(out, "set xtics nomirror out scale 0.6 (");
    for (int i = 0; i < count; i++)
        allot__cli_printf(out, "%s'%s' %" PRId64, i > 0 ? ", " : "", labels ? ticks[i].label : "",
                          ticks[i].at - picture->first);
    allot__cli_puts(out, ")\n");
}

static void put_margins(const layout *at, double top, double bottom, allot__text *out)
{
    allot__cli_printf(out, "set tmargin at screen %.6f\nset bmargin at screen %.6f\n",
                      down(at, top), down(at, bottom));
}

static void put_title(const allot__picture *picture, const layout *at, allot__text *out)
{
    allot__cli_puts(out, "set label 2 ");
    allot__picture_quoted(out, picture->title, 110);
    allot__cli_printf(out, " at screen %.6f, screen %.6f left font ',15'\n", across(at, LEFT),
                      down(at, 20));
}

/* Drawn alone, with the picture's title: what is drawn with every panel would be there twice. */
static void put_legend(const allot__picture *picture, const layout *at, allot__text *out)
{
    char width[32];
    bool switches = false;
    for (int i = 0; i < picture->panel_count; i++)
        switches = switches || picture->panels[i]->switch_count > 0;
    allot__axis_duration(picture->panels[0]->bins.width, width, sizeof width);
    put_title(picture, at, out);
    put_margins(at, 0, at->height, out); /* the key gets columns where it has no room */
    allot__cli_printf(out,
                      "set key at screen %.6f, screen %.6f left top Left reverse vertical "
                      "maxcols 1 samplen 2 spacing 1.25 width 0 noenhanced\n",
                      across(at, LEFT + PLOT_WIDTH + 12), down(at, ABOVE + TITLE - 6));
    allot__cli_puts(out, "set yrange [0:1]\nset border 0\nunset xtics\nunset ytics\n"
                         "plot NaN notitle, \\\n"
                         "  keyentry with lines ls 1 title 'slots there are', \\\n"
                         "  keyentry with lines ls 2 title 'slots wanted', \\\n");
    for (int band = picture->band_count - 1; band >= 0; band--) {
        allot__cli_printf(out, "  keyentry with boxes fs solid 1 noborder fc rgb '%s' title ",
                          color_of(picture, band));
        put_name(picture, band, out);
        allot__cli_puts(out, ", \\\n");
    }
    if (switches)
        allot__cli_puts(out, "  keyentry with lines ls 4 title 'windows switch', \\\n");
    allot__cli_printf(
        out, "  keyentry with lines ls 3 title '%s%s'\nunset key\nunset label 2\nset border 3\n",
        at->reclaimed_most > 0 ? "slots reclaimed in " : "nothing is reclaimed",
        at->reclaimed_most > 0 ? width : "");
}

static void put_switches(const allot__picture *picture, const allot__panel *panel, allot__text *out)
{
    for (int32_t i = 0; i < panel->switch_count && i < PICTURE_SWITCHES; i++)
        allot__cli_printf(
            out, "set arrow from %" PRId64 ", graph 0 to %" PRId64 ", graph 1 nohead front ls 4\n",
            panel->switches[i] - picture->first, panel->switches[i] - picture->first);
}

/* Titles are what browsers show of an SVG where the mouse is. */
static void put_bands(const allot__picture *picture, int index, allot__text *out)
{
    const allot__panel *panel = picture->panels[index];
    for (int band = picture->band_count - 1; band >= 0; band--) {
        if (!allot__picture_has(panel, band))
            continue;
        allot__cli_printf(out,
                          "  $band_%d_%d with filledcurves closed fs solid 1 noborder fc rgb '%s' "
                          "title ",
                          index, band, color_of(picture, band));
        put_name(picture, band, out);
        allot__cli_printf(out, ", \\\n  $band_%d_%d with lines ls 5 title ", index, band);
        put_name(picture, band, out);
        allot__cli_puts(out, ", \\\n");
    }
}

static void put_panel(const allot__picture *picture, const layout *at, int index, allot__text *out)
{
    const allot__panel *panel = picture->panels[index];
    char width[32];
    allot__axis_duration(panel->bins.width, width, sizeof width);
    double top = ABOVE + TITLE + index * (TITLE + at->panel + GAP + STRIP);
    put_margins(at, top, top + at->panel, out);
    allot__cli_puts(out, "set label 1 ");
    allot__picture_quoted(out, panel->title, 100);
    allot__cli_printf(out,
                      " at graph 0, graph 1 left offset 0,0.7 font ',13'\nset ylabel 'slots (means "
                      "of %s)' offset 0.5,0\n"
                      "set yrange [0:%.6g]\nset ytics nomirror out scale 0.6 %" PRId64
                      "\nset format y '%%.0f'\n",
                      width, (double)at->most * 1.08, allot__axis_step(at->most));
    put_ticks(picture, false, out);
    put_switches(picture, panel, out);
    int64_t wanted = most_of(panel, PANEL_WANTED);
    if (at->cut && (double)wanted > (double)at->most * 1.08)
        allot__cli_printf(out,
                          "set label 3 'up to %" PRId64 " wanted' at graph 1, graph 1 right "
                          "offset 0,0.6 textcolor rgb '" WANTED "'\n",
                          wanted);
    allot__cli_puts(out, "plot \\\n");
    put_bands(picture, index, out);
    allot__cli_printf(out,
                      "  $wanted_%d with lines ls 2 title 'slots wanted', \\\n"
                      "  $size_%d with lines ls 1 title 'slots there are'\n",
                      index, index);
    allot__cli_puts(out, "unset label 1\nunset label 3\nunset arrow\n");
}

/* Below a panel: what was reclaimed, a tick of its own height for each bin. */
static void put_strip(const allot__picture *picture, const layout *at, int index, allot__text *out)
{
    double top = ABOVE + index * (TITLE + at->panel + GAP + STRIP) + TITLE + at->panel + GAP;
    bool last = index == picture->panel_count - 1;
    int64_t most = at->reclaimed_most > 0 ? at->reclaimed_most : 1;
    put_margins(at, top, top + STRIP, out);
    allot__cli_printf(out,
                      "unset ylabel\nset yrange [0:%" PRId64
                      "]\nset ytics nomirror out scale 0.6 (%" PRId64 ")\n",
                      most, most);
    put_ticks(picture, last, out);
    if (last) {
        char title[96];
        allot__axis_title(picture->first, picture->last, title, sizeof title);
        allot__cli_puts(out, "set xlabel ");
        allot__picture_quoted(out, title, (int)sizeof title);
        allot__cli_puts(out, "\n");
    }
    allot__cli_printf(out, "plot $reclaimed_%d with impulses ls 3 title 'slots reclaimed'\n",
                      index);
}

void allot__picture_script(const allot__picture *picture, allot__text *out)
{
    layout at = arrange(picture);
    put_head(picture, &at, out);
    put_legend(picture, &at, out);
    for (int i = 0; i < picture->panel_count; i++) {
        put_panel(picture, &at, i, out);
        put_strip(picture, &at, i, out);
    }
    allot__cli_puts(out, "unset multiplot\n");
}
