/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* top_tree.c: which row is which: branches know their open children by their places alone. */
#include <string.h>

#include "cli/serve/top.h"

/* Rows of a branch with all that is open in it: each open branch adds its children. Branches are
 * walked in the order of their rows, without recursion. */
static const allot__top_node *next_open(const allot__top_node *root, const allot__top_node *node)
{
    if (node->first)
        return node->first;
    while (node != root && !node->next)
        node = node->parent;
    return node == root ? NULL : node->next;
}

static int64_t size_of(const allot__top_node *root)
{
    int64_t size = 0;
    for (const allot__top_node *node = root; node; node = next_open(root, node))
        size += node->of;
    return size;
}

int64_t allot__top_count(const allot__top *top)
{
    return top->find[0] != '\0' ? top->found : size_of(&top->root);
}

allot__top_place allot__top_at(allot__top *top, int64_t row)
{
    if (top->find[0] != '\0')
        return (allot__top_place){NULL, row};
    allot__top_node *node = &top->root;
    for (;;) {
        int64_t skipped = 0;
        allot__top_node *child = node->first;
        for (; child; child = child->next) {
            int64_t size = size_of(child);
            if (row <= child->at + skipped)
                return (allot__top_place){node, row - skipped};
            if (row <= child->at + skipped + size)
                break;
            skipped += size;
        }
        if (!child)
            return (allot__top_place){node, row - skipped};
        row -= child->at + skipped + 1;
        node = child;
    }
}

int64_t allot__top_line(const allot__top_node *node)
{
    int64_t line = -1;
    for (; node->parent; node = node->parent) {
        line += 1 + node->at;
        const allot__top_node *before = node->parent->first;
        for (; before != node; before = before->next)
            line += size_of(before);
    }
    return line;
}

static allot__top_node **find_child(allot__top_node *node, int64_t at)
{
    allot__top_node **place = &node->first;
    while (*place && (*place)->at < at)
        place = &(*place)->next;
    return place;
}

const allot__top_row *allot__top_row_of(const allot__top *top, int64_t row)
{
    int64_t i = row - top->top;
    return i >= 0 && i < TOP_ROWS && top->rows[i].there ? &top->rows[i] : NULL;
}

bool allot__top_is_open(allot__top *top, int64_t row)
{
    allot__top_place place = allot__top_at(top, row);
    if (!place.node)
        return false;
    const allot__top_node *child = *find_child(place.node, place.at);
    return child != NULL && child->at == place.at;
}

static void free_node(allot__top *top, allot__top_node *node)
{
    allot_engine *engine = top->cli->engine;
    allot_engine_alloc(engine, node->path, strlen(node->path) + 1, 0);
    allot_engine_alloc(engine, node, sizeof *node, 0);
}

/* Ends all that is open below; leaves first. */
static void close_all(allot__top *top, allot__top_node *root)
{
    allot__top_node *node = root;
    while (root->first) {
        while (node->first)
            node = node->first;
        allot__top_node *parent = node->parent;
        parent->first = node->next;
        free_node(top, node);
        node = parent;
    }
}

static bool open_row(allot__top *top, allot__top_node *parent, int64_t at,
                     const allot__top_row *row)
{
    allot_engine *engine = top->cli->engine;
    size_t len = strlen(row->path);
    allot__top_node *node = allot_engine_alloc(engine, NULL, 0, sizeof *node);
    char *path = node ? allot_engine_alloc(engine, NULL, 0, len + 1) : NULL;
    if (!path) {
        if (node)
            allot_engine_alloc(engine, node, sizeof *node, 0);
        return false;
    }
    memcpy(path, row->path, len + 1);
    allot__top_node **place = find_child(parent, at);
    *node = (allot__top_node){path, row->children, at, parent->level + 1, parent, NULL, *place};
    *place = node;
    return true;
}

bool allot__top_fold(allot__top *top, int64_t row, bool open)
{
    const allot__top_row *it = allot__top_row_of(top, row);
    allot__top_place place = allot__top_at(top, row);
    if (!place.node || !it || it->children == 0)
        return false;
    allot__top_node **child = find_child(place.node, place.at), *node = *child;
    bool is = node != NULL && node->at == place.at;
    if (is == open)
        return false;
    if (open)
        return open_row(top, place.node, place.at, it);
    close_all(top, node);
    *child = node->next;
    free_node(top, node);
    return true;
}

void allot__top_clear(allot__top *top)
{
    close_all(top, &top->root);
    top->root.of = top->top = top->here = 0;
}
