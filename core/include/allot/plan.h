/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* plan.h: who owns what. */
#ifndef ALLOT_PLAN_H
#define ALLOT_PLAN_H

#include <allot/policy.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Plan: who owns what ------------------------------------------------------------------- */

/* What a group of slots is told apart from its consumers' columns. */
#define ALLOT_OPTION_MAP(XX)                                                                       \
    XX(KEEP_SHRUNK_OWNERSHIP, "keep_shrunk_ownership", 0, 1, 0) /* H-11 */                         \
    XX(HOLD_ROUNDING, "hold_rounding", 0, 1, 0)                 /* C-9 */                          \
    XX(DEFAULT_RANK, "default_rank", 0, ALLOT_AMOUNT_MAX, 0)    /* H-1 */                          \
    XX(ANCESTOR_GRACE, "ancestor_grace", 0, 1, 0)               /* E-31 */                         \
    XX(LEEWAY, "leeway", 0, ALLOT_AMOUNT_MAX, 120)              /* E-31: seconds */                \
    XX(DEAD_ZONE, "dead_zone", 0, ALLOT_AMOUNT_MAX, 0)          /* slots over that are let be */   \
    XX(MOST_RECLAIMED, "most_reclaimed", 1, 100, 100)           /* % of its slots, per cycle */    \
    XX(RECLAIM_INTERVAL, "reclaim_interval", 0, ALLOT_AMOUNT_MAX, 0) /* s between reclaims */      \
    XX(CLAIM_DELAY, "claim_delay", 0, ALLOT_AMOUNT_MAX, 0) /* s a claimant waits first */          \
    XX(SEED, "seed", 0, ALLOT_AMOUNT_MAX, 0)               /* of "any one" (A-79) */               \
    XX(PLACEMENT, "placement", 0, 1, 0)                    /* stacked, balanced */                 \
    XX(MAKE_WAY, "make_way", 0, 1, 0)                      /* H-19: who could run elsewhere moves */

typedef enum allot_option {
#define ALLOT_OPTION_ENUM(name, text, min, max, fallback) ALLOT_OPTION_##name,
    ALLOT_OPTION_MAP(ALLOT_OPTION_ENUM)
#undef ALLOT_OPTION_ENUM
        ALLOT_OPTION_COUNT
} allot_option;

/* "keep_shrunk_ownership"; NULL when there is no such option. Static. */
ALLOT_API const char *allot_option_name(int option);

/*
 * A plan is built (add, set, ...), then sealed: checked whole, laid out for cycles, and from then
 * on unchangeable. Before that only the builders may be called, after it only the getters.
 */
ALLOT_API int allot_plan_new(allot_engine *engine, allot_plan **out);
ALLOT_API void allot_plan_free(allot_plan *plan);

/* Adds a resource group; groups number 0, 1, ... A plan without any gets one, "default", when it
 * is sealed. EEXIST, ENAME. To be called before consumers' columns are set. */
ALLOT_API int allot_plan_group(allot_plan *plan, const char *name, int32_t *out);
/* The planned size of a group, 0 ... ALLOT_AMOUNT_MAX. Unset: the sum of first-level `owned`. */
ALLOT_API int allot_plan_slots(allot_plan *plan, int32_t group, int64_t slots);
/* The policy of a group or of ALLOT_ALL; the plan holds it too. Its attributes become columns:
 * *of attribute i* is allot_plan_column(plan, name). EUSAGE: the same attribute is declared
 * otherwise by another policy of the plan. */
ALLOT_API int allot_plan_policy(allot_plan *plan, int32_t group, allot_policy *policy);
/* Makes columns of a policy's attributes ahead of allot_plan_branch, so that consumers' columns can
 * be set before. As allot_plan_policy, but no group uses it. */
ALLOT_API int allot_plan_attributes(allot_plan *plan, allot_policy *policy);
/* The policy of a first-level consumer and of all below it, in every group, instead of the group's
 * (H-15). Of the group's slots, those owned under policies that do not scale are set apart first;
 * the others' consumers share the rest. EUSAGE: not of the first level, and as above. */
ALLOT_API int allot_plan_branch(allot_plan *plan, int32_t consumer, allot_policy *policy);
/* An option of a group or of ALLOT_ALL. ERANGE. */
ALLOT_API int allot_plan_option(allot_plan *plan, int32_t group, allot_option option,
                                int64_t value);

/* Adds a consumer under `parent` (ALLOT_ROOT: first level), after its siblings so far: plan order
 * is the order of adding. Handles number 0, 1, ... in that order. ENAME, EEXIST (found at once or,
 * at the latest, when the plan is sealed), EUSAGE (no such parent). */
