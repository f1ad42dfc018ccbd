/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* reach.c: for every kind of consumer that lacks slots, the leaves that are over on hosts that help
 * it. */
#include "engine/reclaim/reach.h"

#include "engine/reclaim/over.h"

enum { ANY = INT32_MAX };

static int32_t cut(int64_t slots)
{
    return slots < ANY ? (int32_t)slots : ANY;
}

/* Slots of a leaf on marked hosts; with `lost`, also those whose host no task states. */
static int64_t marked(const allot__work *work, int32_t row, const uint8_t *marks, bool lost)
{
    const allot__group_hosts *hosts = work->hosts;
    const allot__units *units = &work->state->tasks.units[work->index];
    int32_t leaf = allot__handle(work, row);
    int64_t slots = lost ? hosts->lost[row] : 0;
    for (int32_t i = allot__units_first(units, leaf); i < allot__units_end(units, leaf); i++) {
        int32_t host = units->site[i] >= 0 ? hosts->host_of[units->site[i]] : -1;
        slots += host >= 0 && marks[host] != 0 ? units->slots[i] : 0;
    }
    return slots;
}

static int64_t take_part(int32_t *taken, int32_t most, int64_t slots)
{
    int64_t part = most - *taken < slots ? most - *taken : slots;
    *taken += (int32_t)part;
    return part;
}

int64_t allot__reach_take(const allot__work *work, int32_t from, int32_t to, int64_t slots,
                          int32_t *taken)
{
    const allot__group_hosts *hosts = work->hosts;
    const allot__units *units = &work->state->tasks.units[work->index];
    int32_t leaf = allot__handle(work, from);
    bool lost = allot__hosts_takes_lost(hosts, to, from);
    int64_t left = slots;
    left -= lost ? take_part(&taken[units->count + from], hosts->lost[from], left) : 0;
    for (int32_t i = allot__units_first(units, leaf); left > 0 && i < allot__units_end(units, leaf);
         i++) {
        int32_t host = units->site[i] >= 0 ? hosts->host_of[units->site[i]] : -1;
        if (host >= 0 && allot__host_helps(work, to, host))
            left -= take_part(&taken[i], units->slots[i], left);
    }
    return slots - left;
}

/* Marks the hosts that help a leaf. */
static void mark(const allot__work *work, int32_t row, uint8_t *marks)
{
    for (int32_t host = 0; host < work->hosts->count; host++)
        marks[host] = allot__host_helps(work, row, host);
}

/* Do the same hosts help both? */
static bool alike(const allot__group_hosts *hosts, int32_t a, int32_t b)
{
    return !hosts->given &&
           (!hosts->exclusive_of || hosts->exclusive_of[a] == hosts->exclusive_of[b]) &&
           (!hosts->asks || hosts->asks[a] == hosts->asks[b]);
}

/* Slots that others are over on marked hosts. */
static int64_t within(const allot__work *work, int32_t row, const uint8_t *marks)
{
    int64_t sum = 0;
    for (int32_t other = 0; other < work->tree->rows; other++) {
        if (other == row || allot__family_of(work, other) != 0)
            continue;
        int64_t over = allot__over(work, other);
        bool lost = allot__hosts_takes_lost(work->hosts, row, other);
        int64_t there = over > 0 ? marked(work, other, marks, lost) : 0;
        sum += over < there ? over : there;
    }
    return sum;
}

/* An exclusive consumer helps others by leaving hosts whole: those whose most important session is
 * the least, then those where it has fewest slots, as far as they are among the `over` that it has
 * too many. What the state gives it stays its own. */
static void leave_hosts(const allot__work *work, int32_t exclusive, int64_t over,
                        const int64_t *able)
{
    allot__group_hosts *hosts = work->hosts;
    const allot__site *sites = work->state->tasks.sites;
    for (;;) {
        int32_t best = -1, least = 0, important = 0;
        for (int32_t host = 0; host < hosts->count; host++) {
            int32_t used = hosts->slots[host] - hosts->free[host];
            int32_t here = allot__host_important(work, host);
            bool may = hosts->owner[host] == exclusive && hosts->left[host] == 0 && used <= over &&
                       used <= able[host] && sites[hosts->site[host]].exclusive_to == ALLOT_ROOT;
            if (may && (best < 0 || here < important || (here == important && used < least))) {
                best = host;
                least = used;
                important = here;
            }
        }
        if (best < 0)
            return;
        hosts->left[best] = 1;
        over -= least;
    }
}

/* Adds, by host, the slots of a leaf there, as far as it is over. */
static void count_able(const allot__work *work, int32_t row, int64_t over, int64_t *able)
{
    const allot__units *units = &work->state->tasks.units[work->index];
    int32_t leaf = allot__handle(work, row);
    int64_t *there = able + work->hosts->count;
    for (int32_t pass = 0; pass < 2 && units->count > 0; pass++) {
        for (int32_t i = units->first[leaf]; i < units->end[leaf]; i++) {
            int32_t host = units->site[i] >= 0 ? work->hosts->host_of[units->site[i]] : -1;
            if (host >= 0 && pass == 0) {
                there[host] += units->slots[i];
            } else if (host >= 0) {
                able[host] += there[host] < over ? there[host] : over;
                there[host] = 0;
            }
        }
    }
}

