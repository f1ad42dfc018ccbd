/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* profile.c: how many slots are free from now on, step by step. */
#include "engine/jobs/profile.h"

#include <string.h>

static int make_room(allot__arena *arena, allot__profile *profile)
{
    if (profile->count < profile->room)
        return ALLOT_OK;
    int32_t room = profile->room < 8 ? 16 : 2 * profile->room;
    int64_t *at = allot__arena_take(arena, (size_t)room, sizeof *at);
    int64_t *free = allot__arena_take(arena, (size_t)room, sizeof *free);
    if (!at || !free)
        return ALLOT_ENOMEM;
    if (profile->count > 0) {
        memcpy(at, profile->at, (size_t)profile->count * sizeof *at);
        memcpy(free, profile->free, (size_t)profile->count * sizeof *free);
    }
    profile->at = at;
    profile->free = free;
    profile->room = room;
    return ALLOT_OK;
}

int allot__profile_put(allot__arena *arena, allot__profile *profile, int64_t at, int64_t free)
{
    bool later = profile->count == 0 || profile->at[profile->count - 1] < at;
    int status = later ? make_room(arena, profile) : ALLOT_OK;
    if (status != ALLOT_OK)
        return status;
    profile->count += later;
    profile->at[profile->count - 1] = at;
    profile->free[profile->count - 1] = free;
    return ALLOT_OK;
}

/* The step at a time. */
static int32_t step_at(const allot__profile *profile, int64_t at)
{
    int32_t low = 0, high = profile->count;
    while (high - low > 1) {
        int32_t middle = low + (high - low) / 2;
        if (profile->at[middle] <= at)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Makes a step begin at a time. */
static int split(allot__arena *arena, allot__profile *profile, int64_t at, int32_t *out)
{
    int32_t i = step_at(profile, at);
    *out = i;
    if (profile->at[i] == at)
        return ALLOT_OK;
    int status = make_room(arena, profile);
    if (status != ALLOT_OK)
        return status;
    size_t behind = (size_t)(profile->count - i);
    memmove(profile->at + i + 1, profile->at + i, behind * sizeof *profile->at);
    memmove(profile->free + i + 1, profile->free + i, behind * sizeof *profile->free);
    profile->at[i + 1] = at;
    profile->count++;
    *out = i + 1;
    return ALLOT_OK;
}

int allot__profile_take(allot__arena *arena, allot__profile *profile, int64_t from, int64_t until,
                        int64_t slots)
{
    int32_t first, end;
    int status = split(arena, profile, from, &first);
    if (status == ALLOT_OK && until != ALLOT__FOREVER)
        status = split(arena, profile, until, &end);
    if (status != ALLOT_OK)
        return status;
    end = until != ALLOT__FOREVER ? end : profile->count;
    for (int32_t i = first; i < end; i++)
        profile->free[i] -= slots;
    return ALLOT_OK;
}

/* From the end, as the last step with too little is the one that a later part has to avoid. */
allot__profile_part allot__profile_look(const allot__profile *profile, int64_t from, int64_t until,
                                        int64_t enough)
{
    int32_t first = step_at(profile, from), low = step_at(profile, until - 1);
    const int64_t *free = profile->free;
    int64_t least = free[low];
    for (int32_t i = low; i >= first && least >= enough; i--)
        if (free[i] < least) {
            low = i;
            least = free[i];
        }
    return (allot__profile_part){
        .least = least, .next = low + 1 < profile->count ? profile->at[low + 1] : ALLOT__FOREVER};
}

int64_t allot__profile_fall(const allot__profile *profile, int64_t from, int64_t below)
{
    if (from == ALLOT__FOREVER)
        return ALLOT__FOREVER;
    int32_t i = step_at(profile, from);
    while (i < profile->count && (profile->at[i] < from || profile->free[i] >= below))
        i++;
    return i < profile->count ? profile->at[i] : ALLOT__FOREVER;
}

int64_t allot__profile_next(const allot__profile *profile, int64_t at)
{
    int32_t i = step_at(profile, at) + 1;
    return i < profile->count ? profile->at[i] : ALLOT__FOREVER;
}

int64_t allot__profile_low(const allot__profile *profile, int64_t from, int64_t until,
                           int64_t enough)
{
    int32_t low = step_at(profile, from);
    for (int32_t i = low; i < profile->count && profile->at[i] < until; i++) {
        low = profile->free[i] < profile->free[low] ? i : low;
        if (profile->free[i] < enough)
            return profile->at[i] > from ? profile->at[i] : from;
    }
    return profile->at[low] > from ? profile->at[low] : from;
}

int64_t allot__profile_free(const allot__profile *profile, int64_t at)
{
    return profile->free[step_at(profile, at)];
}
