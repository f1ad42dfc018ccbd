/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * peers.h: who lends to whom, limits apart (E-2).
 *
 * Lenders are met in plan order. One that has nothing left is skipped from then on, whoever asks,
 * so that many borrowers cost little more than the loans they get.
 */
#ifndef ALLOT_ENGINE_OWNERSHIP_PEERS_H
#define ALLOT_ENGINE_OWNERSHIP_PEERS_H

#include "engine/ownership/books.h"

/* Whom a holder lends to or borrows from; NULL: nobody; count < 0: everybody. */
const allot__peers *allot__peers_of(const allot__ledger *ledger, int32_t holder, bool lend);
/* The row of a listed consumer. */
int32_t allot__peer_row(const allot__ledger *ledger, const allot__peers *peers, int32_t i);

/* By loan of the state: the list that forbids it, as an allot__why, or ALLOT__WHY_KEPT. Lists are
 * sorted once each, so that long ones with many loans cost little more than reading them. */
void allot__loans_judge(allot__ledger *ledger, uint8_t *why);

/* Those who may lend something, by place. */
typedef struct allot__lenders {
    const allot__ledger *ledger;
    int32_t *open;   /* those who lend to everybody: by place, itself or one behind it */
    int32_t open_at; /* ... the one at hand */
    int32_t *first;  /* by row, one more: its entries, those whose lists name it; NULL: none */
    int32_t *places; /* by entry, rising for each row */
    int32_t *next;   /* by entry: itself, or one behind it */
    int32_t *at;     /* by row: the entry at hand */
} allot__lenders;

/* `lends`: by place whether somebody there has something to lend, with room for one more; it is
 * theirs from then on. ENOMEM. */
int allot__lenders_init(allot__lenders *lenders, const allot__ledger *ledger, int32_t *lends);
/* Begins with those who lend to a borrower, from a place on. */
void allot__lenders_begin(allot__lenders *lenders, int32_t borrower, int32_t from);
/* The place of the one at hand; the number of places: no more. */
int32_t allot__lenders_place(const allot__lenders *lenders, int32_t borrower);
/* Goes on from there. `spent`: that one has nothing left. */
void allot__lenders_pass(allot__lenders *lenders, int32_t borrower, int32_t place, bool spent);

#endif
