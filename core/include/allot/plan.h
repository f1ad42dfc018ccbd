/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* plan.h: who owns what. */
#ifndef ALLOT_PLAN_H
#define ALLOT_PLAN_H

#include <allot/policy.h>

ALLOT_C_BEGIN

/* ---- Plan: who owns what ------------------------------------------------------------------- */

/* Options of a resource group: name, least and largest value, default. */
#define ALLOT_OPTION_MAP(XX)                                                                       \
    XX(KEEP_SHRUNK_OWNERSHIP, "keep_shrunk_ownership", 0, 1, 0) /* H-11 */                         \
    XX(HOLD_ROUNDING, "hold_rounding", 0, 1, 0)                 /* C-9 */                          \
    XX(DEFAULT_RANK, "default_rank", 0, ALLOT_AMOUNT_MAX, 0)    /* H-1 */                          \
    XX(ANCESTOR_GRACE, "ancestor_grace", 0, 1, 0)               /* E-31 */                         \
    XX(LEEWAY, "leeway", 0, ALLOT_AMOUNT_MAX, 120)              /* E-31: seconds */                \
    XX(DEAD_ZONE, "dead_zone", 0, ALLOT_AMOUNT_MAX, 0)          /* slots over that are kept */     \
    XX(MOST_RECLAIMED, "most_reclaimed", 1, 100, 100)           /* % of its slots, per cycle */    \
    XX(RECLAIM_INTERVAL, "reclaim_interval", 0, ALLOT_AMOUNT_MAX, 0) /* s between reclaims */      \
    XX(CLAIM_DELAY, "claim_delay", 0, ALLOT_AMOUNT_MAX, 0) /* s a claimant waits first */          \
    XX(SEED, "seed", 0, ALLOT_AMOUNT_MAX, 0)               /* of "any one" (A-79) */               \
    XX(PLACEMENT, "placement", 0, 1, 0)                    /* stacked, balanced */                 \
    XX(MAKE_WAY, "make_way", 0, 1, 0)                      /* H-19: consumers change hosts */      \
    XX(PENDING, "pending", 0, 1, 0)                        /* C-13: strict, skip */

typedef enum allot_option {
#define ALLOT_OPTION_ENUM(name, text, min, max, fallback) ALLOT_OPTION_##name,
    ALLOT_OPTION_MAP(ALLOT_OPTION_ENUM)
#undef ALLOT_OPTION_ENUM
        ALLOT_OPTION_COUNT
} allot_option;

/* "keep_shrunk_ownership"; NULL: no such option. Static. */
ALLOT_API const char *allot_option_name(int option);

/*
 * A plan is built (add, set, ...), then sealed: sealing checks the whole plan, lays it out for
 * cycles and makes it unchangeable. Before sealing only builders may be called, after it only
 * getters.
 */
ALLOT_API int allot_plan_new(allot_engine *engine, allot_plan **out);
ALLOT_API void allot_plan_free(allot_plan *plan);

/* Adds a resource group; groups number 0, 1, ... Sealing a plan without groups adds one, "default".
 * Call this before setting consumers' columns. EEXIST, ENAME. */
ALLOT_API int allot_plan_group(allot_plan *plan, const char *name, int32_t *out);
/* The planned size of a group, 0 ... ALLOT_AMOUNT_MAX. Unset: the sum of first-level `owned`. */
ALLOT_API int allot_plan_slots(allot_plan *plan, int32_t group, int64_t slots);
/* Sets the policy of a group or of ALLOT_ALL; the plan keeps the policy, too. The policy's
 * attributes become columns of the plan: allot_plan_column(plan, name). EUSAGE: another policy of
 * the plan declares the same attribute differently. */
ALLOT_API int allot_plan_policy(allot_plan *plan, int32_t group, allot_policy *policy);
/* Makes a policy's attributes columns of the plan before allot_plan_branch, so that consumers'
 * columns can be set. As allot_plan_policy, but no group uses the policy. */
ALLOT_API int allot_plan_attributes(allot_plan *plan, allot_policy *policy);
/* Sets the policy of a first-level consumer and of all consumers below it, in every group, instead
 * of the group's (H-15). Slots owned under policies that do not scale are set apart first;
 * consumers under other policies share the rest of the group. EUSAGE: not of the first level, and
 * as above.
 */
ALLOT_API int allot_plan_branch(allot_plan *plan, int32_t consumer, allot_policy *policy);
/* An option of a group or of ALLOT_ALL. ERANGE. */
ALLOT_API int allot_plan_option(allot_plan *plan, int32_t group, allot_option option,
                                int64_t value);