ALLOT_API int allot_plan_add(allot_plan *plan, int32_t parent, const char *name, size_t len,
                             int32_t *out);
/* Sets a plan column (OWNED ... GRACE or an attribute's) of a consumer in a group or in ALLOT_ALL
 * of them. `owned` not set: a parent's is the sum of its children's, a leaf's is 0. ERANGE. */
ALLOT_API int allot_plan_set(allot_plan *plan, int32_t group, int32_t consumer, int32_t column,
                             int64_t value);
/* A host and its slots in a group: the sum over open hosts is the group's size where the state
 * gives none. EEXIST, ERANGE. */
ALLOT_API int allot_plan_host(allot_plan *plan, const char *name, int32_t group, int64_t slots);

/* An attribute of a host: what a requirement asks for. Strings are copied. */
typedef struct allot_host_value {
    const char *name;
    const char *text; /* NULL: a number, or a boolean as 0 and 1 */
    int64_t number;
    int boolean; /* what kind of number, for scripts */
    int decimal; /* text is a number that no integer is: "1.5"; scripts read it as a float */
} allot_host_value;
/* EEXIST (also: "name", "slots" and "group", which every host has), ENAME, ENOENT (no such host).
 */
ALLOT_API int allot_plan_host_set(allot_plan *plan, const char *host,
                                  const allot_host_value *value);
/* The requirement on hosts that a consumer names, of its policy; found when the plan is sealed. */
ALLOT_API int allot_plan_require(allot_plan *plan, int32_t consumer, const char *name);

/* Whom a leaf lends to and borrows from (E-2), in a group or in ALLOT_ALL. Listed consumers are
 * leaves, or parents, which mean all leaves below; of borrowing the order is that of asking. Not
 * called: nobody. `n` < 0: everybody, in plan order. Copied; called again: that holds. EUSAGE: no
 * such consumer, or itself. Sealing says what is no leaf. */
ALLOT_API int allot_plan_lend(allot_plan *plan, int32_t group, int32_t consumer,
                              const int32_t *list, int32_t n);
ALLOT_API int allot_plan_borrow(allot_plan *plan, int32_t group, int32_t consumer,
                                const int32_t *list, int32_t n);

/* ---- Windows: when something else holds ------------------------------------------------------ */

/* A time zone from the system's data: `data` is a TZif file (RFC 8536), copied. *out numbers it 0,
 * 1, ... EINVALID: it is no such file; EEXIST. UTC needs none: it is -1. */
ALLOT_API int allot_plan_zone(allot_plan *plan, const char *name, const void *data, size_t len,
                              int32_t *out);
/* The zone of that name, or -1. Also before sealing. */
ALLOT_API int32_t allot_plan_zone_find(const allot_plan *plan, const char *name);

/* Hours of some days in local time, half open; of several the last one wins, column by column. */
typedef struct allot_window {
    int32_t group;    /* or ALLOT_ALL */
    int32_t from, to; /* seconds of the local day, 0 ... 86400; from >= to: until the next day */
    uint32_t days;    /* on which it begins; bit 0 is Monday */
    int32_t zone;     /* allot_plan_zone's number, or -1 */
} allot_window;
#define ALLOT_WINDOWS_MAX 64
/* Adds a window; they number 0, 1, ... ERANGE, EUSAGE (too many). */
ALLOT_API int allot_plan_window(allot_plan *plan, const allot_window *window, int32_t *out);
/* What holds in a window, as without _window_. */
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

/* How many there are, the i-th, and a zone's name ("UTC" of -1; NULL: no such). Also before
 * sealing. */
ALLOT_API int32_t allot_plan_windows(const allot_plan *plan);
ALLOT_API int allot_plan_window_at(const allot_plan *plan, int32_t i, allot_window *out);
/* Of the i-th "window 2 (08:00 to 17:00 mon tue, Europe/Berlin)", cut to `size` bytes; the length
 * it has uncut, as snprintf; 0: no such. */
ALLOT_API size_t allot_plan_window_text(const allot_plan *plan, int32_t i, char *buf, size_t size);
ALLOT_API const char *allot_plan_zone_name(const allot_plan *plan, int32_t zone);
/* Which windows hold at a time: bit i is window i. After sealing. */
ALLOT_API uint64_t allot_plan_windows_at(const allot_plan *plan, int64_t when);
/* The first time after `when` at which other windows hold; ENOENT: never. After sealing. */
ALLOT_API int allot_plan_switch(const allot_plan *plan, int64_t when, int64_t *out);
/*
 * The plan as it is at a time: the same consumers, groups and handles, with what the windows say.
 * It belongs to `plan` and lives as long; without windows it is `plan`. States and decisions find
 * it by themselves: allot_decision_plan is the plan of the decision's time. ENOMEM.
 *
 * There is one for every set of windows that held at a time asked for, and it takes the columns of
 * the groups that they change: as much as those of the plan. Windows of one zone begin and end at
 * 14 times a week each, so w of them have at most 14 w sets, whatever the years (twelve drawn at
 * random: 80, 64: 350); those of several zones as many for each way their offsets stand to each
 * other; and sealing refuses a group whose windows could hold together in more than 4096 ways.
 */
