/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* groups.c: named groups of hosts and of users, and lists of hosts. */
#include <string.h>

#include "base/bits.h"
#include "json/text/names.h"
#include "json/jobs/queues.h"

/* At most so many names are candidates for "did you mean". */
#define NAMES_MAX 256

/* ---- Both ------------------------------------------------------------------------------------ */

static void read_groups(allot__plan_reader *reader, allot__plan_key key, allot__name_groups *out)
{
    static const allot__field field = {.kinds = ALLOT__LIST | ALLOT__STRING};
    allot__doc *doc = &reader->doc;
    const allot__value *top = &reader->top[key];
    out->list = allot__doc_take(doc, allot__value_count(doc, top), sizeof *out->list);
    uint32_t it = out->list ? allot__value_in(doc, top) : 0;
    for (; it; it = allot__doc_after(doc, top->number, it)) {
        allot__value value = allot__value_read(doc, it, &field);
        allot__name_group *group = &out->list[out->count++];
        *group = (allot__name_group){.name = allot__doc_key(doc, it), .number = it};
        allot__texts_read(doc, &value, &group->members);
    }
}

static allot__name_group *find_group(const allot__name_groups *groups, const char *name)
{
    for (size_t i = 0; i < groups->count; i++)
        if (strcmp(groups->list[i].name, name) == 0)
            return &groups->list[i];
    return NULL;
}

static size_t words_of(const allot__plan_reader *reader)
{
    return ((size_t)allot_plan_hosts(reader->plan) + 63) / 64;
}

bool allot__is_user_group(const allot__plan_reader *reader, const char *name)
{
    return find_group(&reader->user_groups, name) != NULL;
}

/* ---- Lists of hosts -------------------------------------------------------------------------- */

const char *allot__host_near(const allot__plan_reader *reader, const char *name)
{
    const char *names[NAMES_MAX];
    size_t count = 0;
    for (size_t i = 0; i < reader->host_groups.count && count < NAMES_MAX; i++)
        names[count++] = reader->host_groups.list[i].name;
    for (int32_t i = 0; i < allot_plan_hosts(reader->plan) && count < NAMES_MAX; i++)
        names[count++] = allot_plan_host_name(reader->plan, i);
    return allot_nearest(name, strlen(name), names, count);
}

static void unknown_host(allot__plan_reader *reader, uint32_t number, const char *name)
{
    allot__doc *doc = &reader->doc;
    if (reader->hosts_doubtful)
        return;
    const char *near = allot__host_near(reader, name);
    allot__doc_found(doc, allot__at(number), "E-host", near, "",
                     ", which is neither a host of the plan nor a group of hosts");
}

static void set_host(uint64_t *bits, int32_t host)
{
    bits[host / 64] |= UINT64_C(1) << host % 64;
}

static void set_all(const allot__plan_reader *reader, uint64_t *bits)
{
    for (int32_t i = 0; i < allot_plan_hosts(reader->plan); i++)
        set_host(bits, i);
}

/* Sets the bits of the hosts that a name means; false: unknown name. */
static bool set_named(const allot__plan_reader *reader, const char *name, uint64_t *bits)
{
    int32_t host = allot_plan_host_find(reader->plan, name);
    const allot__name_group *group =
        host < 0 && reader->host_groups.count > 0 ? find_group(&reader->host_groups, name) : NULL;
    if (host >= 0)
        set_host(bits, host);
    else if (strcmp(name, "all") == 0)
        set_all(reader, bits);
    else if (group && group->bits)
        for (size_t i = 0; i < words_of(reader); i++)
            bits[i] |= group->bits[i];
    return host >= 0 || group || strcmp(name, "all") == 0;
}

/* The hosts that a list names, less those behind "~"; a list of only such names means all others.
 * `less` is a block of the same size. */
static void evaluate(allot__plan_reader *reader, const allot__texts *texts, uint64_t *bits,
                     uint64_t *less)
{
    bool any = false;
    for (int32_t i = 0; i < texts->count; i++) {
        const char *name = texts->items[i];
        bool not = name[0] == '~';
        any = any || !not ;
        if (!set_named(reader, name + not, not ? less : bits))
            unknown_host(reader, texts->numbers[i], name + not );
    }
    if (!any)
        set_all(reader, bits);
    for (size_t i = 0; i < words_of(reader); i++)
        bits[i] &= ~less[i];
}

static uint64_t *evaluate_new(allot__plan_reader *reader, const allot__texts *texts)
{
    uint64_t *bits = allot__doc_take(&reader->doc, words_of(reader), sizeof *bits);
    uint64_t *less = allot__doc_take(&reader->doc, words_of(reader), sizeof *less);
    if (bits && less)
        evaluate(reader, texts, bits, less);
    return bits;
}

const char *const *allot__hosts_named(allot__plan_reader *reader, const allot__texts *texts,
                                      int32_t *count)
{
    *count = 0;
    if (texts->count == 0)
        return NULL;
    allot__doc *doc = &reader->doc;
    int64_t faults = doc->faults;
    const uint64_t *bits = evaluate_new(reader, texts);
    const char **names =
        bits
            ? allot__doc_take(doc, (size_t)allot__count_bits(bits, words_of(reader)), sizeof *names)
            : NULL;
    for (int32_t i = 0; names && i < allot_plan_hosts(reader->plan); i++)
        if (bits[i / 64] >> i % 64 & 1)
            names[(*count)++] = allot_plan_host_name(reader->plan, i);
    if (*count == 0 && doc->faults == faults && !reader->hosts_doubtful)
        allot__doc_fault(doc, allot__at(texts->numbers[0]), "E-host", NULL,
                         "found a list that names no host, allowed one that names some");
    return names;
}

