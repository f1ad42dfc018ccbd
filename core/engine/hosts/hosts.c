/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* hosts.c: the group's hosts, which consumers they serve, and the slots that tasks use on them. */
#include "engine/hosts/hosts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/hosts/match.h"

static bool here(const allot__work *work, const allot__site *site)
{
    return site->group == work->index && site->slots >= 0;
}

static int take_columns(allot__work *work, allot__group_hosts *hosts)
{
    return ALLOT__TAKE_ALL(work->arena, ALLOT__EACH((size_t)hosts->count, hosts->site, hosts->slots,
                                                    hosts->free, hosts->owner));
}

/* The hosts, and by site which one it is, or -1. */
static int fill_hosts(allot__work *work, allot__group_hosts *hosts, int32_t **host_of)
{
    const allot__tasks *tasks = &work->state->tasks;
    *host_of = allot__arena_take(work->arena, (size_t)tasks->site_count, sizeof **host_of);
    int status = *host_of ? take_columns(work, hosts) : ALLOT_ENOMEM;
    for (int32_t i = 0, host = 0; i < tasks->site_count && status == ALLOT_OK; i++) {
        const allot__site *site = &tasks->sites[i];
        (*host_of)[i] = here(work, site) ? host : -1;
        if (!here(work, site))
            continue;
        hosts->site[host] = i;
        hosts->slots[host] = site->closed != ALLOT_OPEN ? 0 : site->slots;
        hosts->owner[host] = site->closed != ALLOT_OPEN ? ALLOT__NOBODY : site->exclusive_to;
        hosts->given = hosts->given || site->exclusive_to != ALLOT_ROOT;
        hosts->owned = hosts->given;
        hosts->free[host] = hosts->slots[host];
        host++;
    }
    return status;
}

static int32_t exclusive_of(const allot__group_hosts *hosts, int32_t row)
{
    return hosts->exclusive_of ? hosts->exclusive_of[row] : ALLOT_ROOT;
}

bool allot__host_meets(const allot__group_hosts *hosts, int32_t row, int32_t host)
{
    return !hosts->asks || hosts->asks[row] < 0 || hosts->requirements[hosts->asks[row]].met[host];
}

/* Is the owner of a host the leaf or above it, but not above the leaf's exclusive consumer? */
static bool owns(const allot__work *work, int32_t row, int32_t host)
{
    int32_t owner = work->hosts->owner[host], exclusive = exclusive_of(work->hosts, row);
    int32_t above = allot__handle(work, row);
    while (above != owner && above != exclusive && above != ALLOT_ROOT)
        above = allot_plan_parent(work->plan, above);
    return above == owner;
}

bool allot__host_serves(const allot__work *work, int32_t row, int32_t host)
{
    const allot__group_hosts *hosts = work->hosts;
    int32_t exclusive = exclusive_of(hosts, row);
    if (hosts->owner[host] == ALLOT__NOBODY || !allot__host_meets(hosts, row, host))
        return false;
    if (hosts->owner[host] != ALLOT_ROOT)
        return owns(work, row, host);
    int32_t meant = hosts->meant ? hosts->meant[host] : ALLOT_ROOT;
    return meant == exclusive &&
           (exclusive == ALLOT_ROOT || hosts->free[host] == hosts->slots[host]);
}

bool allot__host_helps(const allot__work *work, int32_t row, int32_t host)
{
    const allot__group_hosts *hosts = work->hosts;
    int32_t exclusive = exclusive_of(hosts, row), owner = hosts->owner[host];
    if (owner == ALLOT__NOBODY || !allot__host_meets(hosts, row, host))
        return false;
    if (owner != ALLOT_ROOT)
        return owns(work, row, host) || (hosts->left != NULL && hosts->left[host] != 0);
    int32_t meant = hosts->meant ? hosts->meant[host] : ALLOT_ROOT;
    return meant == exclusive;
}

/* The same of a site of the state; true where no hosts are known. */
static bool helps_at(const allot__work *work, int32_t row, int32_t site)
{
    if (!work->hosts)
        return true;
    int32_t host = site >= 0 ? work->hosts->host_of[site] : -1;
    return host >= 0 && allot__host_helps(work, row, host);
}