int allot__reach_left(allot__work *work)
{
    allot__group_hosts *hosts = work->hosts;
    size_t count = (size_t)hosts->count, rows = (size_t)work->tree->rows;
    if (!hosts->exclusive_of)
        return ALLOT_OK;
    int64_t *over = allot__arena_zeroed(work->arena, rows, sizeof *over);
    int64_t *able = allot__arena_zeroed(work->arena, 2 * count, sizeof *able);
    hosts->left = allot__arena_zeroed(work->arena, count, 1);
    if (!over || !able || !hosts->left)
        return ALLOT_ENOMEM;
    for (int32_t row = 0; row < work->tree->rows; row++) {
        if (hosts->exclusive_of[row] != ALLOT_ROOT && allot__family_of(work, row) == 0) {
            int64_t mine = allot__over(work, row);
            over[allot__row(work->plan, work->index, hosts->exclusive_of[row])] += mine;
            if (mine > 0)
                count_able(work, row, mine, able);
        }
    }
    for (int32_t row = 0; row < work->tree->rows; row++)
        if (over[row] > 0)
            leave_hosts(work, hosts->exclusive_of[row], over[row], able);
    return ALLOT_OK;
}

/* Consumers that slots are to serve: the hosts that help any consumer that lacks slots; and the
 * kinds of consumers in which one lacks slots and takes any host of its kind: by the kind's row +
 * 1, at 0 consumers that are not exclusive. */
typedef struct wanted {
    uint8_t *hosts, *kinds;
} wanted;

static uint8_t *kind_of(const allot__work *work, const wanted *wanted, int32_t row)
{
    int32_t exclusive = work->hosts->exclusive_of ? work->hosts->exclusive_of[row] : ALLOT_ROOT;
    return &wanted->kinds[exclusive == ALLOT_ROOT
                              ? 0
                              : allot__row(work->plan, work->index, exclusive) + 1];
}

static void fill(allot__work *work, uint8_t *marks, const wanted *wanted)
{
    const allot__group_hosts *hosts = work->hosts;
    int32_t last = -1;
    for (int32_t row = 0; row < work->tree->rows; row++) {
        work->reach[row] = ANY;
        if (allot__family_of(work, row) != 0 || allot__lack(work, row) == 0)
            continue;
        *kind_of(work, wanted, row) |= allot__hosts_easy(hosts, row);
        if (last >= 0 && alike(hosts, row, last)) {
            work->reach[row] = work->reach[last];
            continue;
        }
        mark(work, row, marks);
        work->reach[row] = cut(within(work, row, marks));
        last = row;
        for (int32_t host = 0; host < hosts->count; host++)
            wanted->hosts[host] |= marks[host];
    }
    for (int32_t row = 0; row < work->tree->rows; row++) {
        bool over = allot__family_of(work, row) == 0 && allot__over(work, row) > 0;
        bool lost = over && *kind_of(work, wanted, row) != 0;
        work->useful[row] = over ? cut(marked(work, row, wanted->hosts, lost)) : ANY;
    }
}

/* Slots that others are over and that would serve a consumer if their tasks stated hosts. */
static int64_t not_told(const allot__work *work, int32_t row)
{
    int64_t sum = 0;
    for (int32_t other = 0; other < work->tree->rows; other++) {
        bool leaf = other != row && allot__family_of(work, other) == 0;
        if (leaf && !allot__hosts_takes_lost(work->hosts, row, other)) {
            int64_t over = allot__over(work, other), lost = work->hosts->lost[other];
            sum += over < lost ? over : lost;
        }
    }
    return sum;
}

/* Warns of the first consumer that could have more if tasks stated their hosts. */
static void say(const allot__work *work)
{
    for (int32_t row = 0; row < work->tree->rows; row++) {
        bool lacks = allot__family_of(work, row) == 0 && work->hosts->unknown > 0 &&
                     allot__lack(work, row) > work->reach[row];
        int64_t slots = lacks ? not_told(work, row) : 0;
        if (slots > 0) {
            char path[512];
            allot_plan_path(work->plan, allot__handle(work, row), path, sizeof path);
            allot_report_say(work->report, ALLOT_WARNING, "W-hosts",
                             "no task tells the host of %lld that others have too many: slots of "
                             "such are not reclaimed for %.400s, which not every host serves",
                             (long long)slots, path);
            return;
        }
    }
}

static bool somebody_lacks(const allot__work *work)
{
    for (int32_t row = 0; row < work->tree->rows; row++)
        if (allot__family_of(work, row) == 0 && allot__lack(work, row) > 0)
            return true;
    return false;
}

int allot__reach(allot__work *work)
{
    if (!work->room || !somebody_lacks(work))
        return ALLOT_OK;
    size_t count = (size_t)work->hosts->count, rows = (size_t)work->tree->rows;
    uint8_t *marks;
    wanted wanted;
    int status =
        ALLOT__ZEROED_ALL(work->arena, ALLOT__WANTED(marks, count),
                          ALLOT__WANTED(wanted.hosts, count), ALLOT__WANTED(wanted.kinds, rows),
                          ALLOT__WANTED(work->reach, rows), ALLOT__WANTED(work->useful, rows));
    if (status != ALLOT_OK)
        return status;
    work->hosts->wanted = wanted.hosts;
    status = allot__reach_left(work);
    if (status == ALLOT_OK) {
        fill(work, marks, &wanted);
        say(work);
    }
    return status;
}
