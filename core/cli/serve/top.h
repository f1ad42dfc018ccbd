/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * top.h: a running service's consumers, for terminals.
 *
 * Of a branch nothing is kept but its path, how many children it has and which are open; rows are
 * asked for as they are seen, so a tree may be as large as it likes.
 */
#ifndef ALLOT_CLI_SERVE_TOP_H
#define ALLOT_CLI_SERVE_TOP_H

#include "cli/term/client.h"

#define TOP_ROWS    400 /* at once on a screen */
#define TOP_BRANCH  200 /* asked for at once */
#define TOP_PATH    2048
#define TOP_NUMBERS 11

/* Numbers of a row, in the order of their columns; those behind the first four in order of how
 * early a narrow terminal leaves them out, last first. */
enum {
    TOP_ALLOCATED,
    TOP_QUOTA,
    TOP_DEMAND,
    TOP_OWNED,
    TOP_BORROWED,
    TOP_LENT,
    TOP_FLIGHT,
    TOP_RESERVE,
    TOP_SHARED,
    TOP_OVER,
    TOP_OWN_USED
};

typedef struct allot__top_row {
    bool there; /* it came */
    char path[TOP_PATH];
    int64_t children;
    double number[TOP_NUMBERS]; /* whole but for owned */
} allot__top_row;

/* A branch that is open; the root always is. */
typedef struct allot__top_node {
    char *path;
    int64_t of, at; /* children; its own place in its parent */
    int level;
    struct allot__top_node *parent, *first, *next; /* open children by place */
} allot__top_node;

/* The totals of a view. */
typedef struct allot__top_head {
    int64_t cycle, seq, event, now, plan, consumers;
    int64_t slots, idle, demand, allocated, lent, borrowed;
    char group[128], policy[128];
    char groups[16][128];
    int group_count;
} allot__top_head;

typedef struct allot__top {
    allot__cli *cli;
    allot__client client;
    bool connected;
    allot__top_node root;
    allot__top_head head;
    char group[128]; /* asked for; "": the first */
    char find[128];  /* "": the tree */
    int64_t found;
    allot__top_row rows[TOP_ROWS];
    int64_t top, here;  /* the first row that is seen; the one that is meant */
    int high, wide;     /* of the terminal */
    int seen;           /* rows that it has room for */
    char why[TOP_PATH]; /* the consumer whose explanation is shown; "": none */
    allot__text lines;  /* ... each ended by a newline */
    int why_top;
    char trouble[256]; /* "": none */
    char typed[128];   /* while a word to find is typed */
    bool typing, healthy, color, fancy, plain;
} allot__top;

/* A row's place: its branch, and its number there; NULL: among the rows found. */
typedef struct allot__top_place {
    allot__top_node *node;
    int64_t at;
} allot__top_place;

/* ---- The tree (top_tree.c) ------------------------------------------------------------------- */

int64_t allot__top_count(const allot__top *top);
allot__top_place allot__top_at(allot__top *top, int64_t row);
/* Which row a branch's own is; the root: -1. */
int64_t allot__top_line(const allot__top_node *node);
/* Opens or closes the children of a row; false: nothing changed. */
bool allot__top_fold(allot__top *top, int64_t row, bool open);
bool allot__top_is_open(allot__top *top, int64_t row);
void allot__top_clear(allot__top *top);
/* The row, if it is on the screen and came. */
const allot__top_row *allot__top_row_of(const allot__top *top, int64_t row);

/* ---- Questions (top_ask.c, top_read.c) ------------------------------------------------------- */

/* Asks for what the screen shows. CLI_IO: the connection is lost; CLI_NO: reported. */
int allot__top_refresh(allot__top *top);
/* Asks why; into top->lines. */
int allot__top_explain(allot__top *top);
/* Reads a view: its head, and its rows from `into` on, at most `most`; returns how many there are
 * in its branch, or found. */
int64_t allot__top_read(allot__top *top, const char *text, size_t len, allot__top_row *into,
                        int64_t most);

/* ---- The screen (top_draw.c, top_bar.c) ------------------------------------------------------ */

void allot__top_draw(allot__top *top, allot__text *out);
/* A row's bar of `wide` columns, where all of them are `scale` slots. */
void allot__top_bar(const allot__top *top, const allot__top_row *row, double scale, int wide,
                    allot__text *out);
/* Text of so many columns at most, and blanks up to there. */
void allot__top_fit(allot__text *out, const char *text, int wide);

/* ---- The terminal (top_terminal.c) ----------------------------------------------------------- */

enum {
    TOP_KEY_NONE = 0,
    TOP_KEY_UP = 1000,
    TOP_KEY_DOWN,
    TOP_KEY_LEFT,
    TOP_KEY_RIGHT,
    TOP_KEY_PAGE_UP,
    TOP_KEY_PAGE_DOWN,
    TOP_KEY_HOME,
    TOP_KEY_END,
    TOP_KEY_ESCAPE,
    TOP_KEY_RESIZE,
    TOP_KEY_QUIT
};

/* Takes the terminal, and gives it back: also when the process is ended by a signal. */
bool allot__terminal_take(void);
void allot__terminal_give(void);
/* A byte, one of the above, or nothing in so many ms. */
int allot__terminal_key(int wait);
void allot__terminal_size(int *wide, int *high);
/* Whether its text is UTF-8, as the environment says. */
bool allot__terminal_fancy(void);

#endif