static int32_t door_of(const allot__work *work, int32_t host)
{
    const allot__group_hosts *hosts = work->hosts;
    int32_t meant = hosts->meant ? hosts->meant[host] : ALLOT_ROOT;
    int32_t of = hosts->owner[host] != ALLOT_ROOT ? hosts->owner[host] : meant;
    return of == ALLOT__NOBODY ? -1
           : of == ALLOT_ROOT  ? 0
                               : allot__row(work->plan, work->index, of) + 1;
}

int allot__doors_make(allot__work *work, allot__doors *doors)
{
    int32_t count = work->hosts->count, most = work->tree->rows + 1;
    if (ALLOT__ZEROED_ALL(work->arena, ALLOT__WANTED(doors->first, (size_t)most + 1),
                          ALLOT__WANTED(doors->hosts, (size_t)count)) != ALLOT_OK)
        return ALLOT_ENOMEM;
    for (int32_t host = 0; host < count; host++)
        if (door_of(work, host) >= 0)
            doors->first[door_of(work, host)]++;
    for (int32_t door = 0; door < most; door++)
        doors->first[door + 1] += doors->first[door]; /* where the door's hosts end */
    for (int32_t host = count - 1; host >= 0; host--)
        if (door_of(work, host) >= 0)
            doors->hosts[--doors->first[door_of(work, host)]] = host;
    return ALLOT_OK;
}

static int rising(const void *a, const void *b)
{
    const int32_t *left = a, *right = b;
    return (*left > *right) - (*left < *right);
}

int32_t allot__doors_list(const allot__work *work, const allot__doors *doors, int32_t row,
                          int32_t *hosts)
{
    int32_t exclusive = exclusive_of(work->hosts, row), count = 0, lists = 0;
    for (int32_t at = row; at >= 0; at = allot__above(work, at)) {
        int32_t first = doors->first[at + 1], found = doors->first[at + 2] - first;
        for (int32_t i = 0; i < found; i++)
            hosts[count++] = doors->hosts[first + i];
        lists += found > 0;
        if (allot__handle(work, at) == exclusive)
            break;
    }
    if (lists > 1)
        qsort(hosts, (size_t)count, sizeof *hosts, rising);
    return count;
}

int64_t allot__group_hosts_holds_for(const allot__work *work, int32_t row, int32_t other)
{
    const allot__units *units = &work->state->tasks.units[work->index];
    int32_t leaf = allot__handle(work, row);
    int64_t slots = 0;
    for (int32_t i = allot__units_first(units, leaf); i < allot__units_end(units, leaf); i++)
        if (units->site[i] >= 0 && helps_at(work, other, units->site[i]))
            slots += units->slots[i];
    return slots;
}

/* ---- Requirements ---------------------------------------------------------------------------- */

enum { BATCH = 512 };

/* The number of the policy's requirement among those asked so far, added where it is new. */
static int32_t number_of(allot__group_hosts *hosts, const allot_policy *policy, const char *name)
{
    int32_t number = allot__requirement_find(policy, name);
    int32_t i = 0;
    while (i < hosts->requirement_count &&
           (hosts->requirements[i].policy != policy || hosts->requirements[i].number != number))
        i++;
    if (i == hosts->requirement_count && number >= 0) {
        hosts->requirements[hosts->requirement_count++] =
            (allot__requires){.policy = policy, .number = number};
    }
    return number >= 0 ? i : -1;
}

/* Finds each row's requirement: its consumer's, else its parent's. */
static int find_asks(allot__work *work, allot__group_hosts *hosts)
{
    size_t rows = (size_t)work->tree->rows, stated = work->plan->requires.count;
    const allot__require *list = work->plan->requires.items;
    hosts->asks = allot__arena_take(work->arena, rows, sizeof *hosts->asks);
    hosts->requirements = allot__arena_take(work->arena, stated, sizeof *hosts->requirements);
    if (!hosts->asks || !hosts->requirements)
        return ALLOT_ENOMEM;
    for (size_t row = 0; row < rows; row++)
        hosts->asks[row] = -1;
    for (size_t i = 0; i < stated; i++) {
        int32_t row = allot__row(work->plan, work->index, list[i].consumer);
        hosts->asks[row] = number_of(hosts, allot__rules_at(work, row)->policy, list[i].name);
    }
    for (int32_t family = 1; family < work->tree->families; family++) {
        int32_t above = hosts->asks[work->group->parent[family]];
        int32_t first = allot__family_first(work, family);
        for (int32_t row = first; row < first + allot__family_size(work, family); row++)
            hosts->asks[row] = hosts->asks[row] >= 0 ? hosts->asks[row] : above;
    }
    return ALLOT_OK;
}