/* Adds a consumer under `parent` (ALLOT_ROOT: first level), after its siblings so far: plan order
 * is the order of adding. Handles number 0, 1, ... in that order. A name is one like
 * [A-Za-z][A-Za-z0-9_-]{0,127}, or "*" (see below). ENAME, EEXIST (found at once or,
 * at the latest, when the plan is sealed), EUSAGE (no such parent). */
ALLOT_API int allot_plan_add(allot_plan *plan, int32_t parent, const char *name, size_t len,
                             int32_t *out);
/*
 * A consumer named "*" is a *wildcard*: a leaf that stands for every child of its parent that is
 * not added by name, for any number of them. A *newcomer* is such a child: a state, an event or a
 * log names its path, and the plan is made anew with it, behind all other consumers. A newcomer
 * has the values that the wildcard states when the plan is sealed, in groups and windows, and its
 * requirement. A wildcard itself demands nothing. It states nothing that only a known number of
 * children can share: `owned`, `reserve`, `lend`, `borrow`; sealing refuses that, children of a
 * wildcard and a policy of its own. Plans with queues have no wildcards.
 */
#define ALLOT_WILDCARD "*"
/* Adds the newcomer at a path. ENOENT: no wildcard stands for the path, or a consumer has it. */
ALLOT_API int allot_plan_newcomer(allot_plan *plan, const char *path, size_t len, int32_t *out);
/* Sets a plan column (OWNED ... GRACE or an attribute's) of a consumer in a group or in ALLOT_ALL
 * of them. `owned` not set: a parent's is the sum of its children's, a leaf's is 0. ERANGE. */
ALLOT_API int allot_plan_set(allot_plan *plan, int32_t group, int32_t consumer, int32_t column,
                             int64_t value);
/* A host and its slots in a group. The sum over open hosts is the group's size if the state gives
 * none. EEXIST, ERANGE. */
ALLOT_API int allot_plan_host(allot_plan *plan, const char *name, int32_t group, int64_t slots);

/* An attribute of a host, which requirements read. Strings are copied. */
typedef struct allot_host_value {
    const char *name;
    const char *text; /* NULL: a number, or a boolean as 0 and 1 */
    int64_t number;
    int boolean; /* nonzero: `number` is a boolean, for scripts */
    int decimal; /* nonzero: `text` is a number with a fraction, "1.5"; scripts read a float */
} allot_host_value;
/* EEXIST (also: "name", "slots" and "group", which every host has), ENAME, ENOENT (no such host).
 */
ALLOT_API int allot_plan_host_set(allot_plan *plan, const char *host,
                                  const allot_host_value *value);
/* The requirement of a consumer on hosts, by the name that the consumer's policy gives it; sealing
 * finds unknown names. */
ALLOT_API int allot_plan_require(allot_plan *plan, int32_t consumer, const char *name);

/* The consumers that a leaf lends to and borrows from (E-2), in a group or in ALLOT_ALL. A listed
 * consumer is a leaf, or a parent, which stands for all leaves below. The list of lenders is in the
 * order in which the leaf asks them. Default: no consumers. `n` < 0: all, in plan order. The list
 * is copied; a later call replaces it. EUSAGE: no such consumer, or the leaf itself. Sealing finds
 * lists of consumers that are not leaves. */
ALLOT_API int allot_plan_lend(allot_plan *plan, int32_t group, int32_t consumer,
                              const int32_t *list, int32_t n);
ALLOT_API int allot_plan_borrow(allot_plan *plan, int32_t group, int32_t consumer,
                                const int32_t *list, int32_t n);

/* ---- Windows: when something else holds ------------------------------------------------------ */

/* Adds a time zone from the system's data: `data` is a TZif file (RFC 8536), copied. Zones number
 * 0, 1, ...; UTC is -1 and need not be added. EINVALID: `data` is not a TZif file; EEXIST. */
ALLOT_API int allot_plan_zone(allot_plan *plan, const char *name, const void *data, size_t len,
                              int32_t *out);
/* The zone of that name, or -1. Also before sealing. */
ALLOT_API int32_t allot_plan_zone_find(const allot_plan *plan, const char *name);

/* Hours of some days in local time, half open. Where windows overlap, the last one wins, column by
 * column. */
