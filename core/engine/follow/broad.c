/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* broad.c: levels of classes, quotas, and what members receive. */
#include "engine/follow/broad.h"

#include "base/least.h"
#include "engine/follow/follow.h"

typedef allot__i128 wide;

/* A level or an amount in parts of a slot. */
static int64_t in_parts(const allot__work *work, const allot__broad_mark *mark)
{
    return mark->whole * work->unit + mark->part;
}

/* ---- Rows ------------------------------------------------------------------------------------ */

static allot__broad_class *class_at(const allot__broad *broad, int32_t row)
{
    return &broad->of[broad->class_of[row - broad->first]];
}

/* Sets a row's quota by its class and the bound, and whether it has a fraction. */
static void set_row(allot__follow *follow, allot__broad *broad, const allot__broad_class *of,
                    int32_t row)
{
    int32_t i = row - broad->first, need = follow->work->need[row];
    bool above = need > of->quota, part = above && of->part, before = row < broad->bound;
    bool had = allot__bits_has(&broad->parts, i);
    if (part != had) {
        allot__bits_set(&broad->parts, i, part);
        broad->rounded += before ? (int)part - (int)had : 0;
    }
    allot__follow_quota(follow, broad->family, row, above ? of->quota + (part && before) : need);
}

/* Moves the bound until so many rows are rounded up. */
static void round_up(allot__follow *follow, allot__broad *broad, int64_t lost)
{
    while (broad->rounded != lost) {
        bool more = broad->rounded < lost;
        int32_t bound = broad->bound - broad->first;
        int32_t i =
            more ? allot__bits_next(&broad->parts, bound) : allot__bits_last(&broad->parts, bound);
        int32_t row = broad->first + i;
        broad->bound = more ? row + 1 : row;
        broad->rounded += more ? 1 : -1;
        allot__follow_quota(follow, broad->family, row, class_at(broad, row)->quota + more);
    }
}

/* ---- Needs ----------------------------------------------------------------------------------- */

static void count_need(allot__broad *broad, int32_t class, int32_t need, int32_t sign)
{
    const allot__broad_mark *marks = broad->marks + (size_t) class * (size_t)broad->fills;
    allot__broad_class *of = &broad->of[class];
    for (int32_t i = 0; i < broad->fills; i++) {
        bool above = need > marks[i].whole;
        broad->wholes[i] += sign * (int64_t)(above ? marks[i].whole : need);
        broad->part_sums[i] += sign * (int64_t)(above ? marks[i].part : 0);
    }
    of->above += need > of->floor ? sign : 0;
    of->below += need > of->floor ? 0 : sign * (int64_t)need;
}

void allot__broad_need(allot__follow *follow, allot__broad *broad, int32_t row, int32_t before)
{
    int32_t class = broad->class_of[row - broad->first];
    count_need(broad, class, before, -1);
    count_need(broad, class, follow->work->need[row], 1);
    set_row(follow, broad, &broad->of[class], row);
}

/* ---- Levels ---------------------------------------------------------------------------------- */

typedef struct level {
    int32_t whole;
    bool part, rising;
} level;

/* A class's level when a fill is poured at amount / sum parts of a slot per weight; the last fill's
 * mark when there is enough for all fills. */
static level level_at(const allot__work *work, const allot__broad *broad, int32_t class,
                      const allot__critical *rate)
{
    static const allot__broad_mark nothing = {0, 0, 0};
    const allot__broad_mark *marks = broad->marks + (size_t) class * (size_t)broad->fills;
    int32_t fill = rate->fill < 0 ? broad->fills : rate->fill;
    const allot__broad_mark *from = fill > 0 ? &marks[fill - 1] : &nothing;
    if (fill < broad->fills) {
        const allot__broad_mark *mark = &marks[fill];
        wide aim = (wide)in_parts(work, from) * rate->weight + (wide)rate->amount * mark->weight;
        bool higher = mark->whole != from->whole || mark->part != from->part;
        wide one = (wide)rate->weight * work->unit;
        if (higher && aim < (wide)in_parts(work, mark) * rate->weight)
            return (level){(int32_t)(aim / one), aim % one != 0, true};
        from = higher ? mark : from;
    }
    return (level){from->whole, from->part != 0, false};
}

static void count_rows(const allot__work *work, const allot__broad *broad, allot__broad_class *of)
{
    of->above = 0;
    of->below = 0;
    for (int32_t i = of->first; i < of->first + of->count; i++) {
        int32_t need = work->need[broad->by_class[i]];
        of->above += need > of->floor;
        of->below += need > of->floor ? 0 : need;
    }
}

/* Counts rows at the levels of a rate; false: rows are counted at these levels already. */
static bool move_levels(const allot__work *work, allot__broad *broad, const allot__critical *rate)
{
    bool moved = false;
    for (int32_t i = 0; i < broad->classes; i++) {
        allot__broad_class *of = &broad->of[i];
        level to = level_at(work, broad, i, rate);
        moved = moved || to.whole != of->floor || to.rising != of->rising;
        of->rising = to.rising;
        if (to.whole == of->floor)
            continue;
        of->floor = to.whole;
        count_rows(work, broad, of);
    }
    return moved;
}

