/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* reload.h: edits of a running service, measured: what the files of that share. */
#ifndef ALLOT_BENCH_RELOAD_H
#define ALLOT_BENCH_RELOAD_H

#include "bench/serve.h"

#define RELOAD_LEAVES (SERVE_BRANCHES * SERVE_LEAVES)
#define RELOAD_RATE   2000 /* events a second */
#define RELOAD_BEHIND 200  /* events that are sent at once, at most */
#define RELOAD_PIECE  (1 << 16)

/* What edits of a kind came to, in ms. */
typedef struct reload_edits {
    double *decides; /* of `count` */
    /* The most: that an answer was waited for, that the loop computed meanwhile, and that it did to
     * swap. Others that compute make the first longer. */
    double away, busy, swap;
    int count;
} reload_edits;

typedef struct reload {
    allot__cli *cli;
    serve_child child;
    int64_t wanted, tasks;
    int asker, feeder;
    char answer[RELOAD_PIECE], line[RELOAD_PIECE];
    size_t answered; /* bytes there are behind the last line */
    int64_t fed;
    double since;              /* events flow */
    reload_edits policy, plan; /* by what was edited */
    reload_edits calm;         /* while nothing was */
    double read, cycle;        /* s, by themselves */
    int64_t flights, id;       /* reclaims under way */
} reload;

/* Times reading plan and policy, and a cycle over leaves that all want something. */
int allot__reload_bare(reload *it);
/* Prints the measurements; sorts samples. */
void allot__reload_tell(const reload *it, allot__text *out);

#endif
