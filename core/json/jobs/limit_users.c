/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* limit_users.c: of which users and groups a limit holds: "all ~ann", say. */
#include <string.h>

#include "json/text/names.h"
#include "json/jobs/queues.h"

/* Four lists in one block, each with room for all that it may get. */
typedef struct lists {
    const char **users, **groups, **but_users, **but_groups;
} lists;

static bool is_all(const char *name)
{
    return strcmp(name, "all") == 0;
}

/* Besides "all" no name says anything, unless it is excepted. */
static bool has_all(const allot__texts *texts)
{
    for (int32_t i = 0; i < texts->count; i++)
        if (is_all(texts->items[i]))
            return true;
    return false;
}

static void take(allot__plan_reader *reader, const allot__texts *texts, bool groups,
                 const lists *to, allot_job_limit *limit)
{
    char quote[ALLOT__QUOTE_MAX + 4];
    bool all = has_all(texts);
    for (int32_t i = 0; i < texts->count; i++) {
        allot__spot spot = allot__at(texts->numbers[i]);
        bool but = texts->items[i][0] == '~';
        const char *name = texts->items[i] + but;
        bool group = groups || allot__is_user_group(reader, name);
        if (but && (*name == '\0' || is_all(name)))
            allot__doc_fault(&reader->doc, spot, "E-unsupported", NULL,
                             "found %s, allowed \"~\" before the name of a user or group",
                             allot__doc_quote(&reader->doc, spot, quote));
        else if (but && group)
            to->but_groups[limit->but_group_count++] = name;
        else if (but)
            to->but_users[limit->but_user_count++] = name;
        else if (!all && group)
            to->groups[limit->group_count++] = name;
        else if (!all)
            to->users[limit->user_count++] = name;
    }
}

void allot__limit_users_read(allot__plan_reader *reader, const allot__texts *users,
                             const allot__texts *groups, const char ***names, size_t *room,
                             allot_job_limit *limit)
{
    size_t most = (size_t)users->count + (size_t)groups->count;
    *room = 4 * most;
    *names = allot__block_new(&reader->doc, *room, sizeof **names);
    if (!*names)
        return;
    const lists to = {*names, *names + most, *names + 2 * most, *names + 3 * most};
    take(reader, users, false, &to, limit);
    take(reader, groups, true, &to, limit);
    limit->users = to.users;
    limit->groups = to.groups;
    limit->but_users = to.but_users;
    limit->but_groups = to.but_groups;
}