/* ---- Groups of hosts ------------------------------------------------------------------------- */

/* The i-th member of a group, if it is a group of hosts whose hosts are not found yet. */
static allot__name_group *member_undone(allot__plan_reader *reader, const allot__name_group *group,
                                        int32_t i)
{
    const char *name = group->members.items[i] + (group->members.items[i][0] == '~');
    allot__name_group *member = allot_plan_host_find(reader->plan, name) < 0
                                    ? find_group(&reader->host_groups, name)
                                    : NULL;
    return member != NULL && member->progress != ALLOT__GROUP_DONE ? member : NULL;
}

/* The first unresolved group inside; NULL: none is left. A group that is still open contains this
 * one: a fault. */
static allot__name_group *undone(allot__plan_reader *reader, const allot__name_group *group)
{
    for (int32_t i = 0; i < group->members.count; i++) {
        allot__name_group *member = member_undone(reader, group, i);
        if (member && member->progress == ALLOT__GROUP_NEW)
            return member;
    }
    for (int32_t i = 0; i < group->members.count; i++) {
        allot__spot spot = allot__at(group->members.numbers[i]);
        if (member_undone(reader, group, i))
            allot__doc_found(&reader->doc, spot, "E-cycle", NULL, "",
                             ", a group of hosts that this one is inside of");
    }
    return NULL;
}

/* Resolves groups inside a group first: `open` is the stack of groups in progress. */
static void resolve(allot__plan_reader *reader, allot__name_group *group, allot__name_group **open)
{
    size_t depth = 0;
    open[depth++] = group;
    while (depth > 0) {
        allot__name_group *last = open[depth - 1];
        last->progress = ALLOT__GROUP_OPEN;
        allot__name_group *next = undone(reader, last);
        if (next) {
            open[depth++] = next;
            continue;
        }
        last->bits = evaluate_new(reader, &last->members);
        last->progress = ALLOT__GROUP_DONE;
        depth--;
    }
}

static void resolve_all(allot__plan_reader *reader)
{
    allot__name_groups *groups = &reader->host_groups;
    allot__name_group **open = allot__doc_take(&reader->doc, groups->count, sizeof *open);
    for (size_t i = 0; i < groups->count && open; i++)
        if (groups->list[i].progress == ALLOT__GROUP_NEW)
            resolve(reader, &groups->list[i], open);
}

/* ---- Groups of users ------------------------------------------------------------------------- */

/* A group's users, and those of the groups in it, each group once. */
typedef struct users {
    const char **names;
    int32_t count;
    bool *seen;    /* by group */
    size_t *queue; /* groups, in the order in which they were found */
    size_t queued;
} users;

static void come_upon(const allot__plan_reader *reader, users *it, const allot__name_group *group)
{
    size_t i = (size_t)(group - reader->user_groups.list);
    if (!it->seen[i])
        it->queue[it->queued++] = i;
    it->seen[i] = true;
}

static void no_users(allot__doc *doc, uint32_t number)
{
    allot__doc_found(doc, allot__at(number), "E-unsupported", NULL, "",
                     ", allowed users and groups by name: a plan knows no others");
}

static void gather(allot__plan_reader *reader, users *it, const allot__name_group *first)
{
    const allot__name_groups *groups = &reader->user_groups;
    it->count = 0;
    it->queued = 0;
    memset(it->seen, 0, groups->count * sizeof *it->seen);
    come_upon(reader, it, first);
    for (size_t i = 0; i < it->queued; i++) {
        const allot__texts *members = &groups->list[it->queue[i]].members;
        for (int32_t k = 0; k < members->count; k++) {
            const char *name = members->items[k];
            const allot__name_group *group = find_group(groups, name);
            bool word = name[0] == '~' || strcmp(name, "all") == 0;
            if (group)
                come_upon(reader, it, group);
            else if (!word)
                it->names[it->count++] = name;
            else if (i == 0)
                no_users(&reader->doc, members->numbers[k]);
        }
    }
}

static void add_users(allot__plan_reader *reader, users *it, const allot__name_group *group)
{
    gather(reader, it, group);
    int status = allot_plan_users(reader->plan, group->name, it->names, it->count);
    allot__doc_named(&reader->doc, status, allot__at_key(group->number), "the group of users ",
                     ALLOT__LABEL_RULE);
}

static void add_all_users(allot__plan_reader *reader)
{
    const allot__name_groups *groups = &reader->user_groups;
    allot__doc *doc = &reader->doc;
    users it = {0};
    size_t room = 0;
    for (size_t i = 0; i < groups->count; i++)
        room += (size_t)groups->list[i].members.count;
    it.names = allot__doc_take(doc, room, sizeof *it.names);
    it.seen = allot__doc_take(doc, groups->count, sizeof *it.seen);
    it.queue = allot__doc_take(doc, groups->count, sizeof *it.queue);
    for (size_t i = 0; i < groups->count && it.names && it.seen && it.queue; i++)
        add_users(reader, &it, &groups->list[i]);
}

void allot__groups_of_names_read(allot__plan_reader *reader)
{
    read_groups(reader, ALLOT__PLAN_HOST_GROUPS, &reader->host_groups);
    read_groups(reader, ALLOT__PLAN_USER_GROUPS, &reader->user_groups);
    resolve_all(reader);
    add_all_users(reader);
}
