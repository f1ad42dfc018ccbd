/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * item.h: the things that a state lists, read by the tables of their members (allot/members.h).
 */
#ifndef ALLOT_JSON_STATE_ITEM_H
#define ALLOT_JSON_STATE_ITEM_H

#include <allot/members.h>

#include "json/state/state.h"
#include "json/text/names.h"

typedef struct allot__item_reader allot__item_reader;

/* Takes a thing that was read, which is borrowed; `sound`: without a fault. */
typedef void (*allot__item_taker)(allot__item_reader *it, void *thing, bool sound);

struct allot__item_reader {
    allot__state_reader *reader;
    const allot_members *members;
    /* The group of a thing whose own is to be found otherwise than by the member `group`, whose
     * value that is; NULL: it is not. -1: a fault, which is said. */
    int32_t (*group_of)(allot__item_reader *it, const allot__value *value);
    allot__field *fields;     /* its members, then the plan's attributes of tasks but for tags */
    allot__value *values;     /* by field */
    allot_task_value *stated; /* the attributes that it states */
    int32_t *attributes;      /* by field behind these: the plan's number */
    size_t own, count;        /* fields */
    uint32_t object;          /* that is being read */
};

/* Makes the keys of an item. False: out of memory. */
bool allot__item_reader_begin(allot__state_reader *reader, allot_item item, allot__item_reader *it);
/* Reads the objects of a list or, each with its key, of an object, and has each taken. */
void allot__item_reader_read(allot__item_reader *it, const allot__value *all,
                             allot__item_taker take_it);
/* What was read of a member of that name, which the item has. */
const allot__value *allot__item_reader_value(const allot__item_reader *it, const char *name);

#endif
