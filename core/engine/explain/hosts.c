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

static void explain_required(const allot__explanation *about)
{
    const allot__group_hosts *hosts = about->work->hosts;
    int64_t slots = 0;
    int32_t host_count = 0;
    if (!hosts->asks || hosts->asks[about->row] < 0)
        return;
    const allot__requires *it = &hosts->requirements[hosts->asks[about->row]];
    const allot__requirement *of =
        (const allot__requirement *)it->policy->requirements.items + it->number;
    for (int32_t host = 0; host < hosts->count; host++) {
        bool met = it->met[host] != 0 && hosts->slots[host] > 0;
        host_count += met;
        slots += met ? hosts->slots[host] : 0;
    }
    allot__explain(about, "It requires \"%s\": %d host%s with %s meet%s that.", of->name,
                   (int)host_count, host_count == 1 ? "" : "s", allot__phrase_slots(slots).text,
                   host_count == 1 ? "s" : "");
}

static void explain_exclusive(const allot__explanation *about)
{
    const allot__work *work = about->work;
    const allot__group_hosts *hosts = work->hosts;
    int32_t exclusive = hosts->exclusive_of ? hosts->exclusive_of[about->row] : ALLOT_ROOT;
    if (exclusive != ALLOT_ROOT) {
        allot__explain(about, "Hosts on which %s has a slot are closed to others (H-14).",
                       allot__phrase_path(about, exclusive).text);
    }
    for (int32_t host = 0; exclusive != ALLOT_ROOT && hosts->meant && host < hosts->count; host++) {
        if (hosts->meant[host] == exclusive && hosts->free[host] < hosts->slots[host]) {
            allot__explain(about, "Others are to leave %.200s for it: %d slots are in use there.",
                           host_name(work, host), (int)(hosts->slots[host] - hosts->free[host]));
        }
    }
    if (hosts->blocked > 0) {
        allot__explain(
            about,
            "%s of the group %s on hosts that are closed to the consumers that want them: "
            "they are not divided (H-14).",
            allot__phrase_slots(hosts->blocked).text, hosts->blocked == 1 ? "is" : "are");
    }
}

static void explain_places(const allot__explanation *about)
{
    const allot__group_hosts *hosts = about->work->hosts;
    const allot_place *places = hosts->places + hosts->place_first[about->row];
    int32_t count = hosts->place_count[about->row], shown = 0;
    allot__sentence text = {.len = 0};
    for (; shown < count && shown < SHOWN; shown++) {
        allot__sentence_next(&text);
        allot__sentence_add(&text, "%.24s (%" PRId64 ")", places[shown].name, places[shown].slots);
    }
    if (count > shown)
        allot__explain(about, "Its grant is on %s and %d hosts more.", text.text,
                       (int)(count - shown));
    else if (count > 0)
        allot__explain(about, "Its grant is on %s.", text.text);
    if (hosts->unplaced[about->row] > 0) {
        allot__explain(about,
                       "%" PRId64 " of its grant %s on hosts that are not known: tasks do not tell "
                       "theirs, or the state has more slots than hosts.",
                       (int64_t)hosts->unplaced[about->row],
                       hosts->unplaced[about->row] == 1 ? "is" : "are");
    }
}

/* Consumers on the hosts that would serve it, which may stay there. */
static void explain_blocked(const allot__explanation *about)
{
    const allot__work *work = about->work;
    int64_t lack = work->room ? allot__lack(work, about->row) : 0;
    int32_t shown = 0;
    for (int32_t row = 0; row < work->tree->rows && lack > 0 && shown < SHOWN; row++) {
        bool other = row != about->row && allot__family_of(work, row) == 0;
        int64_t over = other ? allot__over(work, row) : 0;
        int64_t slots = other && work->allocated[row] > 0
                            ? allot__group_hosts_holds_for(work, row, about->row)
                            : 0;
        if (slots > over) {
            allot__explain(about,
                           "On hosts that would serve it %s holds %" PRId64 ", no more than its "
                           "quota lets it%s (H-18).",
                           allot__phrase_path(about, allot__handle(work, row)).text, slots - over,
                           work->group->options[ALLOT_OPTION_MAKE_WAY]
                               ? ""
                               : ": with make_way it would move, if it can run elsewhere");
            shown++;
        }
    }
}

/* What it gets beyond its quota. */
static void explain_lent(const allot__explanation *about)
{
    const allot__work *work = about->work;
    int64_t moved = work->moved ? work->moved[about->row] : 0;
    int64_t lent = about->verdict.allocated + about->verdict.granted - moved;
    lent -= about->verdict.quota > about->verdict.allocated ? about->verdict.quota
                                                            : about->verdict.allocated;
    if (moved > 0) {
        allot__explain(about,
                       "It makes way: %" PRId64 " elsewhere for as many that it gives back, where "
                       "others must run (H-19).",
                       moved);
    }
    if (lent > 0 && !work->ledger) {
        allot__explain(about,
                       "%" PRId64 " of its grant %s lent: hosts keep those from them whose quota "
                       "they would be (H-18).",
                       lent, lent == 1 ? "is" : "are");
    }
}

void allot__explain_hosts(const allot__explanation *about)
{
    const allot__group_hosts *hosts = about->work->hosts;
    if (!hosts)
        return;
    explain_required(about);
    explain_exclusive(about);
    if (about->family != 0 || !hosts->places)
        return;
    explain_places(about);
    explain_lent(about);
    explain_blocked(about);
    if (about->verdict.barred > 0) {
        allot__explain(
            about,
            "%s that it lacks %s idle, but on no host that serves it: nobody is helped by "
            "granting them.",
            allot__phrase_slots(about->verdict.barred).text,
            about->verdict.barred == 1 ? "is" : "are");
    }
}
