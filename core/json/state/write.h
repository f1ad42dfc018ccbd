/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * write.h: a state as a document, without what would be as it is if nothing were stated.
 */
#ifndef ALLOT_JSON_STATE_WRITE_H
#define ALLOT_JSON_STATE_WRITE_H

#include <allot/members.h>
#include <allot/stated.h>

#include "json/text/writer.h"

/* A document that is under way: what is written next. */
struct allot_state_writing {
    allot__writer out;
    const allot_state *state;
    const allot_plan *plan;
    int part;     /* of the document, in the order of write.c */
    int list;     /* which of the lists */
    int32_t next; /* item of it; of consumers the last one that was looked at */
    int32_t left; /* items that may be written yet */
    bool open;    /* that list or object is begun */
};

/* Begins what is written next, once; and ends it, if it was begun. */
void allot__writing_open(allot_state_writing *it, const char *key, char bracket);
void allot__writing_close(allot_state_writing *it, char bracket);

/* Writes the members of an item, which is as the struct of its table, into the object that is
 * open. */
void allot__item_write(allot__writer *out, const allot_plan *plan, const allot_members *members,
                       const void *item);

/* Goes on with the lists; false: there is more. */
bool allot__lists_write(allot_state_writing *it);
/* Each writes its keys, or nothing: what queues have used, and contracts. */
void allot__usage_write(allot__writer *out, const allot_state *state);
void allot__leases_write(allot__writer *out, const allot_state *state);

#endif