typedef struct allot_window {
    int32_t group;    /* or ALLOT_ALL */
    int32_t from, to; /* seconds of the local day, 0 ... 86400; from >= to: until the next day */
    uint32_t days;    /* days on which the window begins; bit 0 is Monday */
    int32_t zone;     /* allot_plan_zone's number, or -1 */
} allot_window;
#define ALLOT_WINDOWS_MAX 64
/* Adds a window; they number 0, 1, ... ERANGE, EUSAGE (too many). */
ALLOT_API int allot_plan_window(allot_plan *plan, const allot_window *window, int32_t *out);
/* Values that hold in a window; as the functions without _window_. */
ALLOT_API int allot_plan_window_slots(allot_plan *plan, int32_t window, int64_t slots);
ALLOT_API int allot_plan_window_policy(allot_plan *plan, int32_t window, allot_policy *policy);
ALLOT_API int allot_plan_window_option(allot_plan *plan, int32_t window, allot_option option,
                                       int64_t value);
ALLOT_API int allot_plan_window_set(allot_plan *plan, int32_t window, int32_t consumer,
                                    int32_t column, int64_t value);
ALLOT_API int allot_plan_window_lend(allot_plan *plan, int32_t window, int32_t consumer,
                                     const int32_t *list, int32_t n);
ALLOT_API int allot_plan_window_borrow(allot_plan *plan, int32_t window, int32_t consumer,
                                       const int32_t *list, int32_t n);

/* The number of windows, the i-th, and a zone's name ("UTC" of -1; NULL: no such). Also before
 * sealing. */
ALLOT_API int32_t allot_plan_windows(const allot_plan *plan);
/* 1: decisions depend on the times when leaves began to wait and last gave slots back (state.h),
 * since a group or a window may set `reclaim_interval` or `claim_delay`. 0 with queues. */
ALLOT_API int32_t allot_plan_damps(const allot_plan *plan);
ALLOT_API int allot_plan_window_at(const allot_plan *plan, int32_t i, allot_window *out);
/* Writes the i-th as "window 2 (08:00 to 17:00 mon tue, Europe/Berlin)", a string cut to size;
 * returns the length that it needs; 0: no such. */
ALLOT_API size_t allot_plan_window_text(const allot_plan *plan, int32_t i, char *buf, size_t size);
ALLOT_API const char *allot_plan_zone_name(const allot_plan *plan, int32_t zone);
/* The windows that hold at a time: bit i is window i. After sealing. */
ALLOT_API uint64_t allot_plan_windows_at(const allot_plan *plan, int64_t when);
/* The first time after `when` at which other windows hold; ENOENT: never. After sealing. */
ALLOT_API int allot_plan_switch(const allot_plan *plan, int64_t when, int64_t *out);
/*
 * The variant of the plan at a time: the same consumers, groups and handles, with the values of the
 * windows that hold. It belongs to `plan` and lives as long as `plan`; without windows the variant
 * is `plan` itself. States and decisions find their variant themselves: allot_decision_plan is the
 * variant at the decision's time. ENOMEM.
 *
 * The plan has a variant for every set of windows that held at a time asked for. A variant takes
 * memory for the columns of the groups that its windows change, as much as those columns take in
 * the plan. A window begins and ends at most 14 times a week, so w windows of one zone have at most
 * 14 w sets in all years (twelve random windows: 80 sets, 64 windows: 350). Windows of several
 * zones have as many for each difference of the zones' offsets. Sealing refuses a group whose
 * windows could hold together in more than 4096 ways.
 */
ALLOT_API int allot_plan_at(const allot_plan *plan, int64_t when, const allot_plan **out);

/* Checks the plan and lays it out. After a failure the plan is still unsealed. EINVALID: the report
 * has every fault (children's owned above their parent's, reserve above owned, limit below reserve,
 * ...; C-1). ESCRIPT, EBUDGET (report): a policy failed when it was called to say which queues
 * preempt which. ENOMEM. */
ALLOT_API int allot_plan_seal(allot_plan *plan, allot_report *report);

/* Getters; consumers are handles. */
/* Hosts in plan order: their number, a host's name, group and slots, the host of a name (-1: none),
 * and an attribute of a host (ENOENT). */
ALLOT_API int32_t allot_plan_hosts(const allot_plan *plan);
ALLOT_API const char *allot_plan_host_name(const allot_plan *plan, int32_t host);
ALLOT_API int32_t allot_plan_host_group(const allot_plan *plan, int32_t host);
ALLOT_API int64_t allot_plan_host_slots(const allot_plan *plan, int32_t host);
ALLOT_API int32_t allot_plan_host_find(const allot_plan *plan, const char *name);
ALLOT_API int allot_plan_host_value(const allot_plan *plan, int32_t host, const char *name,
                                    allot_host_value *out);
