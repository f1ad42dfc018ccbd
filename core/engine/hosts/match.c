/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* match.c: slots flow along shortest paths, edges in order: equal input gives equal flow. */
#include "engine/hosts/match.h"

#include <string.h>

enum { UNSEEN = -1, SOURCE = -2 };

void allot__match_reset(allot__match *match)
{
    memcpy(match->left, match->most, (size_t)match->kinds * sizeof *match->left);
    for (int32_t i = 0; i < match->edge_count; i++)
        allot__edge_add(match, &match->edges[i], -match->edges[i].flow);
    allot__match_loosen(match);
}

/* Clears what the last search marked. */
static void forget(allot__match *match)
{
    for (int32_t i = 0; i < match->seen; i++) {
        int32_t class = match->queue[i];
        match->class_via[class] = UNSEEN;
        for (int32_t k = match->first[class]; k < match->first[class + 1]; k++)
            match->kind_via[match->edges[k].kind] = UNSEEN;
    }
    match->seen = 0;
}

/* Queues the classes with slots of a kind: they may move to other kinds. */
static int32_t see_classes(allot__match *match, int32_t kind, int32_t tail)
{
    int32_t end = match->kind_first[kind + 1];
    for (int32_t at = allot__bits_next(&match->flowing, match->kind_first[kind]); at < end;
         at = allot__bits_next(&match->flowing, at + 1)) {
        int32_t class = match->edges[match->by_kind[at]].class;
        if (match->class_via[class] == UNSEEN) {
            match->class_via[class] = match->by_kind[at];
            match->queue[tail++] = class;
        }
    }
    return tail;
}

/* After a search in vain: what it saw leads to no slot until the era ends. */
static void tighten(allot__match *match)
{
    for (int32_t i = 0; i < match->seen; i++) {
        int32_t class = match->queue[i];
        match->class_tight[class] = match->era;
        for (int32_t k = match->first[class]; k < match->first[class + 1]; k++)
            match->kind_tight[match->edges[k].kind] = match->era;
    }
}

/* The nearest kind with a slot left, or -1: all that is open to the classes seen is taken. */
static int32_t search(allot__match *match, int32_t class)
{
    int32_t tail = 0;
    forget(match);
    match->class_via[class] = SOURCE;
    match->queue[tail++] = class;
    match->seen = tail;
    for (int32_t head = 0; head < tail; head++) {
        int32_t from = match->queue[head];
        for (int32_t i = match->first[from]; i < match->first[from + 1]; i++) {
            int32_t kind = match->edges[i].kind;
            if (match->kind_via[kind] != UNSEEN || match->most[kind] == 0 ||
                match->kind_tight[kind] == match->era)
                continue;
            match->kind_via[kind] = i;
            if (match->left[kind] > 0)
                return kind;
            tail = match->seen = see_classes(match, kind, tail);
        }
    }
    tighten(match);
    return -1;
}

/* Moves slots along the path to a kind; returns the number. */
static int64_t augment(allot__match *match, int32_t kind, int64_t slots)
{
    allot__edge *edges = match->edges;
    slots = slots < match->left[kind] ? slots : match->left[kind];
    for (int32_t at = kind;;) {
        int32_t back = match->class_via[edges[match->kind_via[at]].class];
        if (back == SOURCE)
            break;
        slots = slots < edges[back].flow ? slots : edges[back].flow;
        at = edges[back].kind;
    }
    match->left[kind] -= slots;
    for (int32_t at = kind;;) {
        int32_t back = match->class_via[edges[match->kind_via[at]].class];
        allot__edge_add(match, &edges[match->kind_via[at]], slots);
        if (back == SOURCE)
            return slots;
        allot__edge_add(match, &edges[back], -slots);
        at = edges[back].kind;
    }
}

int64_t allot__match_push(allot__match *match, int32_t class, int64_t slots)
{
    int64_t pushed = 0;
    while (pushed < slots) {
        int32_t kind = search(match, class);
        if (kind < 0)
            break;
        pushed += augment(match, kind, slots - pushed);
    }
    return pushed;
}

/* Opens the classes that can use an open kind. */
static int32_t open_kind(allot__match *match, int32_t kind, uint8_t *open, int32_t tail)
{
    for (int32_t at = match->kind_first[kind]; at < match->kind_first[kind + 1]; at++) {
        int32_t class = match->edges[match->by_kind[at]].class;
        if (open[class] == 0) {
            open[class] = 1;
            match->queue[tail++] = class;
        }
    }
    return tail;
}

void allot__match_open(allot__match *match, uint8_t *open)
{
    int32_t tail = 0;
    forget(match);
    memset(open, 0, (size_t)match->classes);
    for (int32_t kind = 0; kind < match->kinds; kind++) {
        if (match->left[kind] > 0) {
            match->kind_via[kind] = SOURCE;
            tail = open_kind(match, kind, open, tail);
        }
    }
    for (int32_t head = 0; head < tail; head++) {
        int32_t class = match->queue[head];
        for (int32_t i = match->first[class]; i < match->first[class + 1]; i++) {
            const allot__edge *edge = &match->edges[i];
            if (edge->flow > 0 && match->kind_via[edge->kind] == UNSEEN) {
                match->kind_via[edge->kind] = SOURCE;
                tail = open_kind(match, edge->kind, open, tail);
            }
        }
    }
    for (int32_t kind = 0; kind < match->kinds; kind++)
        match->kind_via[kind] = UNSEEN;
}
