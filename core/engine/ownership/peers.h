/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * peers.h: which lenders may lend to which borrowers, regardless of limits (E-2).
 *
 * Borrowers see lenders in plan order. A lender that has nothing left is skipped from then on by
 * all borrowers, so many borrowers cost little more than the loans they get.
 */
#ifndef ALLOT_ENGINE_OWNERSHIP_PEERS_H
#define ALLOT_ENGINE_OWNERSHIP_PEERS_H

#include "engine/ownership/books.h"

/* The list that a holder lends to or borrows from; NULL: none; count < 0: all. */
const allot__peers *allot__peers_of(const allot__ledger *ledger, int32_t holder, bool lend);
/* The row of a listed consumer. */
int32_t allot__peer_row(const allot__ledger *ledger, const allot__peers *peers, int32_t i);

/* Writes, by loan of the state, the list that forbids it, as an allot__why, or ALLOT__WHY_KEPT.
 * Reads each list once, however many loans it has. */
void allot__loans_judge(allot__ledger *ledger, uint8_t *why);

/* Leaves that may lend something, by place. */
typedef struct allot__lenders {
    const allot__ledger *ledger;
    int32_t *open;   /* leaves that lend to all: by place, a link to itself or to a later place */
    int32_t open_at; /* ... the present one */
    int32_t *first;  /* by row, rows + 1: its entries, lenders that list it; NULL: no lists */
    int32_t *places; /* by entry: the lender's place, rising for each row */
    int32_t *next;   /* by entry: a link to itself or to a later entry */
    int32_t *at;     /* by row: the present entry */
} allot__lenders;

/* `lends`: the places, rising, of `count` holders that have slots to lend. ENOMEM. */
int allot__lenders_init(allot__lenders *lenders, const allot__ledger *ledger, const int32_t *lends,
                        int32_t count);
/* Begins a walk over the lenders of a borrower, from a place on. */
void allot__lenders_begin(allot__lenders *lenders, int32_t borrower, int32_t from);
/* The place of the present lender; the number of places: no more. */
int32_t allot__lenders_place(const allot__lenders *lenders, int32_t borrower);
/* Goes on to the next lender. `spent`: the present one has nothing left. */
void allot__lenders_pass(allot__lenders *lenders, int32_t borrower, int32_t place, bool spent);

#endif