/* Evaluates a requirement for `count` of the plan's hosts. */
static int ask(const allot__work *work, const allot__requires *requires, const int32_t *sites,
               int32_t count, int64_t *out)
{
    const allot_policy *policy = requires->policy;
    const allot__requirement *it =
        (const allot__requirement *)policy->requirements.items + requires->number;
    allot_batch batch = {.count = count,
                         .plan = work->plan,
                         .group = work->index,
                         .rows = ALLOT_HOSTS,
                         .items = sites,
                         .state = work->state};
    return policy->provider.compute(policy->provider.ud, it->function, &batch, out, work->report);
}

/* The plan's hosts come first; others have no attributes, and meet nothing. */
static int meet(allot__work *work, allot__group_hosts *hosts, allot__requires *requires)
{
    int64_t answers[BATCH];
    int32_t planned = 0;
    requires->met = allot__arena_take(work->arena, (size_t)hosts->count, 1);
    if (!requires->met)
        return ALLOT_ENOMEM;
    while (planned < hosts->count && hosts->site[planned] < allot_plan_hosts(work->plan))
        planned++;
    for (int32_t host = planned; host < hosts->count; host++) {
        requires->met[host] = 0;
    }
    for (int32_t first = 0; first < planned; first += BATCH) {
        int32_t count = planned - first < BATCH ? planned - first : BATCH;
        int status = ask(work, requires, hosts->site + first, count, answers);
        for (int32_t i = 0; i < count && status == ALLOT_OK; i++) {
            requires->met[first + i] = answers[i] != 0;
        }
        if (status != ALLOT_OK)
            return status;
    }
    return ALLOT_OK;
}

/* Reports consumers that want slots but whose requirement no open host meets. */
static void say_unmet(const allot__work *work, const allot__group_hosts *hosts)
{
    for (int32_t row = 0; row < work->tree->rows; row++) {
        bool asks = hosts->asks[row] >= 0 && allot__family_of(work, row) == 0;
        const allot__requires *requires = asks ? &hosts->requirements[hosts->asks[row]] : NULL;
        if (!asks || requires->slots > 0 || work->demand[row] == 0)
            continue;
        const allot__requirement *it =
            (const allot__requirement *) requires->policy->requirements.items + requires->number;
        char path[512];
        allot_plan_path(work->plan, allot__handle(work, row), path, sizeof path);
        allot_report_say(work->report, ALLOT_WARNING, "W-requires",
                         "%.400s requires \"%.100s\": no open host meets that, so it gets nothing",
                         path, it->name);
    }
}

/* Limits leaves to the slots of hosts that meet their requirements. */
static int cut_limits(allot__work *work, const allot__group_hosts *hosts)
{
    int32_t *limits = allot__arena_take(work->arena, (size_t)work->tree->rows, sizeof *limits);
    if (!limits)
        return ALLOT_ENOMEM;
    for (int32_t i = 0; i < hosts->requirement_count; i++) {
        int64_t slots = 0;
        for (int32_t host = 0; host < hosts->count; host++)
            slots += hosts->requirements[i].met[host] != 0 ? hosts->slots[host] : 0;
        hosts->requirements[i].slots = slots < ALLOT_AMOUNT_MAX ? (int32_t)slots : ALLOT_AMOUNT_MAX;
    }
    for (int32_t row = 0; row < work->tree->rows; row++) {
        bool asks = hosts->asks[row] >= 0 && allot__family_of(work, row) == 0;
        int32_t most = asks ? hosts->requirements[hosts->asks[row]].slots : ALLOT_NONE;
        limits[row] = work->limit[row] < most ? work->limit[row] : most;
    }
    work->limit = limits;
    say_unmet(work, hosts);
    return ALLOT_OK;
}

