/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* plot_pick.c: whose slots get a band of their own in a picture, and what is in the bands. */
#include "cli/plot/plot_picture.h"

#include <stdlib.h>
#include <string.h>

typedef struct ranked {
    const char *name;
    int64_t sum;
} ranked;

static int by_name(const void *a, const void *b)
{
    const ranked *one = a, *other = b;
    return strcmp(one->name, other->name);
}

static int by_sum(const void *a, const void *b)
{
    const ranked *one = a, *other = b;
    if (one->sum != other->sum)
        return one->sum > other->sum ? -1 : 1;
    return strcmp(one->name, other->name);
}

static size_t named(const allot__picture *picture)
{
    size_t count = 0;
    for (int i = 0; i < picture->panel_count; i++)
        for (int32_t c = 0; c < picture->panels[i]->consumers; c++)
            count += picture->panels[i]->names[c] != NULL;
    return count;
}

/* Everybody once, with what all panels gave; returns how many. */
static size_t gather(const allot__picture *picture, ranked *list)
{
    size_t count = 0, kept = 0;
    for (int i = 0; i < picture->panel_count; i++) {
        const allot__panel *panel = picture->panels[i];
        for (int32_t c = 0; c < panel->consumers; c++)
            if (panel->names[c])
                list[count++] = (ranked){panel->names[c], allot__bins_sum(&panel->bins, c)};
    }
    qsort(list, count, sizeof *list, by_name);
    for (size_t i = 0; i < count; i++)
        if (kept > 0 && strcmp(list[kept - 1].name, list[i].name) == 0)
            list[kept - 1].sum = allot__bins_plus(list[kept - 1].sum, list[i].sum);
        else
            list[kept++] = list[i];
    return kept;
}

/* Who of a panel is at that rank; NULL: nobody. `list` has room for all. */
static const char *ranked_at(const allot__panel *panel, ranked *list, size_t rank)
{
    size_t count = 0;
    for (int32_t c = 0; c < panel->consumers; c++)
        if (panel->names[c])
            list[count++] = (ranked){panel->names[c], allot__bins_sum(&panel->bins, c)};
    qsort(list, count, sizeof *list, by_sum);
    return rank < count ? list[rank].name : NULL;
}

static bool chosen(const allot__picture *picture, const char *name)
{
    for (int i = 0; i < picture->band_count; i++)
        if (strcmp(picture->names[i], name) == 0)
            return true;
    return false;
}

/* Adds one who is not there yet. */
static void choose(allot__picture *picture, const char *name)
{
    if (picture->band_count < PICTURE_BANDS && !chosen(picture, name))
        picture->names[picture->band_count++] = name;
}

/* The first of each panel, the second of each, ...: plans may name other consumers. */
static void rank(allot__picture *picture, ranked *list)
{
    for (size_t rank = 0; rank < PICTURE_BANDS; rank++)
        for (int i = 0; i < picture->panel_count; i++) {
            const char *name = ranked_at(picture->panels[i], list, rank);
            if (name)
                choose(picture, name);
        }
    size_t count = gather(picture, list);
    qsort(list, count, sizeof *list, by_sum);
    const char *ordered[PICTURE_BANDS] = {NULL};
    int own = 0;
    for (size_t i = 0; i < count; i++)
        if (chosen(picture, list[i].name))
            ordered[own++] = list[i].name;
    memcpy(picture->names, ordered, (size_t)own * sizeof *ordered);
    picture->others = (int32_t)count - own;
    picture->band_count = own + (picture->others > 0);
}

static int fill(allot_engine *engine, const allot__picture *picture, allot__panel *panel)
{
    size_t bins = (size_t)panel->bins.used;
    size_t size = (size_t)picture->band_count * bins * sizeof *panel->bands;
    if (size == 0)
        return ALLOT_OK;
    panel->bands = allot_engine_alloc(engine, NULL, 0, size);
    if (!panel->bands)
        return ALLOT_ENOMEM;
    memset(panel->bands, 0, size);
    int own = picture->band_count - (picture->others > 0);
    for (int32_t c = 0; c < panel->consumers; c++) {
        if (!panel->names[c])
            continue;
        int band = 0;
        while (band < own && strcmp(picture->names[band], panel->names[c]) != 0)
            band++;
        int64_t *sums = panel->bands + (size_t)band * bins;
        for (size_t i = 0; i < bins; i++)
            sums[i] = allot__bins_plus(sums[i], allot__bins_at(&panel->bins, c, (int32_t)i));
    }
    return ALLOT_OK;
}

/* The same axes for all. */
static void align(allot__picture *picture)
{
    int64_t width = 1;
    bool begun = false;
    for (int i = 0; i < picture->panel_count; i++)
        if (picture->panels[i]->bins.width > width)
            width = picture->panels[i]->bins.width;
    for (int i = 0; i < picture->panel_count; i++) {
        allot__bins *bins = &picture->panels[i]->bins;
        allot__bins_widen(bins, width);
        if (!bins->begun)
            continue;
        if (!begun || bins->first < picture->first)
            picture->first = bins->first;
        if (!begun || bins->last > picture->last)
            picture->last = bins->last;
        begun = true;
    }
    if (picture->last <= picture->first)
        picture->last = picture->first + 1;
}

int allot__picture_pick(allot_engine *engine, allot__picture *picture)
{
    align(picture);
    size_t count = named(picture), size = count * sizeof(ranked);
    ranked *list = count > 0 ? allot_engine_alloc(engine, NULL, 0, size) : NULL;
    if (count > 0 && !list)
        return ALLOT_ENOMEM;
    if (count > 0)
        rank(picture, list);
    int status = ALLOT_OK;
    for (int i = 0; i < picture->panel_count && status == ALLOT_OK; i++)
        status = fill(engine, picture, picture->panels[i]);
    if (list)
        allot_engine_alloc(engine, list, size, 0);
    return status;
}
