/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* item.h: what members of items may be. */
#ifndef ALLOT_MODEL_ITEMS_ITEM_H
#define ALLOT_MODEL_ITEMS_ITEM_H

#include <allot/members.h>

/* The highest priority of a session, and of a task. */
enum { ALLOT__PRIORITY_MAX = 10000 };

#endif
