/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* write.h: writing items of a state by the tables of their members. */
#ifndef ALLOT_JSON_STATE_WRITE_H
#define ALLOT_JSON_STATE_WRITE_H

#include <allot/json.h>
#include <allot/members.h>
#include <allot/stated.h>

#include "base/path.h"

/* Writes the members of an item, the struct of its table, into the open object. */
void allot__item_write(allot__text *out, const allot_plan *plan, const allot_members *members,
                       const void *item);

#endif