/* The rate at which rows that are above their level now take all that the others leave. From
 * nothing where that is no rate. */
static void find_tangent(const allot__work *work, const allot__broad *broad, int64_t slots,
                         allot__critical *rate)
{
    wide amount = (wide)slots * work->unit;
    int64_t weight = 0;
    for (int32_t i = 0; i < broad->classes; i++) {
        const allot__broad_class *of = &broad->of[i];
        const allot__broad_mark *marks = broad->marks + (size_t)i * (size_t)broad->fills;
        bool rises = of->rising;
        int32_t fill = rises ? rate->fill - 1 : rate->fill;
        int64_t level = fill < 0 ? 0 : in_parts(work, &marks[fill]);
        amount -= (wide)of->below * work->unit + (wide)of->above * level;
        weight += rises ? (int64_t)of->above * marks[rate->fill].weight : 0;
    }
    bool is_rate = amount >= 0 && weight > 0;
    rate->amount = is_rate ? (int64_t)amount : 0;
    rate->weight = is_rate ? weight : 1;
}

/* The fill that has too few slots for all aims; -1: none. */
static int32_t find_critical(const allot__work *work, const allot__broad *broad, int64_t slots)
{
    for (int32_t i = 0; i < broad->fills; i++)
        if ((wide)(broad->wholes[i] - slots) * work->unit + broad->part_sums[i] > 0)
            return i;
    return -1;
}

/* Newton's steps (fill/pour.c). They begin at the levels of the last rate, of whichever fill: from
 * wherever that is, a step lands below the rate, and those behind it rise to it. */
static void find_rate(const allot__work *work, allot__broad *broad, int64_t slots,
                      allot__critical *rate)
{
    do
        find_tangent(work, broad, slots, rate);
    while (move_levels(work, broad, rate));
}

/* Slots that rounding down loses. */
static int64_t lost_slots(const allot__work *work, const allot__broad *broad, int64_t slots,
                          int32_t fill)
{
    if (slots == 0)
        return 0;
    if (fill < 0)
        return broad->part_sums[broad->fills - 1] / work->unit;
    for (int32_t i = 0; i < broad->classes; i++)
        slots -= broad->of[i].below + (int64_t)broad->of[i].above * broad->of[i].floor;
    return slots;
}

void allot__broad_quotas(allot__follow *follow, allot__broad *broad)
{
    allot__work *work = follow->work;
    int64_t slots =
        broad->family == 0 ? work->slots : work->quota[work->group->parent[broad->family]];
    allot__critical rate = {.fill = 0, .row = broad->first, .weight = 1};
    if (slots > 0)
        rate = (allot__critical){.fill = find_critical(work, broad, slots)};
    if (slots > 0 && rate.fill >= 0) {
        rate.row = broad->first;
        find_rate(work, broad, slots, &rate);
    }
    for (int32_t i = 0; i < broad->classes; i++) {
        allot__broad_class *of = &broad->of[i];
        level to = level_at(work, broad, i, &rate);
        if (to.whole == of->quota && to.part == of->part)
            continue;
        of->quota = to.whole;
        of->part = to.part;
        for (int32_t k = of->first; k < of->first + of->count; k++)
            set_row(follow, broad, of, broad->by_class[k]);
    }
    round_up(follow, broad, lost_slots(work, broad, slots, rate.fill));
    work->critical[broad->family] = rate;
}

void allot__broad_count(allot__follow *follow, allot__broad *broad)
{
    const allot__work *work = follow->work;
    const allot__critical *rate = &work->critical[broad->family];
    for (int32_t i = 0; i < broad->classes; i++) {
        allot__broad_class *of = &broad->of[i];
        level at = level_at(work, broad, i, rate);
        of->floor = of->quota = at.whole;
        of->part = at.part;
        of->rising = at.rising;
        for (int32_t k = of->first; k < of->first + of->count; k++) {
            int32_t row = broad->by_class[k], need = work->need[row];
            count_need(broad, i, need, 1);
            allot__bits_set(&broad->parts, row - broad->first, of->part && need > of->quota);
        }
    }
    int64_t slots =
        broad->family == 0 ? work->slots : work->quota[work->group->parent[broad->family]];
    round_up(follow, broad, lost_slots(work, broad, slots, rate->fill));
}

/* ---- What members receive -------------------------------------------------------------------- */

void allot__broad_receive(allot__follow *follow, allot__broad *broad)
{
    int32_t end = broad->first + broad->count;
    while (broad->passed) {
        int64_t left = broad->total - broad->served;
        int32_t i = broad->front - broad->first, net = 0;
        if (left < 0) {
            if (broad->front < end)
                allot__follow_receive(follow, broad->front, follow->back[broad->front]);
            broad->front = broad->first + allot__bits_last(&broad->nets, i);
            broad->served -= follow->net[broad->front];
            continue;
        }
        net = broad->front < end ? follow->net[broad->front] : 0;
        broad->passed = broad->front < end && left >= net;
        if (broad->front < end)
            allot__follow_receive(follow, broad->front,
                                  follow->back[broad->front] + allot__least(left, net));
        if (broad->passed) {
            broad->served += net;
            broad->front = broad->first + allot__bits_next(&broad->nets, i + 1);
        }
    }
}
