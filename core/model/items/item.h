/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* item.h: items moved to another plan. */
#ifndef ALLOT_MODEL_ITEMS_ITEM_H
#define ALLOT_MODEL_ITEMS_ITEM_H

#include <allot/members.h>

/* The highest priority of a session, and of a task. */
enum { ALLOT__PRIORITY_MAX = 10000 };

/* The numbers of one plan in another: each sets *out. ENOENT: the other has no such, which the
 * function says. */
typedef struct allot__item_move {
    int (*consumer)(void *ud, int32_t number, int32_t *out); /* a queue's number is one */
    int (*group)(void *ud, int32_t number, int32_t *out);
    int (*attribute)(void *ud, int32_t number, int32_t *out);
    int (*resource)(void *ud, int32_t number, int32_t *out);
    void *ud;
} allot__item_move;

/* Moves a copy of an item (allot_item_copy), whose lists change in place. ENOENT. */
int allot__item_move_to(const allot_members *members, void *item, const allot__item_move *by);

#endif
