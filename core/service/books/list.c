/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * list.c: the books written in parts while they change.
 *
 * The rows of leaves are copied at the beginning; they are few. Named things are walked in order. A
 * thing that changes or leaves before the walk reaches it is written at once, into pieces that wait
 * in its place: with itself or, if it leaves, with the thing after it. Things added meanwhile stand
 * last, and are not written.
 *
 * This file owns: struct allot__books_listing.
 */
#include "service/books/own.h"

#include "base/memory.h"

typedef struct allot__books_listing allot__books_listing;

typedef struct piece {
    struct piece *next;
    size_t len;
    char bytes[];
} piece;

/* Pieces to be written before a thing, or after the last one. */
typedef struct allot__early {
    allot__map_item *of;
    struct allot__early *before, *after; /* the list of all */
    piece *first, *last;
} allot__early;

typedef struct walk {
    allot__walker walker;
    struct allot__books_listing *listing;
    allot_item kind;
    allot__map *map;
    allot__map_item *next; /* NULL: done */
    allot__early end;
} walk;

/* A leaf in a group with something to write. */
typedef struct row {
    int32_t group, leaf;
    allot_stated_leaf told;
    const allot__origin *source;
} row;

/* The steps in order; walks are numbered as in allot__books_order. */
enum { ROWS = ALLOT__KINDS, LOANS, CONTRACTS, USE, STEPS };
static const int steps[] = {ROWS, 0, 1, 2, 3, LOANS, CONTRACTS, 4, USE};

struct allot__books_listing {
    allot__books *books;
    walk walks[ALLOT__KINDS];
    allot__early *earlies;
    allot__vector rows; /* of row: copies of leaves' rows */
    allot_loan *loans;
    size_t loan_count;
    allot__text head, contracts, use; /* few lines, made at the beginning */
    size_t step, at;                  /* the step; the position in rows and loans */
    bool failed;                      /* no memory for a piece */
};

/* ---- Pieces ---------------------------------------------------------------------------------- */

static void drop_pieces(allot__books_listing *it, allot__early *early, allot__text *out)
{
    allot_engine *engine = it->books->engine;
    while (early->first) {
        piece *first = early->first;
        early->first = first->next;
        if (out)
            allot__text_add(out, first->bytes, first->len);
        allot__free(engine, first, 1, sizeof *first + first->len);
    }
    early->last = NULL;
}

/* Frees the pieces of a thing. */
static void end_early(allot__books_listing *it, allot__early *early)
{
    early->of->early = NULL;
    *(early->before ? &early->before->after : &it->earlies) = early->after;
    if (early->after)
        early->after->before = early->before;
    allot__free(it->books->engine, early, 1, sizeof *early);
}

static allot__early *early_of(allot__books_listing *it, allot__map_item *item)
{
    if (item->early)
        return item->early;
    allot__early *early = allot__new(it->books->engine, 1, sizeof *early);
    if (!early)
        return NULL;
    early->of = item;
    early->after = it->earlies;
    if (it->earlies)
        it->earlies->before = early;
    it->earlies = item->early = early;
    return early;
}

static void append(allot__early *to, piece *first, piece *last)
{
    *(to->last ? &to->last->next : &to->first) = first;
    to->last = last;
}

/* Moves the pieces of `from` before those of `to`. */
static void prepend(allot__early *to, allot__early *from)
{
    if (!from->first)
        return;
    from->last->next = to->first;
    to->first = from->first;
    if (!to->last)
        to->last = from->last;
    from->first = from->last = NULL;
}

/* ---- While it changes ------------------------------------------------------------------------ */

static void changes(allot__walker *walker, allot__map_item *item)
{
    walk *of = (walk *)(void *)walker;
    allot__books_listing *it = of->listing;
    allot_engine *engine = it->books->engine;
    if (item->walk == of->map->walk)
        return;
    allot__text text = {.engine = engine};
    allot__write_thing(it->books, of->kind, item, &text);
    allot__early *early = text.failed ? NULL : early_of(it, item);
    piece *made = early ? allot__new(engine, 1, sizeof *made + text.len) : NULL;
    if (made) {
        made->len = text.len;
        memcpy(made->bytes, text.bytes, text.len);
        append(early, made, made);
    }
    it->failed = it->failed || !made;
    item->walk = of->map->walk;
    allot__text_free(&text);
}

static void leaves(allot__walker *walker, allot__map_item *item)
{
    walk *of = (walk *)(void *)walker;
    allot__books_listing *it = of->listing;
    changes(walker, item);
    if (of->next == item)
        of->next = item->after;
    allot__early *early = item->early;
    if (!early)
        return;
    allot__early *to = item->after ? item->after->early : &of->end;
    if (to) {
        prepend(to, early);
        end_early(it, early);
    } else { /* they are moved whole */
        item->early = NULL;
        early->of = item->after;
        item->after->early = early;
    }
}

/* ---- Beginning and end ----------------------------------------------------------------------- */

static void *copy(allot_engine *engine, const void *from, size_t count, size_t size, bool *failed)
{
    if (!from || count == 0)
        return NULL;
    void *to = allot__new(engine, count, size);
    *failed = *failed || !to;
    return to ? memcpy(to, from, count * size) : NULL;
}