/* Finds the requirement of each row, and the hosts that meet it. */
static int require_hosts(allot__work *work, allot__group_hosts *hosts)
{
    if (work->plan->requires.count == 0)
        return ALLOT_OK;
    int status = find_asks(work, hosts);
    for (int32_t i = 0; i < hosts->requirement_count && status == ALLOT_OK; i++)
        status = meet(work, hosts, &hosts->requirements[i]);
    return status == ALLOT_OK ? cut_limits(work, hosts) : status;
}

/* ---- Exclusive consumers (H-14) -------------------------------------------------------------- */

/* Finds exclusive_of. */
static int exclusive_hosts(allot__work *work, allot__group_hosts *hosts)
{
    const int32_t *exclusive = work->group->columns[ALLOT_EXCLUSIVE];
    int32_t rows = work->tree->rows;
    int32_t some = 0;
    for (int32_t row = 0; row < rows; row++)
        some |= exclusive[row];
    if (some == 0)
        return ALLOT_OK;
    hosts->exclusive_of = allot__arena_take(work->arena, (size_t)rows, sizeof *hosts->exclusive_of);
    if (!hosts->exclusive_of)
        return ALLOT_ENOMEM;
    for (int32_t family = 0; family < work->tree->families; family++) {
        int32_t parent = work->group->parent[family];
        int32_t above = family > 0 ? hosts->exclusive_of[parent] : ALLOT_ROOT;
        int32_t first = allot__family_first(work, family);
        for (int32_t row = first; row < first + allot__family_size(work, family); row++)
            hosts->exclusive_of[row] = exclusive[row] != 0 ? allot__handle(work, row) : above;
    }
    return ALLOT_OK;
}

/* Sums up values of leaves for each parent. */
static void add_up(const allot__work *work, int64_t *values)
{
    for (int32_t family = work->tree->families - 1; family > 0; family--) {
        int32_t first = allot__family_first(work, family);
        int64_t sum = 0;
        for (int32_t row = first; row < first + allot__family_size(work, family); row++)
            sum += values[row];
        values[work->group->parent[family]] = sum;
    }
}

int64_t allot__hosts_unmet(const allot__work *work, int32_t row, int32_t limit)
{
    int32_t want = work->demand[row] < limit ? work->demand[row] : limit;
    int32_t kept = work->reserved[row];
    int64_t more = (int64_t)(want > kept ? want : kept) - work->allocated[row];
    return more > 0 ? more : 0;
}

static int32_t least(int32_t a, int64_t b)
{
    return b < a ? (int32_t)b : a;
}

static void name_owners(allot__group_hosts *hosts, const int32_t *seen)
{
    for (int32_t host = 0; host < hosts->count; host++) {
        bool contested = seen[host] == ALLOT__NOBODY;
        if (contested || (hosts->owner[host] == ALLOT_ROOT && seen[host] >= 0)) {
            hosts->owner[host] = seen[host];
            hosts->owned = true;
        }
    }
}

/* Puts slots whose host no task states on the hosts that their consumer owns. */
static void find_lost(const allot__work *work, allot__group_hosts *hosts, int64_t *lost)
{
    for (int32_t host = 0; host < hosts->count; host++) {
        if (hosts->owner[host] >= 0) {
            int64_t *left = &lost[allot__row(work->plan, work->index, hosts->owner[host])];
            int32_t found = least(hosts->free[host], *left);
            found = least(found, hosts->unknown);
            hosts->free[host] -= found;
            hosts->unknown -= found;
            *left -= found;
        }
    }
}

/* Slots of exclusive consumers that are neither on a host that tasks state nor on an own host are
 * assumed on the first hosts, in plan order, on which no task is known to run. These hosts are
 * closed, too, and other consumers do not get the rest of them. */
static void guess(const allot__work *work, allot__group_hosts *hosts, const int32_t *seen,
                  const int32_t *lost, int64_t *left)
{
    memset(left, 0, (size_t)work->tree->rows * sizeof *left);
    for (int32_t row = 0; row < work->tree->rows; row++)
        if (hosts->exclusive_of[row] != ALLOT_ROOT && allot__family_of(work, row) == 0)
            left[allot__row(work->plan, work->index, hosts->exclusive_of[row])] += lost[row];
    for (int32_t host = 0; host < hosts->count; host++)
        if (hosts->owner[host] >= 0)
            left[allot__row(work->plan, work->index, hosts->owner[host])] -= hosts->free[host];
    for (int32_t row = 0, host = 0; row < work->tree->rows; row++) {
        for (; left[row] > 0 && host < hosts->count; host++) {
            bool open = hosts->owner[host] == ALLOT_ROOT && seen[host] < ALLOT__NOBODY;
            int64_t slots = open ? hosts->slots[host] : 0;
            hosts->guessed += slots > left[row] ? slots - left[row] : 0;
            left[row] -= slots;
        }
    }
}

