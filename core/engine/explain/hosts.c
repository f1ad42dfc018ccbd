/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* hosts.c: which hosts a leaf can use, which it gets, and what hosts keep from it. */
#include <inttypes.h>

#include "engine/reclaim/over.h"
#include "engine/hosts/hosts.h"
#include "engine/explain/explain.h"

/* A list of hosts is cut when it gets long. */
enum { SHOWN = 8 };

static const char *host_name(const allot__work *work, int32_t host)
{
    return work->state->tasks.sites[work->hosts->site[host]].name;
}

static void tell_required(const allot__teller *teller)
{
    const allot__group_hosts *hosts = teller->work->hosts;
    int64_t slots = 0;
    int32_t host_count = 0;
    if (!hosts->asks || hosts->asks[teller->row] < 0)
        return;
    const allot__requires *it = &hosts->requirements[hosts->asks[teller->row]];
    const allot__requirement *of =
        (const allot__requirement *)it->policy->requirements.items + it->number;
    for (int32_t host = 0; host < hosts->count; host++) {
        bool met = it->met[host] != 0 && hosts->slots[host] > 0;
        host_count += met;
        slots += met ? hosts->slots[host] : 0;
    }
    allot__tell(teller, "It requires \"%s\": %d host%s with %s meet%s that.", of->name,
                (int)host_count, host_count == 1 ? "" : "s", allot__tell_slots(slots).text,
                host_count == 1 ? "s" : "");
}

static void tell_exclusive(const allot__teller *teller)
{
    const allot__work *work = teller->work;
    const allot__group_hosts *hosts = work->hosts;
    int32_t exclusive = hosts->exclusive_of ? hosts->exclusive_of[teller->row] : ALLOT_ROOT;
    if (exclusive != ALLOT_ROOT) {
        allot__tell(teller, "Hosts on which %s has a slot are closed to others (H-14).",
                    allot__tell_path(teller, exclusive).text);
    }
    for (int32_t host = 0; exclusive != ALLOT_ROOT && hosts->meant && host < hosts->count; host++) {
        if (hosts->meant[host] == exclusive && hosts->free[host] < hosts->slots[host]) {
            allot__tell(teller, "Others are to leave %.200s for it: %d slots are in use there.",
                        host_name(work, host), (int)(hosts->slots[host] - hosts->free[host]));
        }
    }
    if (hosts->blocked > 0) {
        allot__tell(teller,
                    "%s of the group %s on hosts that are closed to those who would want them: "
                    "they are not divided (H-14).",
                    allot__tell_slots(hosts->blocked).text, hosts->blocked == 1 ? "is" : "are");
    }
}

static void tell_places(const allot__teller *teller)
{
    const allot__group_hosts *hosts = teller->work->hosts;
    const allot_place *places = hosts->places + hosts->place_first[teller->row];
    int32_t count = hosts->place_count[teller->row], shown = 0;
    allot__sentence text = {.len = 0};
    for (; shown < count && shown < SHOWN; shown++) {
        allot__sentence_next(&text);
        allot__sentence_add(&text, "%.24s (%" PRId64 ")", places[shown].name, places[shown].slots);
    }
    if (count > shown)
        allot__tell(teller, "Its grant is on %s and %d hosts more.", text.text,
                    (int)(count - shown));
    else if (count > 0)
        allot__tell(teller, "Its grant is on %s.", text.text);
    if (hosts->unplaced[teller->row] > 0) {
        allot__tell(teller,
                    "%" PRId64 " of its grant %s on hosts that are not known: tasks do not tell "
                    "theirs, or the state has more slots than hosts.",
                    (int64_t)hosts->unplaced[teller->row],
                    hosts->unplaced[teller->row] == 1 ? "is" : "are");
    }
}

/* Who is on the hosts that would serve it, and may stay there. */
static void tell_blocked(const allot__teller *teller)
{
    const allot__work *work = teller->work;
    int64_t lack = work->room ? allot__lack(work, teller->row) : 0;
    int32_t shown = 0;
    for (int32_t row = 0; row < work->tree->rows && lack > 0 && shown < SHOWN; row++) {
        bool other = row != teller->row && allot__family_of(work, row) == 0;
        int64_t over = other ? allot__over(work, row) : 0;
        int64_t slots = other && work->allocated[row] > 0
                            ? allot__group_hosts_holds_for(work, row, teller->row)
                            : 0;
        if (slots > over) {
            allot__tell(teller,
                        "On hosts that would serve it %s holds %" PRId64 ", no more than its "
                        "quota lets it%s (H-18).",
                        allot__tell_path(teller, allot__handle(work, row)).text, slots - over,
                        work->group->options[ALLOT_OPTION_MAKE_WAY]
                            ? ""
                            : ": with make_way it would move, if it can run elsewhere");
            shown++;
        }
    }
}

/* What it gets beyond its quota. */
static void tell_lent(const allot__teller *teller)
{
    const allot__work *work = teller->work;
    int64_t moved = work->moved ? work->moved[teller->row] : 0;
    int64_t lent = teller->verdict.allocated + teller->verdict.granted - moved;
    lent -= teller->verdict.quota > teller->verdict.allocated ? teller->verdict.quota
                                                              : teller->verdict.allocated;
    if (moved > 0) {
        allot__tell(teller,
                    "It makes way: %" PRId64 " elsewhere for as many that it gives back, where "
                    "others must run (H-19).",
                    moved);
    }
    if (lent > 0 && !work->ledger) {
        allot__tell(teller,
                    "%" PRId64 " of its grant %s lent: hosts keep those from them whose quota "
                    "they would be (H-18).",
                    lent, lent == 1 ? "is" : "are");
    }
}

void allot__tell_hosts(const allot__teller *teller)
{
    const allot__group_hosts *hosts = teller->work->hosts;
    if (!hosts)
        return;
    tell_required(teller);
    tell_exclusive(teller);
    if (teller->family != 0 || !hosts->places)
        return;
    tell_places(teller);
    tell_lent(teller);
    tell_blocked(teller);
    if (teller->verdict.barred > 0) {
        allot__tell(teller,
                    "%s that it lacks %s idle, but on no host that serves it: nobody is helped by "
                    "granting them.",
                    allot__tell_slots(teller->verdict.barred).text,
                    teller->verdict.barred == 1 ? "is" : "are");
    }
}