ALLOT_API int allot_plan_at(const allot_plan *plan, int64_t when, const allot_plan **out);

/* Checks and lays out. EINVALID: the report has every fault (children's owned above their
 * parent's, reserve above owned, limit below reserve, ...; C-1), the plan is still unsealed.
 * ESCRIPT, EBUDGET (report): so it is where a policy failed while it was asked which queues preempt
 * which. ENOMEM. */
ALLOT_API int allot_plan_seal(allot_plan *plan, allot_report *report);

/* Getters; consumers are handles. */
/* Hosts in plan order: how many, the i-th's name, group and slots, the number of one by name (-1:
 * none), and an attribute of one (ENOENT). */
ALLOT_API int32_t allot_plan_hosts(const allot_plan *plan);
ALLOT_API const char *allot_plan_host_name(const allot_plan *plan, int32_t host);
ALLOT_API int32_t allot_plan_host_group(const allot_plan *plan, int32_t host);
ALLOT_API int64_t allot_plan_host_slots(const allot_plan *plan, int32_t host);
ALLOT_API int32_t allot_plan_host_find(const allot_plan *plan, const char *name);
ALLOT_API int allot_plan_host_value(const allot_plan *plan, int32_t host, const char *name,
                                    allot_host_value *out);
/* Attributes of tasks, of all its policies: how many, and the i-th's declaration. */
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
/* The policy that a consumer's quota goes by: its branch's or the group's. After sealing. */
ALLOT_API const allot_policy *allot_plan_consumer_policy(const allot_plan *plan, int32_t group,
                                                         int32_t consumer);
/* As stated, or as the group's policy has it (allot_policy_damp), or by default. After sealing. */
ALLOT_API int64_t allot_plan_option_get(const allot_plan *plan, int32_t group, allot_option option);
/* The consumer at "/a/b", or ALLOT_ROOT when there is none. Also before sealing. */
ALLOT_API int32_t allot_plan_find(const allot_plan *plan, const char *path, size_t len);
/* The nearest path to one that was not found, written to buf as a string; 0 when none is near,
 * else its length. */
ALLOT_API size_t allot_plan_nearest(const allot_plan *plan, const char *path, size_t len, char *buf,
                                    size_t size);
/* Writes "/a/b" as a string cut to size; returns the length that it needs. Also before sealing. */
ALLOT_API size_t allot_plan_path(const allot_plan *plan, int32_t consumer, char *buf, size_t size);
ALLOT_API const char *allot_plan_name(const allot_plan *plan, int32_t consumer);
/* ALLOT_ROOT for the first level. */
ALLOT_API int32_t allot_plan_parent(const allot_plan *plan, int32_t consumer);
/* Children in plan order, after sealing: how many, and the i-th. Of ALLOT_ROOT: first level. */
ALLOT_API int32_t allot_plan_children(const allot_plan *plan, int32_t consumer);
ALLOT_API int32_t allot_plan_child(const allot_plan *plan, int32_t consumer, int32_t i);
/* The next consumer in plan order, parents before children; of ALLOT_ROOT the first; ALLOT_ROOT
 * after the last. After sealing. */
ALLOT_API int32_t allot_plan_next(const allot_plan *plan, int32_t consumer);
/* Levels above: 0 for the first level. After sealing. */
ALLOT_API int32_t allot_plan_depth(const allot_plan *plan, int32_t consumer);
/* Columns that can be set: ALLOT_PLAN_COLUMNS built in, then all attributes; the i-th's number,
 * name and bounds; and the number of the column of that name, or -1. */
ALLOT_API int32_t allot_plan_columns(const allot_plan *plan);
ALLOT_API int32_t allot_plan_column_at(const allot_plan *plan, int32_t i, allot_attribute *out);
ALLOT_API int32_t allot_plan_column(const allot_plan *plan, const char *name, size_t len);
/* The value set or defaulted, after sealing; limits may be ALLOT_NONE. */
ALLOT_API int32_t allot_plan_get(const allot_plan *plan, int32_t group, int32_t consumer,
                                 int32_t column);

#ifdef __cplusplus
}
#endif

#endif