/* Gives leaves the slots that they still want, on own hosts first; returns the number of slots left
 * on owned hosts. */
static int64_t unwanted(const allot__work *work, allot__match *match)
{
    const allot__group_hosts *hosts = work->hosts;
    int64_t slots = 0;
    for (int32_t row = 0; row < work->tree->rows; row++) {
        if (match->class_of[row] >= 0) {
            allot__match_push(match, match->class_of[row],
                              allot__hosts_unmet(work, row, work->limit[row]));
        }
    }
    for (int32_t host = 0; host < hosts->count; host++) {
        int32_t kind = match->kind_of[host];
        if (kind >= 0 && hosts->owner[host] != ALLOT_ROOT) {
            slots += match->left[kind];
            match->left[kind] = 0; /* counted for all hosts of the kind */
        } else if (kind < 0) {
            slots += hosts->free[host]; /* contested */
        }
    }
    return slots;
}

/* Blocks free slots that the owner of their host does not want. */
static int block(allot__work *work, allot__group_hosts *hosts)
{
    allot__match match;
    int status = allot__match_make(work, ALLOT__FREE_SLOTS, 0, &match);
    if (status != ALLOT_OK)
        return status;
    int64_t idle = work->slots;
    for (int32_t row = 0; row < work->tree->rows; row++)
        idle -= allot__family_of(work, row) == 0 ? work->allocated[row] : 0;
    idle = idle > 0 ? idle : 0;
    hosts->blocked += hosts->guessed + unwanted(work, &match);
    hosts->blocked = hosts->blocked < idle ? hosts->blocked : idle;
    allot__work_resize(work, work->slots - hosts->blocked);
    return ALLOT_OK;
}

static void say(const allot__work *work, const allot__group_hosts *hosts, const int32_t *seen)
{
    for (int32_t host = 0; host < hosts->count; host++) {
        if (seen[host] == ALLOT__NOBODY && hosts->slots[host] > 0) {
            allot_report_say(
                work->report, ALLOT_WARNING, "W-exclusive",
                "host %.200s: an exclusive consumer and others run there: no consumer gets "
                "its %d free slots",
                work->state->tasks.sites[hosts->site[host]].name, (int)hosts->free[host]);
        }
    }
    if (hosts->exclusive_of && hosts->unknown > 0) {
        allot_report_say(work->report, ALLOT_WARNING, "W-hosts",
                         "no task tells the host of %" PRId64 " slots held: exclusive consumers "
                         "get no other hosts than theirs, since none is known to be empty",
                         hosts->unknown);
    }
}

/* Settles owners. `seen`, by host: the consumer that runs there (an exclusive consumer, or
 * ALLOT_ROOT; ALLOT__NOBODY: several that may not share it; anything less: none). `lost`, by row:
 * the slots whose host no task states. Takes these off the free slots, and sets blocked slots
 * apart. */
static int settle_hosts(allot__work *work, allot__group_hosts *hosts, const int32_t *seen,
                        const int32_t *lost)
{
    name_owners(hosts, seen);
    bool some = hosts->owned || (hosts->exclusive_of != NULL && hosts->unknown > 0);
    if (!some) {
        say(work, hosts, seen);
        return ALLOT_OK;
    }
    size_t rows = (size_t)work->tree->rows;
    int64_t *sums = allot__arena_take(work->arena, rows, sizeof *sums);
    if (!sums)
        return ALLOT_ENOMEM;
    if (hosts->exclusive_of && hosts->unknown > 0)
        guess(work, hosts, seen, lost, sums);
    for (size_t row = 0; row < rows; row++)
        sums[row] = lost[row];
    add_up(work, sums);
    find_lost(work, hosts, sums);
    say(work, hosts, seen);
    return block(work, hosts);
}