/* Attributes of tasks, of all the plan's policies: their number, and the i-th's declaration. */
ALLOT_API int32_t allot_plan_task_attributes(const allot_plan *plan);
ALLOT_API int allot_plan_task_attribute_at(const allot_plan *plan, int32_t i, allot_attribute *out);

/* The engine that the plan was made from. Also before sealing. */
ALLOT_API allot_engine *allot_plan_engine(const allot_plan *plan);
ALLOT_API int32_t allot_plan_consumers(const allot_plan *plan);
ALLOT_API int32_t allot_plan_groups(const allot_plan *plan);
ALLOT_API const char *allot_plan_group_name(const allot_plan *plan, int32_t group);
/* The group of that name, or -1. */
ALLOT_API int32_t allot_plan_group_find(const allot_plan *plan, const char *name, size_t len);
ALLOT_API int64_t allot_plan_group_slots(const allot_plan *plan, int32_t group);
ALLOT_API const allot_policy *allot_plan_group_policy(const allot_plan *plan, int32_t group);
/* The policy that governs a consumer: its branch's or the group's. After sealing. */
ALLOT_API const allot_policy *allot_plan_consumer_policy(const allot_plan *plan, int32_t group,
                                                         int32_t consumer);
/* An option's value: as stated, else from the group's policy (allot_policy_damp), else the default.
 * After sealing. */
ALLOT_API int64_t allot_plan_option_get(const allot_plan *plan, int32_t group, allot_option option);
/* The consumer at "/a/b", or ALLOT_ROOT: no such consumer. Also before sealing. */
ALLOT_API int32_t allot_plan_find(const allot_plan *plan, const char *path, size_t len);
/* The wildcard that stands for a path that no consumer has, or ALLOT_ROOT. Also before sealing. */
ALLOT_API int32_t allot_plan_wildcard(const allot_plan *plan, const char *path, size_t len);
/* The wildcard that a newcomer has its values from; ALLOT_ROOT: the consumer is none. */
ALLOT_API int32_t allot_plan_wildcard_of(const allot_plan *plan, int32_t consumer);
/* Writes the known path nearest to an unknown one to buf as a string, and returns its length; 0:
 * none is near. */
ALLOT_API size_t allot_plan_nearest(const allot_plan *plan, const char *path, size_t len, char *buf,
                                    size_t size);
/* Writes "/a/b" as a string cut to size; returns the length that it needs. Also before sealing. */
ALLOT_API size_t allot_plan_path(const allot_plan *plan, int32_t consumer, char *buf, size_t size);
ALLOT_API const char *allot_plan_name(const allot_plan *plan, int32_t consumer);
/* ALLOT_ROOT for the first level. */
ALLOT_API int32_t allot_plan_parent(const allot_plan *plan, int32_t consumer);
/* Children in plan order, after sealing: their number, and the i-th. Of ALLOT_ROOT: first level. */
ALLOT_API int32_t allot_plan_children(const allot_plan *plan, int32_t consumer);
ALLOT_API int32_t allot_plan_child(const allot_plan *plan, int32_t consumer, int32_t i);
/* The next consumer in plan order, parents before children; of ALLOT_ROOT the first; ALLOT_ROOT
 * after the last. After sealing. */
ALLOT_API int32_t allot_plan_next(const allot_plan *plan, int32_t consumer);
/* Levels above: 0 for the first level. After sealing. */
ALLOT_API int32_t allot_plan_depth(const allot_plan *plan, int32_t consumer);
/* Columns that can be set, ALLOT_PLAN_COLUMNS built in, then all attributes: how many; the i-th's
 * number, name and bounds; and the number of the column of that name, or -1. */
ALLOT_API int32_t allot_plan_columns(const allot_plan *plan);
ALLOT_API int32_t allot_plan_column_at(const allot_plan *plan, int32_t i, allot_attribute *out);
ALLOT_API int32_t allot_plan_column(const allot_plan *plan, const char *name, size_t len);
/* The value set or defaulted, after sealing; limits may be ALLOT_NONE. */
ALLOT_API int32_t allot_plan_get(const allot_plan *plan, int32_t group, int32_t consumer,
                                 int32_t column);

ALLOT_C_END

#endif
