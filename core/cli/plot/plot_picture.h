/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* plot_picture.h: a picture of simulations, and what gnuplot is told of it. */
#ifndef ALLOT_CLI_PLOT_PLOT_PICTURE_H
#define ALLOT_CLI_PLOT_PLOT_PICTURE_H

#include "cli/term/cli.h"
#include "cli/plot/plot_bins.h"

/* Consumers with a band of their own; those with fewer slot-seconds share one. */
#define PICTURE_BANDS    9
#define PICTURE_PANELS   12
#define PICTURE_TICKS    24
#define PICTURE_SWITCHES 64 /* lines of more are not drawn */

typedef enum allot__picture_kind {
    PICTURE_SVG,
    PICTURE_PNG,
    PICTURE_SCRIPT /* what gnuplot would be told, for an SVG */
} allot__picture_kind;

/* What one simulation came to. Rows of its bins: `consumers` of slots held, then what was wanted in
 * all, the slots there are, and the slots reclaimed. */
typedef struct allot__panel {
    char *title;
    int32_t consumers;
    char **names; /* by consumer; NULL: it never held a slot */
    allot__bins bins;
    int32_t switch_count; /* of windows; PICTURE_SWITCHES + 1: too many to draw */
    int64_t switches[PICTURE_SWITCHES];
    int64_t *bands; /* by band, bottom up, and bin: slot-seconds; made by allot__picture_pick */
} allot__panel;

enum { PANEL_WANTED = 0, PANEL_SIZE, PANEL_RECLAIMED, PANEL_ROWS /* behind the consumers' */ };

typedef struct allot__picture {
    allot__picture_kind kind;
    const char *title;
    allot__panel *panels[PICTURE_PANELS]; /* the first on top */
    int panel_count;
    const char *names[PICTURE_BANDS]; /* of bands, bottom up: most slot-seconds first */
    int band_count;                   /* with one of the others, if there are any */
    int32_t others;                   /* so many */
    int64_t first, last;              /* all panels have these axes */
} allot__picture;

/* Makes the bins of all panels equally wide, and fills the bands: of who has most slot-seconds in
 * each panel, then of who is second in each, ..., ordered by all panels' (by name where equal).
 * Band sums are those of the bins. ENOMEM. */
int allot__picture_pick(allot_engine *engine, allot__picture *picture);
/* Writes what draws it. Names are text, whatever is in them. */
void allot__picture_script(const allot__picture *picture, allot__text *out);

/* A text as gnuplot's string: in single quotes, in which it expands nothing but a doubled quote,
 * and with "?" for control characters and what is no UTF-8. Of one above `most` letters the end,
 * which says most of a path. */
void allot__picture_quoted(allot__text *out, const char *s, int most);
/* Characters of UTF-8. */
int allot__picture_letters(const char *s);
/* Whether a panel has anything in a band. */
bool allot__picture_has(const allot__panel *panel, int band);
/* The series of a panel, as gnuplot's data blocks $band_I_0, ..., $wanted_I, $size_I, $reclaimed_I;
 * of bands those that have anything. */
void allot__picture_data(const allot__picture *picture, int index, allot__text *out);

/* A place of the time axis. */
typedef struct allot__tick {
    int64_t at;
    char label[24];
} allot__tick;
/* Times worth a label, about ten: hours, days, Mondays, months. `first` < 1980: seconds since the
 * log's start rather than Unix seconds. Returns how many. */
int allot__axis_ticks(int64_t first, int64_t last, allot__tick ticks[PICTURE_TICKS]);
/* "time (UTC), 1 Oct 1993 to 31 Dec 1993". */
void allot__axis_title(int64_t first, int64_t last, char *buf, size_t size);
/* "3 h", of widths of bins. */
void allot__axis_duration(int64_t seconds, char *buf, size_t size);
/* The distance of marks from 0 to `most`: 1, 2 or 5 times a power of ten, and at most six. */
int64_t allot__axis_step(int64_t most);

#endif
