/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * hosts.h: a group's hosts in one cycle: what is free there, and for whom.
 *
 * A host on which an exclusive consumer has a slot, or that the state gives to a consumer, is
 * closed to all others; an exclusive consumer only gets hosts on which nobody else runs. That comes
 * before the policy (H-14): free slots of such hosts that their consumer does not want are no part
 * of what the policy divides.
 *
 * Where tasks tell no hosts, slots of an exclusive consumer are assumed to fill hosts one after
 * another, in plan order, where nobody is known to run, as they are placed here: what is left of
 * the last is blocked. Such a consumer gets no more hosts than those it is known to have, since
 * none is known to be empty.
 */
#ifndef ALLOT_ENGINE_HOSTS_HOSTS_H
#define ALLOT_ENGINE_HOSTS_HOSTS_H

#include <allot/decision.h>

#include "engine/rows/work.h"

/* Nobody gets slots there: it is closed, or two are there of whom one is exclusive. */
enum { ALLOT__NOBODY = -2 };

/* Hosts for exclusive consumers: none are chosen; quotas are those that there will be once they are
 * held, or those with all set apart that is too much there. */
typedef enum allot__host_step { ALLOT__CHOOSE, ALLOT__HELD, ALLOT__APART } allot__host_step;

typedef struct allot__group_hosts {
    int32_t count;
    int32_t *site;  /* a site of the state: model/state/tasks.h */
    int32_t *slots; /* of an open host */
    int32_t *free;  /* of these not used, by what tasks tell; as grants are placed, less */
    int32_t *owner; /* whom it is closed to others for: a handle, ALLOT_ROOT, ALLOT__NOBODY */
    /* Slots held of which no task tells the host: any open host that nobody owns may have them. */
    int64_t unknown;
    const int32_t *limit; /* by row, before quotas are held to what hosts have together (joint.h) */
    int64_t blocked;      /* slots that are no part of what is divided */
    int64_t guessed;      /* ... of these on hosts that are not known */
    int64_t ghosts;       /* idle slots of which no host is known */
    /* By row; NULL when there are none such. The exclusive consumer that a row is of (itself or
     * the nearest above), or ALLOT_ROOT; and which of the requirements it has, or -1. */
    int32_t *exclusive_of, *asks;
    /* By host, once quotas are known: the exclusive consumer that it is to be emptied for, or
     * ALLOT_ROOT; and whether its owner can leave it. NULL: none. */
    int32_t *meant;
    uint8_t *left;
    const uint8_t
        *wanted; /* by host: whether some row that lacks slots can use it (reclaim/reach.h) */
    /* Of exclusive consumers: what is free on hosts of their own; by class (match.h), how many more
     * are meant for it at most; hosts that are meant for somebody, in the order of choosing, and
     * the class of each. */
    struct allot__match *alone;
    int32_t *most, *chosen, *chosen_for;
    int32_t chosen_count;
    uint8_t *barred;        /* by host: others were found not to be able to leave it */
    int32_t rounds;         /* ... so often */
    allot__host_step step;  /* what quotas are computed for now */
    int64_t beyond;         /* what quotas leave of hosts that are meant for somebody, */
    int64_t waste;          /* ... and what of these is blocked */
    const int32_t *host_of; /* by site: the host, or -1 */
    const int32_t *lost;    /* by row: slots of a leaf that no task tells the place of */
    bool owned;             /* some host has an owner, or is contested */
    bool given; /* ... by the state's word, so that others than exclusive consumers may own one */
    int32_t requirement_count;
    struct allot__requires *requirements;
    /* By row, where its grant is: places[first] ... places[first + count - 1], and how many slots
     * of it on hosts that are not known (placement/place.h). NULL before that stage. */
    int32_t *place_first, *place_count, *unplaced;
    allot_place *places;
} allot__group_hosts;

/* A requirement of a policy, and by host whether it is met. */
typedef struct allot__requires {
    const allot_policy *policy;
    int32_t number;
    int32_t slots; /* of the open hosts that meet it */
    uint8_t *met;
} allot__requires;

/* Makes work->hosts of a group that has hosts, else NULL. Sets what is blocked apart from
 * work->slots. Before need. ENOMEM, ESCRIPT, EBUDGET. */
