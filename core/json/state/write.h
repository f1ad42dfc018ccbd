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

/* Writes the members of an item, which is as the struct of its table, into the object that is
 * open. */
void allot__item_write(allot__writer *out, const allot_plan *plan, const allot_members *members,
                       const void *item);

/* Each writes its keys, or nothing: lists, what queues have used, and contracts. */
void allot__lists_write(allot__writer *out, const allot_state *state);
void allot__usage_write(allot__writer *out, const allot_state *state);
void allot__leases_write(allot__writer *out, const allot_state *state);

#endif
