/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * hosts.h: a group's hosts in one cycle: what is free there, and for whom.
 *
 * A host on which an exclusive consumer has a slot, or that the state gives to a consumer, is
 * closed to all others; an exclusive consumer only gets hosts on which no other consumer runs. This
 * comes before the policy (H-14), which does not divide free slots of such hosts unless their
 * consumer wants them.
 *
 * If tasks have no hosts, slots of an exclusive consumer are assumed to fill hosts on which no task
 * is known to run, one after another, in plan order; the rest of the last host is blocked. Such a
 * consumer gets no further hosts, since no host is known to be empty.
 */
#ifndef ALLOT_ENGINE_HOSTS_HOSTS_H
#define ALLOT_ENGINE_HOSTS_HOSTS_H

#include <allot/decision.h>

#include "engine/rows/work.h"

/* The owner of a host on which no consumer gets slots: it is closed, or an exclusive consumer
 * shares it with another. */
enum { ALLOT__NOBODY = -2 };

/* Steps of choosing hosts for exclusive consumers: CHOOSE: no host is chosen; HELD: quotas are as
 * if the chosen hosts were held; APART: slots too many on chosen hosts are set apart. */
typedef enum allot__host_step {
    ALLOT__HOSTS_CHOOSE,
    ALLOT__HOSTS_HELD,
    ALLOT__HOSTS_APART
} allot__host_step;

typedef struct allot__group_hosts {
    int32_t count;
    int32_t *site;  /* a site of the state: model/state/tasks.h */
    int32_t *slots; /* of an open host */
    int32_t *free;  /* slots of these that no task uses; placing grants lowers them */
    int32_t *owner; /* the consumer it is open to: a handle, ALLOT_ROOT (all), ALLOT__NOBODY */
    /* Slots held whose host no task states: any open host without an owner may have them. */
    int64_t unknown;
    const int32_t *limit; /* by row, before quotas are held to what hosts have together (match.h) */
    int64_t blocked;      /* slots that are not divided */
    int64_t guessed;      /* ... of these, on unknown hosts */
    int64_t ghosts;       /* idle slots on unknown hosts */
    /* By row; NULL if no row has one. The exclusive consumer that the row belongs to (itself or the
     * nearest above), or ALLOT_ROOT; and the number of the row's requirement, or -1. */
    int32_t *exclusive_of, *asks;
    /* By host, once quotas are known; NULL: none. meant: the exclusive consumer for which the host
     * is to be emptied, or ALLOT_ROOT; left: whether its owner can leave it. */
    int32_t *meant;
    uint8_t *left;
    const uint8_t
        *wanted; /* by host: whether some row that lacks slots can use it (reclaim/reach.h) */
    /* For exclusive consumers: slots free on their own hosts; by class (match.h), the most further
     * hosts that it may get; the hosts meant for any, in the order of choosing; and the class of
     * each. */
    struct allot__match *alone;
    int32_t *most, *chosen, *chosen_for;
    int32_t chosen_count;
    uint8_t *barred;        /* by host: others turned out to be unable to leave it */
    int32_t rounds;         /* number of rounds that barred hosts */
    allot__host_step step;  /* the step for which quotas are computed now */
    int64_t beyond;         /* slots of hosts meant for a consumer beyond its quotas, */
    int64_t waste;          /* ... and of these, those that are blocked */
    const int32_t *host_of; /* by site: the host, or -1 */
    const int32_t *lost;    /* by row: slots of a leaf whose host no task states */
    bool owned;             /* some host has an owner, or is contested */
    bool given; /* ... by the state: other than exclusive consumers may own hosts, too */
    int32_t requirement_count;
    struct allot__requires *requirements;
    /* By row, the hosts of its grant: places[first] ... places[first + count - 1], and the number
     * of granted slots on unknown hosts (placement/place.h). NULL before that stage. */
    int32_t *place_first, *place_count, *unplaced;
    allot_place *places;
    void *placer; /* of placement/place.c, which finds these */
} allot__group_hosts;

/* A requirement of a policy, and by host whether the host meets it. */
typedef struct allot__requires {
    const allot_policy *policy;
    int32_t number;
    int32_t slots; /* of the open hosts that meet it */
    uint8_t *met;
} allot__requires;

