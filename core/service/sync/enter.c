/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* enter.c: enters a truth step by step, each event in the books and as a row for the store. */
#include "service/sync/own.h"

/* A key seen before with the same truth: nothing is entered again. */
static int check_key(allot__sync *it)
{
    allot_service *service = it->service;
    const allot__truth *truth = it->truth;
    uint64_t content;
    if (!truth->key)
        return ALLOT_OK;
    int64_t seq = allot__event_keys_find(service->keys, truth->key, it->at, &content);
    it->known = seq > 0;
    if (seq == 0)
        return allot__event_keys_reserve(service->keys);
    if (content == truth->digest) {
        service->tally.repeated++;
        return ALLOT_OK;
    }
    return allot__error_set(
        &it->truth->fault, ALLOT_EEXIST, "E-key", "key", "give each call a key of its own",
        "key: event %lld came with \"%.100s\" and said something else", (long long)seq, truth->key);
}

static int check_time(allot__sync *it, const allot__origin *origin)
{
    if (!it->truth->at_given || !origin || origin->at <= it->truth->at)
        return ALLOT_OK;
    return allot__error_set(&it->truth->fault, ALLOT_EUSAGE, "E-stale", "at", NULL,
                            "at: found %lld, allowed %lld or later: the source has told of "
                            "what was then",
                            (long long)it->truth->at, (long long)origin->at);
}

static int begin(allot__sync *it)
{
    allot_service *service = it->service;
    const char *source = it->truth->source;
    const allot__origin *origin;
    service->up->settle(service);
    it->books = service->books;
    it->at = allot__service_now(service);
    it->params.engine = it->rows.engine = service->engine;
    it->leaves = allot__arena_zeroed(&it->truth->arena, it->books->leaf_count / 8 + 1, 1);
    if (!it->leaves || allot__origin_find(it->books, source, &origin) != ALLOT_OK)
        return ALLOT_ENOMEM;
    it->self = (allot__origin *)origin;
    it->origin = strcmp(source, ALLOT__TRUTH_ALL) != 0 ? origin : NULL;
    it->mark = ++it->books->mark;
    int status = check_time(it, origin);
    return status == ALLOT_OK ? check_key(it) : status;
}

/* Writes the key as a row of its own, with the digest of its truth. */
static void put_key(allot__sync *it)
{
    allot__event event;
    allot__error error;
    const allot__truth *truth = it->truth;
    allot__event_init(&event, ALLOT__EVENT_KEEP_SYNC);
    event.source = truth->source;
    event.key = truth->key;
    allot__sync_open(it, "{", true);
    allot__text_number(&it->params, "digest", (int64_t)truth->digest);
    allot__text_puts(&it->params, "}");
    if (allot__sync_event(it, &event, &error) != ALLOT_OK)
        return; /* a repeated truth enters nothing anyway */
    it->entered[ALLOT__EVENT_KEEP_SYNC] = 0;
    allot__event_keys_put(it->service->keys, truth->key, truth->digest,
                          it->service->event + it->count, it->at);
}

/* All events join one batch. A failure here cannot be undone, so the service stops; a restart
 * restores the store's state. */
static bool commit(allot__sync *it, allot__truth_list list)
{
    allot_service *service = it->service;
    (void)list;
    if (it->truth->key)
        put_key(it);
    if (it->truth->at_given && it->truth->at > it->self->at)
        it->self->at = it->truth->at; /* even if nothing has changed */
    if (it->count == 0)
        return false;
    if (it->rows.failed ||
        allot__store_append(service->store, &it->rows, it->count, it->bytes) < 0) {
        allot__service_fail(service, "no memory to record what a source told");
        it->status = ALLOT_ENOMEM;
        return false;
    }
    service->event += it->count;
    service->tally.events += it->count;
    return false;
}

/* The steps' order: tasks end before others start, and leaves come after their tasks. */
static const struct {
    allot__sync_step *row;
    allot__truth_list list;
} steps[] = {
    {allot__sync_sizes, ALLOT__TRUTH_SLOTS},     {allot__sync_hosts, ALLOT__TRUTH_HOSTS},
    {allot__sync_look, ALLOT__TRUTH_SESSIONS},   {allot__sync_look, ALLOT__TRUTH_TASKS},
    {allot__sync_end_thing, ALLOT__TRUTH_TASKS}, {allot__sync_end_thing, ALLOT__TRUTH_SESSIONS},
    {allot__sync_put, ALLOT__TRUTH_SESSIONS},    {allot__sync_put, ALLOT__TRUTH_TASKS},
    {allot__sync_look, ALLOT__TRUTH_JOBS},       {allot__sync_end_thing, ALLOT__TRUTH_JOBS},
    {allot__sync_put, ALLOT__TRUTH_JOBS},        {allot__sync_find_back, ALLOT__TRUTH_LISTS},
    {allot__sync_leaves, ALLOT__TRUTH_LEAVES},   {allot__sync_rest_leaves, ALLOT__TRUTH_LEAVES},
    {allot__sync_end_host, ALLOT__TRUTH_HOSTS},  {commit, ALLOT__TRUTH_LISTS}};
enum { STEPS = sizeof steps / sizeof *steps };

/* The clock is read only once in so many rows. */
static bool is_late(size_t row, uint64_t until)
{
    enum { LOOK = 64 };
    return row % LOOK == 0 && uv_hrtime() > until;
}

bool allot__sync_enter(allot__sync *it, uint64_t until)
{
    if (!it->books)
        it->status = begin(it);
    if (it->status != ALLOT_OK || it->known)
        return true;
    for (; it->step < STEPS && uv_hrtime() <= until; it->step++, it->row = 0)
        while (steps[it->step].row(it, steps[it->step].list))
            if (is_late(++it->row, until))
                return false;
    return it->step == STEPS;
}
