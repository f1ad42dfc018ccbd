/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* line.c: a leaf's tasks in the order in which they would all go, for explanations. */
#include <string.h>

#include "engine/victims/victim.h"

/* Adds (`times` 1) or takes off (-1) a row's slots in its session's `over`. */
static void add(const allot__pick *pick, int64_t *over, int32_t row, int64_t times)
{
    int32_t session = pick->anew_of[row];
    over[session + 1] += session >= 0 ? times * pick->slots[row] : 0;
}

int allot__victim_line_make(allot__queue *queue, allot__arena *arena, allot__victim_line *out)
{
    allot__pick *pick = &queue->pick;
    size_t count = queue->rows.rows.work->state->tasks.sessions.count + 1;
    *out = (allot__victim_line){.queue = queue, .sessions = count};
    if (pick->anew) {
        int64_t *now = allot__arena_take(arena, count, sizeof *now);
        out->over = allot__arena_take(arena, count, sizeof *out->over);
        if (!now || !out->over)
            return ALLOT_ENOMEM;
        memcpy(out->over, pick->anew, count * sizeof *now);
        for (int32_t i = 0; i < queue->picked.count; i++)
            add(pick, out->over, queue->picked.rows[i], 1);
        pick->anew = memcpy(now, out->over, count * sizeof *now);
    }
    return allot__pick_all(pick, arena, &out->all);
}

int32_t allot__victim_line_place(const allot__victim_line *line, int32_t row)
{
    int32_t place = 0;
    while (line->all.rows[place] != row)
        place++;
    return place;
}

int64_t allot__victim_line_before(const allot__victim_line *line, int32_t row)
{
    int64_t slots = 0;
    for (int32_t i = 0; line->all.rows[i] != row; i++)
        slots += line->queue->pick.slots[line->all.rows[i]];
    return slots;
}

int32_t allot__victim_line_last(const allot__victim_line *line)
{
    int32_t last = 0;
    for (int32_t i = 0; i < line->queue->picked.count; i++) {
        int32_t place = allot__victim_line_place(line, line->queue->picked.rows[i]);
        last = place > last ? place : last;
    }
    return last;
}

void allot__victim_line_turn_back(const allot__victim_line *line, int32_t row, int32_t other)
{
    const allot__pick *pick = &line->queue->pick;
    if (!pick->anew)
        return;
    memcpy(pick->anew, line->over, line->sessions * sizeof *pick->anew);
    for (int32_t i = 0; line->all.rows[i] != row && line->all.rows[i] != other; i++)
        add(pick, pick->anew, line->all.rows[i], -1);
}