/* ---- What tasks use -------------------------------------------------------------------------- */

/* Which consumers run on which hosts, collected task by task. */
typedef struct survey {
    const int32_t *host_of; /* by site */
    int32_t *seen;          /* by host, as allot__group_hosts_settle wants it */
    int32_t *lost;          /* by row, likewise */
} survey;

enum { UNSEEN = ALLOT__NOBODY - 1 };

static void see(const allot__work *work, survey *survey, int32_t row, int32_t host)
{
    const allot__group_hosts *hosts = work->hosts;
    int32_t exclusive = hosts->exclusive_of ? hosts->exclusive_of[row] : ALLOT_ROOT;
    int32_t *seen = &survey->seen[host];
    bool stranger = hosts->owner[host] >= 0 && !owns(work, row, host);
    if (stranger || (*seen != UNSEEN && *seen != exclusive))
        *seen = ALLOT__NOBODY;
    else
        *seen = exclusive;
}

/* Takes what a leaf's tasks use off the free slots. */
static void count_leaf(const allot__work *work, survey *survey, int32_t row)
{
    const allot__units *units = &work->state->tasks.units[work->index];
    allot__group_hosts *hosts = work->hosts;
    int32_t left = work->allocated[row], leaf = allot__handle(work, row);
    for (int32_t i = allot__units_first(units, leaf); i < allot__units_end(units, leaf); i++) {
        int32_t host = units->site[i] >= 0 ? survey->host_of[units->site[i]] : -1;
        left -= units->site[i] >= 0 ? units->slots[i] : 0;
        if (host >= 0) {
            int32_t used = units->slots[i];
            hosts->free[host] -= used < hosts->free[host] ? used : hosts->free[host];
            see(work, survey, row, host);
        }
    }
    survey->lost[row] = left > 0 ? left : 0;
    hosts->unknown += survey->lost[row];
}

/* Slots on unknown hosts may be on any host, so none of its slots is surely free. */
static void doubt(allot__group_hosts *hosts)
{
    for (int32_t host = 0; hosts->unknown > 0 && host < hosts->count; host++) {
        if (hosts->owner[host] == ALLOT_ROOT) {
            int64_t sure = hosts->free[host] - hosts->unknown;
            hosts->free[host] = sure > 0 ? (int32_t)sure : 0;
        }
    }
}

static int fill(allot__work *work, allot__group_hosts *hosts)
{
    int32_t *host_of = NULL;
    size_t rows = (size_t)work->tree->rows;
    int status = fill_hosts(work, hosts, &host_of);
    if (status == ALLOT_OK)
        status = exclusive_hosts(work, hosts);
    if (status == ALLOT_OK)
        status = require_hosts(work, hosts);
    survey survey = {.host_of = host_of};
    survey.seen = allot__arena_take(work->arena, (size_t)hosts->count, sizeof(int32_t));
    survey.lost = allot__arena_take(work->arena, rows + 1, sizeof(int32_t));
    if (status != ALLOT_OK || !survey.seen || !survey.lost)
        return status != ALLOT_OK ? status : ALLOT_ENOMEM;
    for (int32_t host = 0; host < hosts->count; host++)
        survey.seen[host] = UNSEEN;
    for (int32_t row = 0; row < work->tree->rows; row++) {
        survey.lost[row] = 0;
        if (allot__family_of(work, row) == 0 && work->allocated[row] > 0)
            count_leaf(work, &survey, row);
    }
    hosts->host_of = host_of;
    hosts->lost = survey.lost;
    status = settle_hosts(work, hosts, survey.seen, survey.lost);
    doubt(hosts);
    return status;
}

int allot__group_hosts_make(allot__work *work)
{
    const allot__tasks *tasks = &work->state->tasks;
    int32_t count = 0;
    for (int32_t i = 0; i < tasks->site_count; i++)
        count += here(work, &tasks->sites[i]);
    if (count == 0 || work->tree->rows == 0)
        return ALLOT_OK;
    allot__group_hosts *hosts = allot__arena_take(work->arena, 1, sizeof *hosts);
    if (!hosts)
        return ALLOT_ENOMEM;
    *hosts = (allot__group_hosts){.count = count};
    work->hosts = hosts;
    return fill(work, hosts);
}
