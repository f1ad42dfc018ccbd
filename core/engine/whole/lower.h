/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * lower.h: the steps of rules 4 and 5.
 */
#ifndef ALLOT_ENGINE_WHOLE_LOWER_H
#define ALLOT_ENGINE_WHOLE_LOWER_H

#include "engine/whole/whole.h"

/* What an asker uses of its quotas as they are: all->uses. Statuses of allot__whole_use. */
int allot__whole_use_now(allot__whole_all *all, const allot__asker *asker);
/* Rule 4 as it is said: quotas are computed anew for each leaf that is lowered. Likewise. */
int allot__whole_lower_all(allot__whole_all *all);
/* rest.c: rule 5. Likewise. */
int allot__whole_rest(allot__whole_all *all);
/* rest.c: quotas as the decision keeps them, with what was left. Likewise. */
int allot__whole_settle(allot__whole_all *all, int32_t group);

#endif
