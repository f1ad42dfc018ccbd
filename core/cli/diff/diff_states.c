/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* diff_states.c: the states that are compared: files, and folders of them. */
#include "cli/diff/diff.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *join(allot_engine *engine, const char *folder, const char *name)
{
    size_t size = strlen(folder) + strlen(name) + 2;
    char *path = allot_engine_alloc(engine, NULL, 0, size);
    bool slash = *folder == '\0' || folder[strlen(folder) - 1] == '/';
    if (path)
        snprintf(path, size, "%s%s%s", folder, slash ? "" : "/", name);
    return path;
}

static void path_free(allot_engine *engine, char *path, size_t size)
{
    allot_engine_alloc(engine, path, size, 0);
}

bool allot__paths_push(allot__paths *paths, const char *path)
{
    if (paths->count == paths->capacity) {
        size_t capacity = paths->capacity * 2 + 8;
        char **items = allot_engine_alloc(
            paths->engine, paths->items, paths->capacity * sizeof *items, capacity * sizeof *items);
        if (!items)
            return false;
        paths->items = items;
        paths->capacity = capacity;
    }
    size_t size = strlen(path) + 1;
    char *copy = allot_engine_alloc(paths->engine, NULL, 0, size);
    if (!copy)
        return false;
    memcpy(copy, path, size);
    paths->items[paths->count++] = copy;
    return true;
}

static bool is_state(const char *name)
{
    size_t len = strlen(name);
    return name[0] != '.' && len > 5 && strcmp(name + len - 5, ".json") == 0;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int push_folder(allot__cli *cli, const char *folder, DIR *open, allot__paths *paths)
{
    size_t first = paths->count;
    bool kept = true;
    for (const struct dirent *entry; kept && (entry = readdir(open));) {
        if (!is_state(entry->d_name))
            continue;
        char *path = join(paths->engine, folder, entry->d_name);
        kept = path != NULL && allot__paths_push(paths, path);
        if (path)
            path_free(paths->engine, path, strlen(folder) + strlen(entry->d_name) + 2);
    }
    closedir(open);
    if (!kept)
        return allot__cli_status(cli, ALLOT_ENOMEM);
    if (paths->count == first)
        return allot__cli_fail(cli, CLI_INVALID, "E-nothing", NULL,
                               "%.200s has no file that ends in .json: nothing was compared",
                               folder);
    qsort(paths->items + first, paths->count - first, sizeof *paths->items, by_name);
    paths->folder = true;
    return CLI_DONE;
}

/* What cannot be opened as a folder is read as a file, and that says why it cannot be. */
static int push_operand(allot__cli *cli, const char *path, allot__paths *out)
{
    DIR *folder = strcmp(path, "-") != 0 ? opendir(path) : NULL;
    if (folder)
        return push_folder(cli, path, folder, out);
    return allot__paths_push(out, path) ? CLI_DONE : allot__cli_status(cli, ALLOT_ENOMEM);
}

int allot__paths_of(allot__cli *cli, char **operands, int count, allot__paths *out)
{
    int code = CLI_DONE;
    *out = (allot__paths){.engine = cli->engine};
    for (int i = 0; i < count && code == CLI_DONE; i++)
        code = push_operand(cli, operands[i], out);
    return code;
}

void allot__paths_free(allot__paths *paths)
{
    for (size_t i = 0; i < paths->count; i++)
        path_free(paths->engine, paths->items[i], strlen(paths->items[i]) + 1);
    if (paths->items)
        allot_engine_alloc(paths->engine, paths->items, paths->capacity * sizeof *paths->items, 0);
}