/* Makes work->hosts for a group with hosts, else NULL; takes blocked slots off work->slots. To be
 * called before need. ENOMEM, ESCRIPT, EBUDGET. */
int allot__group_hosts_make(allot__work *work);
/* Slots that a leaf still wants, whatever its quota. */
int64_t allot__hosts_unmet(const allot__work *work, int32_t row, int32_t limit);

/* empty.c: chooses further hosts for exclusive consumers whose quota needs more hosts than they
 * have, in the order of shelf.c; but no host without which the consumer's leaves could have as much
 * together, and no host that others cannot leave in addition to those chosen before.
 *
 * Slots too many on chosen hosts are set apart: *again then says that need and quota must be
 * computed once more, and this function called again. A consumer that wants fewer hosts by then
 * gets no more in this cycle. Neither does a consumer that wants fewer hosts if slots beyond quotas
 * are divided, too, as they are once it has the hosts (hosts.c): it would leave them at once.
 * ENOMEM.
 */
int allot__group_hosts_choose(allot__work *work, bool *again);

/* The most important session with a task on a host: all tasks leave a host together (5.5, XV-4).
 * -1: no task has a session. */
static inline int32_t allot__host_important(const allot__work *work, int32_t host)
{
    return work->state->tasks.sites[work->hosts->site[host]].important;
}
/* May a leaf get slots of a host, whether or not any is free? */
bool allot__host_serves(const allot__work *work, int32_t row, int32_t host);
/* Open hosts by their door: the row + 1 of the consumer that owns the host or is to get it, or 0:
 * common hosts. Rising. */
typedef struct allot__doors {
    int32_t *first, *hosts; /* door d: hosts[first[d]] ... hosts[first[d + 1] - 1] */
} allot__doors;
/* ENOMEM. */
int allot__doors_make(allot__work *work, allot__doors *doors);
/* Lists the hosts behind the doors of a leaf and of all above it, up to its exclusive consumer;
 * without common hosts. Rising; returns the number. */
int32_t allot__doors_list(const allot__work *work, const allot__doors *doors, int32_t row,
                          int32_t *hosts);
/* Is the host open to all leaves that require nothing? */
static inline bool allot__host_common(const allot__group_hosts *hosts, int32_t host)
{
    return hosts->owner[host] == ALLOT_ROOT && (!hosts->meant || hosts->meant[host] == ALLOT_ROOT);
}
/* Does the host meet what the row asks for? */
bool allot__host_meets(const allot__group_hosts *hosts, int32_t row, int32_t host);
/* Would a slot of a host serve the leaf once others have left it (E-30)? */
bool allot__host_helps(const allot__work *work, int32_t row, int32_t host);
/* Slots of a leaf on hosts that would serve another leaf. */
int64_t allot__group_hosts_holds_for(const allot__work *work, int32_t row, int32_t other);
/* Can a leaf have any slot of its hosts: it requires nothing, and either is not exclusive or all
 * held slots are on known hosts? */
static inline bool allot__hosts_easy(const allot__group_hosts *hosts, int32_t row)
{
    return (!hosts->asks || hosts->asks[row] < 0) &&
           (!hosts->exclusive_of || hosts->exclusive_of[row] == ALLOT_ROOT || hosts->unknown == 0);
}
/* Would slots of `other` whose host no task states serve a leaf? Only if all hosts that they may be
 * on do: not if the leaf requires something, or just one of the two is of an exclusive consumer. */
static inline bool allot__hosts_takes_lost(const allot__group_hosts *hosts, int32_t row,
                                           int32_t other)
{
    return allot__hosts_easy(hosts, row) &&
           (!hosts->exclusive_of || hosts->exclusive_of[row] == hosts->exclusive_of[other]);
}
/* Do hosts differ for the row: is it exclusive, or does it require something? */
static inline bool allot__hosts_picky(const allot__group_hosts *hosts, int32_t row)
{
    return (hosts->exclusive_of != NULL && hosts->exclusive_of[row] != ALLOT_ROOT) ||
           (hosts->asks != NULL && hosts->asks[row] >= 0);
}

#endif
