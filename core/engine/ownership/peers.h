/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * peers.h: lenders and the borrowers they lend to, limits apart (E-2).
 *
 * Lenders are met in plan order. A lender that has nothing left is skipped from then on, for every
 * borrower, so that many borrowers cost little more than the loans they get.
 */
#ifndef ALLOT_ENGINE_OWNERSHIP_PEERS_H
#define ALLOT_ENGINE_OWNERSHIP_PEERS_H

#include "engine/ownership/books.h"

/* The list that a holder lends to or borrows from; NULL: none; count < 0: all. */
const allot__peers *allot__peers_of(const allot__ledger *ledger, int32_t holder, bool lend);
/* The row of a listed consumer. */
int32_t allot__peer_row(const allot__ledger *ledger, const allot__peers *peers, int32_t i);

/* By loan of the state: the list that forbids it, as an allot__why, or ALLOT__WHY_KEPT. Lists are
 * read once each, so that long ones with many loans cost little more than that. */
void allot__loans_judge(allot__ledger *ledger, uint8_t *why);

/* Leaves that may lend something, by place. */
typedef struct allot__lenders {
    const allot__ledger *ledger;
    int32_t *open;   /* leaves that lend to all: by place, itself or one behind it */
    int32_t open_at; /* ... the one at hand */
    int32_t *first;  /* by row, one more: its entries, those whose lists name it; NULL: none */
    int32_t *places; /* by entry, rising for each row */
    int32_t *next;   /* by entry: itself, or one behind it */
    int32_t *at;     /* by row: the entry at hand */
} allot__lenders;

/* `lends`: by place whether the holder there has something to lend, one entry longer than the
 * places; the lenders own it from then on. ENOMEM. */
int allot__lenders_init(allot__lenders *lenders, const allot__ledger *ledger, int32_t *lends);
/* Begins with the lenders of a borrower, from a place on. */
void allot__lenders_begin(allot__lenders *lenders, int32_t borrower, int32_t from);
/* The place of the one at hand; the number of places: no more. */
int32_t allot__lenders_place(const allot__lenders *lenders, int32_t borrower);
/* Goes on from there. `spent`: that one has nothing left. */
void allot__lenders_pass(allot__lenders *lenders, int32_t borrower, int32_t place, bool spent);

#endif
