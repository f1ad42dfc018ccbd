/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * grant.h: grants that fit on hosts, and loans of slots that no consumer below its quota can use
 * (C-5, H-18, H-19).
 *
 * Idle slots are distributed. A consumer whose part does not fit on hosts that serve it gets what
 * fits, in the order of distribution, and the other slots go to consumers that can use them. Then
 * every consumer has its quota or cannot use more. Slots that are still idle are lent if some
 * consumer wants them: quotas are computed as if consumers that cannot have more wanted no more
 * than they get, and the slots that others gain are granted, again and again until no consumer that
 * could run there wants a slot. So loans go by the policy's rules, and no further than its fills
 * reach.
 *
 * With the option `make_way` a leaf that runs where another one must, and could run elsewhere as
 * well, first gets idle slots there and gives as many back here, whatever its quota (`moved`).
 */
#ifndef ALLOT_ENGINE_PLACEMENT_GRANT_H
#define ALLOT_ENGINE_PLACEMENT_GRANT_H

#include "engine/hosts/match.h"

typedef struct allot__granter {
    allot__work *work;
    const int32_t *leaves; /* rows, in the order of distribution */
    int32_t leaf_count;
    allot__match match;  /* of free slots: how many of which kinds each class has */
    int32_t *got;        /* by row: slots of the grants at hand that hosts have room for */
    uint8_t *open;       /* by class: it could get more */
    const int32_t *base; /* by row: received before the grants at hand, or NULL */
} allot__granter;

/* Distributes if hosts differ: writes received, room, moved. `ghosts` idle slots are on unknown
 * hosts. ENOMEM, or what a policy's function failed with. */
int allot__grant(allot__granter *granter, int64_t ghosts);

#endif
