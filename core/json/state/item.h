/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * item.h: reading items of a state by the tables of their members (allot/members.h).
 */
#ifndef ALLOT_JSON_STATE_ITEM_H
#define ALLOT_JSON_STATE_ITEM_H

#include <allot/members.h>
#include <allot/json.h>
#include <allot/stated.h>

#include "json/state/state.h"
#include "json/text/names.h"
#include "base/path.h"

typedef struct allot__item_reader allot__item_reader;

/* Takes an item that was read (borrowed); `sound`: without a fault. */
typedef void (*allot__item_taker)(allot__item_reader *it, void *thing, bool sound);

struct allot__item_reader {
    allot__doc *doc;
    const allot_plan *plan;
    allot__state_reader *state; /* NULL: the object is no item of a state */
    allot_json_part own_part;   /* of an item of a state */
    allot_json_part *parts;
    int32_t part_count;
    /* Finds an item's own group from the value of its member `group` and other members; NULL: the
     * member alone decides. -1: a fault (reported), or none. */
    int32_t (*group_of)(allot__item_reader *it, const allot__value *value);
    allot__field *fields; /* members of all parts, then the plan's attributes of tasks, no tags */
    allot__value *values; /* by field */
    struct {
        const allot_member *member;
        int32_t part;
    } * slots;                /* by field */
    allot_task_value *stated; /* the attributes that the object states */
    int32_t *attributes;      /* by field behind the members: the plan's number */
    size_t own, count;        /* fields */
    uint32_t object;          /* the object being read */
};

/* Makes the keys of an item. False: out of memory. */
bool allot__item_reader_begin(allot__state_reader *reader, allot_item item, allot__item_reader *it);
/* Reads each item of a list, or of an object by key, and passes it to the taker. */
void allot__item_reader_read(allot__item_reader *it, const allot__value *all,
                             allot__item_taker take_it);
/* The value of the item's member of that name. */
const allot__value *allot__item_reader_value(const allot__item_reader *it, const char *name);

/* Writes the members of an item, the struct of its table, into the open object. */
void allot__item_write(allot__text *out, const allot_plan *plan, const allot_members *members,
                       const void *item);

#endif