int allot__group_hosts_make(allot__work *work);
/* require.c: who asks for what, and which hosts meet it. */
int allot__group_hosts_require(allot__work *work, allot__group_hosts *hosts);
/* exclusive.c: finds exclusive_of; ENOMEM. */
int allot__group_hosts_exclusive(allot__work *work, allot__group_hosts *hosts);
/* Settles owners: `seen` is by host who runs there (an exclusive consumer, ALLOT_ROOT,
 * ALLOT__NOBODY: several who may not; anything less: nobody), `lost` by row the slots that no task
 * tells the place of. Takes those off the free slots, and sets what is blocked apart. ENOMEM. */
int allot__group_hosts_settle(allot__work *work, allot__group_hosts *hosts, const int32_t *seen,
                              const int32_t *lost);

/* What a leaf still wants, whatever its quota. */
int64_t allot__hosts_unmet(const allot__work *work, int32_t row, int32_t limit);

/* empty.c: exclusive consumers whose quota asks for more hosts than theirs are to have others:
 * such as nobody else requires, then empty ones, then those whose most important session is the
 * least, then those with fewest slots in use, then those of which least is too much, in plan order;
 * but none without which its leaves have as much together. One that others cannot leave beside
 * those before it is passed by. What is too much on them is set apart, so *again says that need and
 * quota are to be computed once more, and this is to be asked again: who then wants fewer hosts is
 * not to have more in this cycle. Nor is who wants fewer where what its leaves want beyond quotas
 * is divided, too, as it is once they have it (exclusive.c): it would leave them at once.
 * ENOMEM. */
int allot__group_hosts_choose(allot__work *work, bool *again);

/* The most important session that has a task on a host: who is to leave it, leaves it with all
 * others (5.5, XV-4). -1: nobody has one. */
static inline int32_t allot__host_important(const allot__work *work, int32_t host)
{
    return work->state->tasks.sites[work->hosts->site[host]].important;
}
/* May a leaf get slots of a host? Not how many are free. */
bool allot__host_serves(const allot__work *work, int32_t row, int32_t host);
/* Is the host one for all, as far as they require nothing? */
static inline bool allot__host_common(const allot__group_hosts *hosts, int32_t host)
{
    return hosts->owner[host] == ALLOT_ROOT && (!hosts->meant || hosts->meant[host] == ALLOT_ROOT);
}
/* Does the host meet what the row asks for? */
bool allot__host_meets(const allot__group_hosts *hosts, int32_t row, int32_t host);
/* Would a slot of a host, once others leave it, serve the leaf (E-30)? */
bool allot__host_helps(const allot__work *work, int32_t row, int32_t host);
/* The same of a site of the state; true where no hosts are known. */
bool allot__host_helps_at(const allot__work *work, int32_t row, int32_t site);
/* Slots of a leaf on hosts that serve another one, once they are left. */
int64_t allot__group_hosts_holds_for(const allot__work *work, int32_t row, int32_t other);
/* Can a leaf be given slots wherever they are, as far as its hosts are to itself, and are known? */
static inline bool allot__hosts_easy(const allot__group_hosts *hosts, int32_t row)
{
    return (!hosts->asks || hosts->asks[row] < 0) &&
           (!hosts->exclusive_of || hosts->exclusive_of[row] == ALLOT_ROOT || hosts->unknown == 0);
}
/* Would slots of another leaf serve a leaf, of which no task tells the host? Only if any host does
 * that either may be on: where they are is not known, so it is not said that they serve whoever
 * requires something, or has hosts alone, or is to have what such a one leaves. */
static inline bool allot__hosts_takes_lost(const allot__group_hosts *hosts, int32_t row,
                                           int32_t other)
{
    return allot__hosts_easy(hosts, row) &&
           (!hosts->exclusive_of || hosts->exclusive_of[row] == hosts->exclusive_of[other]);
}
/* Is the row one that hosts are not all alike to? */
static inline bool allot__hosts_picky(const allot__group_hosts *hosts, int32_t row)
{
    return (hosts->exclusive_of != NULL && hosts->exclusive_of[row] != ALLOT_ROOT) ||
           (hosts->asks != NULL && hosts->asks[row] >= 0);
}

#endif