static void copy_rows(allot__books_listing *it, bool *failed)
{
    const allot__books *books = it->books;
    for (int32_t g = 0; g < (int32_t)books->group_count; g++)
        for (int32_t i = 0; i < (int32_t)books->consumers && !*failed; i++) {
            const row made = {g, i, allot__leaf(books, g, i),
                              allot__leaf_beside(books, g, i)->source};
            if (allot__row_is_bare(&made.told, made.source))
                continue;
            row *added = allot__push(books->engine, &it->rows, sizeof *added);
            *failed = !added;
            if (added)
                *added = made;
        }
}

static void write_few(allot__books_listing *it, bool *failed)
{
    const allot__books *books = it->books;
    it->head.engine = it->contracts.engine = it->use.engine = books->engine;
    allot__write_clock(allot__books_last(books), &it->head);
    allot__write_origins(books, &it->head);
    for (int32_t g = 0; g < (int32_t)books->group_count; g++)
        allot__write_size(books, g, &it->head);
    allot__write_contracts(books, &it->contracts);
    allot__write_use(books, &it->use);
    allot__write_declines(books, &it->use);
    *failed = *failed || it->head.failed || it->contracts.failed || it->use.failed;
}

static void begin_walks(allot__books_listing *it)
{
    for (int i = 0; i < ALLOT__KINDS; i++) {
        allot__map *map = allot__books_map(it->books, allot__books_order[i]);
        it->walks[i] = (walk){.walker = {changes, leaves},
                              .listing = it,
                              .kind = allot__books_order[i],
                              .map = map,
                              .next = map->first};
        map->walker = &it->walks[i].walker;
        map->walk++;
    }
}

int allot__books_list_begin(allot__books *books)
{
    bool failed = false;
    allot__books_list_end(books);
    allot__books_listing *it = allot__new(books->engine, 1, sizeof *it);
    if (!it)
        return ALLOT_ENOMEM;
    it->books = books;
    copy_rows(it, &failed);
    it->loan_count = (size_t)allot_state_loans(books->state);
    it->loans = copy(books->engine, allot_state_loan_at(books->state, 0), it->loan_count,
                     sizeof *it->loans, &failed);
    write_few(it, &failed);
    begin_walks(it);
    books->listing = it;
    if (failed)
        allot__books_list_end(books);
    return failed ? ALLOT_ENOMEM : ALLOT_OK;
}

void allot__books_list_end(allot__books *books)
{
    allot__books_listing *it = books->listing;
    if (!it)
        return;
    books->listing = NULL;
    for (int i = 0; i < ALLOT__KINDS; i++) {
        it->walks[i].map->walker = NULL;
        drop_pieces(it, &it->walks[i].end, NULL);
    }
    while (it->earlies) {
        drop_pieces(it, it->earlies, NULL);
        end_early(it, it->earlies);
    }
    allot__vector_free(books->engine, &it->rows);
    allot__free(books->engine, it->loans, it->loan_count, sizeof *it->loans);
    allot__text_free(&it->head);
    allot__text_free(&it->contracts);
    allot__text_free(&it->use);
    allot__free(books->engine, it, 1, sizeof *it);
}

/* ---- Lines ----------------------------------------------------------------------------------- */

/* Each of these returns whether it is done. */
static bool list_rows(allot__books_listing *it, allot__text *out, size_t until)
{
    const row *rows = it->rows.items;
    allot__text_add(out, it->head.bytes, it->head.len);
    allot__text_free(&it->head);
    for (; it->at < it->rows.count && out->len < until; it->at++) {
        const row *of = &rows[it->at];
        allot__write_row(it->books, of->group, of->leaf, &of->told, of->source, out);
    }
    return it->at == it->rows.count;
}

static bool list_loans(allot__books_listing *it, allot__text *out, size_t until)
{
    for (; it->at < it->loan_count && out->len < until; it->at++)
        allot__write_loan(it->books, &it->loans[it->at], out);
    return it->at == it->loan_count;
}

static bool list_walk(allot__books_listing *it, walk *of, allot__text *out, size_t until)
{
    while (of->next && out->len < until) {
        allot__map_item *item = of->next;
        if (item->early) {
            drop_pieces(it, item->early, out);
            end_early(it, item->early);
        }
        if (item->walk != of->map->walk)
            allot__write_thing(it->books, of->kind, item, out);
        item->walk = of->map->walk;
        of->next = item->after;
    }
    if (of->next)
        return false;
    drop_pieces(it, &of->end, out);
    return true;
}

static bool list_step(allot__books_listing *it, allot__text *out, size_t until)
{
    int step = steps[it->step];
    if (step < ALLOT__KINDS)
        return list_walk(it, &it->walks[step], out, until);
    if (step == ROWS)
        return list_rows(it, out, until);
    if (step == LOANS)
        return list_loans(it, out, until);
    const allot__text *few = step == CONTRACTS ? &it->contracts : &it->use;
    allot__text_add(out, few->bytes, few->len);
    return true;
}

int allot__books_list(allot__books *books, allot__text *out, size_t most, bool *over)
{
    allot__books_listing *it = books->listing;
    size_t until = out->len + most;
    if (!it)
        return ALLOT_EUSAGE;
    while (it->step < sizeof steps / sizeof *steps && out->len < until &&
           list_step(it, out, until)) {
        it->step++;
        it->at = 0;
    }
    bool failed = it->failed || out->failed;
    *over = it->step == sizeof steps / sizeof *steps;
    if (failed || *over)
        allot__books_list_end(books);
    return failed ? ALLOT_ENOMEM : ALLOT_OK;
}
