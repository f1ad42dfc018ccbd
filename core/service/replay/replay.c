/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* replay.c: computes a store's record again. */
#include "service/replay/replay.h"

#include <string.h>

#include "service/store/own.h"
#include "base/memory.h"

void allot_replay_config_init(allot_replay_config *config)
{
    *config = (allot_replay_config){.size = sizeof *config};
}

/* ---- Reading --------------------------------------------------------------------------------- */

/* Enters a line of a snapshot. */
static int enter_line(allot__replay *replay, const char *line, size_t len, int64_t event)
{
    allot__error fault = {0};
    int status = allot__books_read(replay->books, replay->reader, line, len, &fault);
    replay->left_out = replay->left_out || (status != ALLOT_OK && fault.unfit);
    if (status == ALLOT_OK || status == ALLOT_ENOMEM || replay->left_out)
        return status == ALLOT_ENOMEM ? status : ALLOT_OK;
    allot_report_say(replay->report, ALLOT_ERROR, "E-store",
                     "the snapshot behind event %lld cannot be read: %s", (long long)event,
                     fault.message);
    return ALLOT_EIO;
}

static int on_snapshot(void *ud, const allot__snapshot_row *row)
{
    allot__replay *replay = ud;
    int status = allot__replay_turn(replay, row->plan, row->cycle + 1);
    const char *line = row->body, *end = row->body + row->body_len;
    while (status == ALLOT_OK && line < end) {
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        size_t len = (size_t)((stop ? stop : end) - line);
        if (len > 0)
            status = enter_line(replay, line, len, row->event);
        line += len + 1;
    }
    return status;
}

static int on_event(void *ud, const allot__event_row *row)
{
    return allot__replay_event(ud, row);
}

static int on_cycle(void *ud, const allot__cycle_row *row)
{
    return allot__replay_cycle(ud, row);
}

/* ---- Where to begin -------------------------------------------------------------------------- */

/* The event of the snapshot to begin with: the newest before the wanted range; else the first event
 * of all or, if that was deleted, the oldest snapshot. */
static int64_t find_begin(allot__replay *replay)
{
    int64_t from = replay->config->from, event = -1;
    if (from > 0)
        event = allot__store_take(
            allot__store_query(
                replay->store,
                "SELECT max(event) FROM snapshots WHERE seq < ? AND part = parts - 1", "n", from),
            -1);
    if (event < 0 && allot__store_number(replay->store, "SELECT min(cycle) FROM cycles", -1) > 1)
        event = allot__store_number(replay->store,
                                    "SELECT min(event) FROM snapshots WHERE part = parts - 1", -1);
    return event > 0 ? event : 0;
}

/* A store of an earlier version was decided without rounding throughout. */
static int64_t find_unrounded(allot__replay *replay)
{
    int64_t last = allot__store_number(
        replay->store, "SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'unrounded'", -1);
    return last >= 0 ? last : INT64_MAX;
}

static int read_all(allot__replay *replay)
{
    const allot__store_visitor visitor = {replay, on_snapshot, on_event, on_cycle};
    replay->unrounded = find_unrounded(replay);
    int status = allot__store_read(replay->store, find_begin(replay), &visitor, replay->report);
    if (replay->over && status == 1)
        status = ALLOT_OK;
    if (status == ALLOT_OK && replay->told == 0) {
        allot_report_say(replay->report, ALLOT_ERROR, "E-nothing",
                         "the store has no such cycles: nothing was computed again");
        return ALLOT_ENOENT;
    }
    return status;
}

/* ---- The whole ------------------------------------------------------------------------------- */

/* "plan.json.db" -> "plan.json", by the default name of a store. */
static int name_plan(allot__replay *replay)
{
    const allot_replay_config *config = replay->config;
    const char *name = config->plan ? config->plan : config->store;
    size_t len = strlen(name);
    if (!config->plan && len > 3 && strcmp(name + len - 3, ".db") == 0)
        len -= 3;
    replay->file = allot__copy(replay->engine, name, len);
    return replay->file ? ALLOT_OK : ALLOT_ENOMEM;
}

static void end(allot__replay *replay)
{
    allot__replay_forget(replay);
    allot__free(replay->engine, replay->held, replay->held_capacity, sizeof *replay->held);
    allot__event_reader_free(replay->reader);
    allot__books_end(replay->books);
    allot__generation_free(replay->generation);
    allot__generation_free(replay->other);
    allot__free_string(replay->engine, replay->file);
    if (replay->store)
        allot__store_close(replay->store);
}

int allot_service_replay(allot_engine *engine, const allot_replay_config *config,
                         const allot_replay_visitor *visitor, allot_report *report)
{
    allot__replay replay = {
        .engine = engine, .config = config, .visitor = visitor, .report = report};
    if (config->size != sizeof *config || !config->store || config->from < 0 || config->to < 0)
        return ALLOT_EUSAGE;
    int status = name_plan(&replay);
    if (status == ALLOT_OK)
        status = allot__store_open_read(engine, config->store, report, &replay.store);
    if (status == ALLOT_OK)
        status = allot__event_reader_new(engine, &replay.reader);
    if (status == ALLOT_OK)
        status = read_all(&replay);
    allot__replay_over(&replay);
    end(&replay);
    return status;
}
