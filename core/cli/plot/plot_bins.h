/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * plot_bins.h: levels over time, summed into bins.
 *
 * A row is a level that changes now and then, or amounts that fall at instants. Its cells are exact
 * sums: of a level slot-seconds, of amounts slots. All bins are equally wide and begin at multiples
 * of their width; when time goes on beyond the last, neighbours are joined, and no sum changes. So
 * memory does not grow with the log: at most `most` bins a row, and fewer of many rows.
 */
#ifndef ALLOT_CLI_PLOT_PLOT_BINS_H
#define ALLOT_CLI_PLOT_PLOT_BINS_H

#include <stdbool.h>
#include <stdint.h>

#include <allot/report.h>

/* At most so many bins a row; fewer where that were so many cells in all, but LEAST in any case. */
#define PLOT_BINS_MOST  2000
#define PLOT_BINS_USUAL 400 /* of about two pixels each */
#define PLOT_BINS_LEAST 200
#define PLOT_CELLS_MOST 4000000

typedef struct allot__bins {
    allot_engine *engine;
    int32_t rows, most;  /* bins at most, as asked for or as many rows allow */
    int32_t used;        /* bins that there are */
    int64_t width;       /* s of a bin */
    int64_t origin;      /* when the first begins, a multiple of the width */
    int64_t first, last; /* the first instant told of, and the last */
    bool begun, failed;  /* failed: out of memory; what follows is dropped */
    int64_t **cells;     /* by row; NULL: all are 0 */
    int64_t *level, *since;
} allot__bins;

/* Makes rows of level 0. Free it in any case. ENOMEM. */
int allot__bins_make(allot_engine *engine, int32_t rows, int32_t most, allot__bins *bins);
void allot__bins_free(allot__bins *bins);

/* A row has that level from `at` on. Times never go back. */
void allot__bins_level(allot__bins *bins, int32_t row, int64_t at, int64_t level);
/* An amount falls at `at`. */
void allot__bins_add(allot__bins *bins, int32_t row, int64_t at, int64_t amount);
/* Levels hold until `at`, and then it is over. */
void allot__bins_end(allot__bins *bins, int64_t at);

/* The width behind one: 1 s, 5 s, ..., 1 min, ..., 1 h, ..., 1 d, ...: each divides the next. */
int64_t allot__bins_wider(int64_t width);
/* Joins bins until they are as wide, of the widths above. */
void allot__bins_widen(allot__bins *bins, int64_t width);

/* How much of a bin lies between the first and the last instant, in s. */
int64_t allot__bins_seconds(const allot__bins *bins, int32_t bin);
/* A row's sum in a bin; in all. */
int64_t allot__bins_at(const allot__bins *bins, int32_t row, int32_t bin);
int64_t allot__bins_sum(const allot__bins *bins, int32_t row);

/* a + b and a * b of what is not negative; INT64_MAX where it is more. */
int64_t allot__bins_plus(int64_t a, int64_t b);
int64_t allot__bins_times(int64_t a, int64_t b);

#endif
