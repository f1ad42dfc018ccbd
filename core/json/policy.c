/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * policy.c: `options` and `policy`: what the core takes, and what policies are loaded with.
 *
 * An option beside `use` is for that use alone. One under `options` is for all, and a policy that
 * does not know it lets it pass, as other policies of the plan may; but where the plan has a
 * single policy, nobody else can, so there it is an error unless the contract names it.
 */
#include "json/plan.h"
#include "json/words.h"

#include <string.h>

/* Options of every plan besides the core's: those of ready-made policies. A policy that does
 * not know one lets it pass. */
static const allot__field plan_options[] = {
    {"reclaim_before_borrow", ALLOT__BOOLEAN, 0, 0, false, false},
    {"adjust_share_to_workload", ALLOT__BOOLEAN, 0, 0, false, false},
    {"enforce_share", ALLOT__STRING, 0, 0, false, false},
    {"evenly", ALLOT__BOOLEAN, 0, 0, false, false},
};
#define PLAN_OPTIONS (sizeof plan_options / sizeof plan_options[0])

/* What an option is written as; one is a word. */
#define OPTION_KIND(name, max)                                                                     \
    (ALLOT_OPTION_##name == ALLOT_OPTION_PLACEMENT                                                 \
         ? ALLOT__STRING                                                                           \
         : ((max) == 1 ? ALLOT__BOOLEAN : ALLOT__INTEGER))
#define OPTION_FIELD(name, text, min, max, fallback)                                               \
    {text, OPTION_KIND(name, max), min, max, false, false},
static const allot__field core_options[] = {ALLOT_OPTION_MAP(OPTION_FIELD)};
#undef OPTION_FIELD

/* What policies are loaded with, and where it stands. */
typedef struct choices {
    allot_use_option *options;
    uint32_t *numbers;
    int32_t count, capacity;
    int32_t shared; /* the first are those under `options` */
} choices;

static int choices_new(allot_engine *engine, choices *list, size_t capacity)
{
    size_t room = capacity > 0 ? capacity : 1;
    memset(list, 0, sizeof *list);
    list->capacity = (int32_t)room;
    list->options = allot_engine_alloc(engine, NULL, 0, room * sizeof *list->options);
    list->numbers = allot_engine_alloc(engine, NULL, 0, room * sizeof *list->numbers);
    return list->options != NULL && list->numbers != NULL ? ALLOT_OK : ALLOT_ENOMEM;
}

static void choices_free(allot_engine *engine, choices *list)
{
    size_t room = (size_t)list->capacity;
    if (list->options != NULL)
        allot_engine_alloc(engine, list->options, room * sizeof *list->options, 0);
    if (list->numbers != NULL)
        allot_engine_alloc(engine, list->numbers, room * sizeof *list->numbers, 0);
}

static void choose(choices *list, const char *name, const allot__value *value, bool mine)
{
    allot_use_option *option = &list->options[list->count];
    list->numbers[list->count++] = value->number;
    *option = (allot_use_option){.name = name, .integer = value->integer, .mine = mine};
    option->type = value->kind == ALLOT__STRING    ? ALLOT_JSON_STRING
                   : value->kind == ALLOT__LIST    ? ALLOT_JSON_WORDS
                   : value->kind == ALLOT__BOOLEAN ? ALLOT_JSON_BOOLEAN
                                                   : ALLOT_JSON_INTEGER;
    option->string = value->string;
}

/* ---- Options --------------------------------------------------------------------------------- */

/* In place of a group: branch i, window i. */
#define BRANCH(i) (-2 - (int32_t)(i))
#define WINDOW(i) (INT32_MIN + (int32_t)(i))
static bool is_window(int32_t group)
{
    return group < WINDOW(ALLOT_WINDOWS_MAX);
}

/* Sets a core option of a group or window, or of all groups that use the plan's policy. */
static int set_option(allot__plan_reader *reader, int32_t group, bool everywhere, int option,
                      int64_t value)
{
    if (is_window(group))
        return allot_plan_window_option(reader->plan, group - WINDOW(0), (allot_option)option,
                                        value);
    if (group != ALLOT_ALL || everywhere || reader->group_count == 0)
        return allot_plan_option(reader->plan, group, (allot_option)option, value);
    int status = ALLOT_OK;
    for (size_t i = 0; i < reader->group_count && status == ALLOT_OK; i++)
        if (reader->groups[i].policy == 0 && reader->groups[i].group >= 0)
            status = allot_plan_option(reader->plan, reader->groups[i].group, (allot_option)option,
                                       value);
    return status;
}

/* The one option of the core that is a word. */
static void read_placement(allot__doc *doc, allot__value *value)
{
    char quote[ALLOT__QUOTE_MAX + 4];
    if (value->kind == 0)
        return;
    value->integer = strcmp(value->string, "balanced") == 0;
    if (value->integer != 0 || strcmp(value->string, "stacked") == 0)
        return;
    allot__doc_fault(doc, allot__at(value->number), "E-range", NULL,
                     "found %s, allowed \"stacked\" or \"balanced\"",
                     allot__doc_quote(doc, allot__at(value->number), quote));
    value->kind = 0;
}

/* Takes the member when it is an option of the core; *taken says so. */
static int take_core_option(allot__plan_reader *reader, const cJSON *member, int32_t group,
                            bool everywhere, bool *taken)
{
    *taken = false;
    if (group < ALLOT_ALL && !is_window(group))
        return ALLOT_OK; /* a branch has none: they are the group's */
    for (int i = 0; i < ALLOT_OPTION_COUNT; i++) {
        if (strcmp(member->string, core_options[i].key) != 0)
            continue;
        *taken = true;
        allot__value value = allot__value_read(&reader->doc, member, &core_options[i]);
        if (i == ALLOT_OPTION_PLACEMENT)
            read_placement(&reader->doc, &value);
        return value.kind == 0 ? ALLOT_OK : set_option(reader, group, everywhere, i, value.integer);
    }
    return ALLOT_OK;
}

/* An option that the policy alone knows. */
static int take_any(allot__doc *doc, cJSON *member, bool mine, choices *list)
{
    allot__value value;
    int status = allot__option_read(doc, member, &value);
    if (status == ALLOT_OK && value.kind != 0)
        choose(list, member->string, &value, mine);
    return status;
}

/* A name near one that every plan knows is a slip. */
static bool is_slip(allot__doc *doc, const cJSON *member)
{
    const char *names[ALLOT_OPTION_COUNT + PLAN_OPTIONS];
    char quote[ALLOT__QUOTE_MAX + 4], hint[160];
    for (int i = 0; i < ALLOT_OPTION_COUNT; i++)
        names[i] = core_options[i].key;
    for (size_t i = 0; i < PLAN_OPTIONS; i++)
        names[ALLOT_OPTION_COUNT + i] = plan_options[i].key;
    const char *near = allot_nearest(member->string, strlen(member->string), names,
                                     ALLOT_OPTION_COUNT + PLAN_OPTIONS);
    allot__spot spot = allot__at_key((uint32_t)member->valueint);
    if (near != NULL)
        allot__doc_fault(doc, spot, "E-unknown-key", allot__did_you_mean(near, hint, sizeof hint),
                         "found the unknown option %s", allot__doc_quote(doc, spot, quote));
    return near != NULL;
}

static bool is_enforcement(allot__doc *doc, const allot__value *value)
{
    char quote[ALLOT__QUOTE_MAX + 4];
    allot__spot spot = allot__at(value->number);
    bool known = strcmp(value->string, "parent") == 0 || strcmp(value->string, "leaf") == 0;
    if (!known)
        allot__doc_fault(doc, spot, "E-range", NULL, "found %s, allowed \"leaf\" or \"parent\"",
                         allot__doc_quote(doc, spot, quote));
    return known;
}

static void take_plan_option(allot__doc *doc, const cJSON *member, const allot__field *field,
                             choices *list)
{
    allot__value value = allot__value_read(doc, member, field);
    bool known = value.kind != 0;
    if (known && strcmp(field->key, "enforce_share") == 0)
        known = is_enforcement(doc, &value);
    if (known)
        choose(list, member->string, &value, false);
}

static int take_option(allot__plan_reader *reader, cJSON *member, bool single, choices *list)
{
    allot__doc *doc = &reader->doc;
    bool taken;
    int status = take_core_option(reader, member, ALLOT_ALL, true, &taken);
    if (taken)
        return status;
    for (size_t i = 0; i < PLAN_OPTIONS; i++)
        if (strcmp(member->string, plan_options[i].key) == 0) {
            take_plan_option(doc, member, &plan_options[i], list);
            return ALLOT_OK;
        }
    if (is_slip(doc, member))
        return ALLOT_OK;
    return take_any(doc, member, single, list);
}

/* ---- Policies -------------------------------------------------------------------------------- */

/* Places what the loader said without a place: at the option it is about, or at `use`. */
static int place_findings(allot__doc *doc, int32_t first, uint32_t use, const choices *list)
{
    int status = ALLOT_OK;
    for (int32_t i = first; i < allot_report_count(doc->report) && status == ALLOT_OK; i++) {
        const allot_diagnostic *finding = allot_report_at(doc->report, i);
        allot__spot spot = allot__at(use);
        if (finding->file != NULL)
            continue;
        for (int32_t o = 0; finding->path != NULL && o < list->count; o++)
            if (strcmp(finding->path, list->options[o].name) == 0)
                spot = allot__at_key(list->numbers[o]);
        status = allot__doc_place(doc, spot, i);
    }
    return status;
}

static int give_policy(allot__plan_reader *reader, int32_t group, uint32_t use,
                       allot_policy *policy)
{
    bool branch = group <= BRANCH(0) && !is_window(group);
    int status = is_window(group)
                     ? allot_plan_window_policy(reader->plan, group - WINDOW(0), policy)
                 : branch ? allot_plan_attributes(reader->plan, policy)
                          : allot_plan_policy(reader->plan, group, policy);
    if (status == ALLOT_OK && branch)
        reader->branches[BRANCH(0) - group].loaded = policy;
    if (status != ALLOT_EUSAGE)
        return status;
    allot__doc_fault(&reader->doc, allot__at(use), "E-policy", NULL,
                     "another policy of the plan declares an attribute of this one otherwise");
    reader->no_policy = true;
    return ALLOT_OK;
}

/* `name` stands at value `use`. */
static int load(allot__plan_reader *reader, int32_t group, const char *name, uint32_t use,
                const choices *list)
{
    allot__doc *doc = &reader->doc;
    const allot_policy_loader *loader = reader->loader;
    int32_t before = doc->report != NULL ? allot_report_count(doc->report) : 0;
    int64_t errors = doc->report != NULL ? allot_report_total(doc->report, ALLOT_ERROR) : 0;
    allot_policy *policy = NULL;
    int status = loader->load(loader->ud, doc->engine, name, doc->file, list->options, list->count,
                              &policy, doc->report);
    if (status == ALLOT_ENOMEM)
        return status;
    if (status == ALLOT_OK)
        status = give_policy(reader, group, use, policy);
    else if (doc->report == NULL || allot_report_total(doc->report, ALLOT_ERROR) > errors)
        doc->faults++;
    else
        allot__doc_fault(doc, allot__at(use), status == ALLOT_EIO ? "E-io" : "E-policy", NULL,
                         "the policy cannot be loaded: %s", allot_status_text(status));
    if (status == ALLOT_EIO || status == ALLOT_EBUDGET) {
        reader->unread_status = reader->unread == 0 ? status : reader->unread_status;
        reader->unread++;
    }
    reader->no_policy = reader->no_policy || policy == NULL;
    if (group > BRANCH(0) || is_window(group) ||
        reader->branches[BRANCH(0) - group].loaded != policy)
        allot_policy_free(policy);
    if (status == ALLOT_ENOMEM || doc->report == NULL)
        return status == ALLOT_ENOMEM ? status : ALLOT_OK;
    return place_findings(doc, before, use, list);
}

/* The policy's own options join the list; what `use` names is in *use. */
static int read_use(allot__plan_reader *reader, cJSON *node, int32_t group, choices *list,
                    allot__value *use)
{
    static const allot__field use_field = {.kinds = ALLOT__STRING};
    int status = ALLOT_OK;
    for (cJSON *it = node->child; it != NULL && status == ALLOT_OK; it = it->next) {
        bool taken;
        if (it->valueint == 0)
            continue;
        if (strcmp(it->string, "use") == 0) {
            *use = allot__value_read(&reader->doc, it, &use_field);
            continue;
        }
        status = take_core_option(reader, it, group, false, &taken);
        if (!taken)
            status = take_any(&reader->doc, it, true, list);
    }
    return status;
}

static int no_loader(allot__plan_reader *reader, uint32_t number)
{
    allot__doc_fault(&reader->doc, allot__at(number), "E-policy", NULL,
                     "the plan names a policy, and this program loads none");
    reader->no_policy = true;
    return ALLOT_OK;
}

/* Loads the policy of a group from its value: a name, or an object around it. */
static int read_policy(allot__plan_reader *reader, int32_t group, uint32_t number,
                       const choices *shared)
{
    allot__doc *doc = &reader->doc;
    choices list;
    cJSON *node;
    if (reader->loader == NULL)
        return no_loader(reader, number);
    int status = allot__doc_parse(doc, number, &node);
    if (status != ALLOT_OK)
        return status;
    allot__value use = allot__value_of(doc, node);
    status = choices_new(doc->engine, &list, (size_t)(shared->count + cJSON_GetArraySize(node)));
    if (status == ALLOT_OK) {
        list.count = shared->count;
        memcpy(list.options, shared->options, (size_t)list.count * sizeof *list.options);
        memcpy(list.numbers, shared->numbers, (size_t)list.count * sizeof *list.numbers);
    }
    if (status == ALLOT_OK && use.kind == ALLOT__OBJECT) {
        use = (allot__value){0};
        status = read_use(reader, node, group, &list, &use);
        if (status == ALLOT_OK && use.number == 0)
            allot__doc_fault(doc, allot__at(number), "E-missing", NULL, "\"use\" is missing");
    }
    if (use.kind == 0)
        reader->no_policy = true;
    else if (status == ALLOT_OK)
        status = load(reader, group, use.string, use.number, &list);
    choices_free(doc->engine, &list);
    cJSON_Delete(node);
    return status;
}

/* The plan's own policy is wanted where it is written, or by groups that have none. */
static bool is_wanted(const allot__plan_reader *reader)
{
    bool wanted = reader->group_count == 0 || reader->top[ALLOT__PLAN_POLICY].number != 0;
    for (size_t i = 0; i < reader->group_count; i++)
        wanted = wanted || reader->groups[i].policy == 0;
    return wanted;
}

static int read_policies(allot__plan_reader *reader, const choices *shared)
{
    const allot__value *top = &reader->top[ALLOT__PLAN_POLICY];
    int status = ALLOT_OK;
    if (top->kind != 0)
        status = read_policy(reader, ALLOT_ALL, top->number, shared);
    else if (top->number != 0 || (reader->loader == NULL && is_wanted(reader)))
        reader->no_policy = true;
    else if (is_wanted(reader))
        status = load(reader, ALLOT_ALL, "hybrid", 0, shared);
    for (size_t i = 0; i < reader->group_count && status == ALLOT_OK; i++) {
        const allot__group_entry *entry = &reader->groups[i];
        if (entry->policy == 0 || entry->group < 0)
            continue;
        status = read_policy(reader, entry->group, entry->policy, shared);
    }
    for (size_t i = 0; i < reader->branch_count && status == ALLOT_OK; i++) {
        uint32_t number = reader->branches[i].policy;
        if (reader->loader == NULL || !allot__branch_known(reader, i))
            status = read_policy(reader, BRANCH(i), number, shared);
    }
    for (size_t i = 0; i < reader->window_count && status == ALLOT_OK; i++) {
        const allot__window_entry *entry = &reader->windows[i];
        reader->no_policy = reader->no_policy || (entry->policy != 0 && entry->window < 0);
        if (entry->policy != 0 && entry->window >= 0)
            status = read_policy(reader, WINDOW(entry->window), entry->policy, shared);
    }
    return status;
}

int allot__policies_read(allot__plan_reader *reader)
{
    const allot__value *options = &reader->top[ALLOT__PLAN_OPTIONS];
    allot__doc *doc = &reader->doc;
    choices shared;
    cJSON *node = NULL;
    bool single = reader->branch_count == 0;
    int status = ALLOT_OK;
    for (size_t i = 0; i < reader->group_count; i++)
        single = single && reader->groups[i].policy == 0;
    for (size_t i = 0; i < reader->window_count; i++)
        single = single && reader->windows[i].policy == 0;
    if (options->kind != 0)
        status = allot__doc_parse(doc, options->number, &node);
    if (status != ALLOT_OK)
        return status;
    status = choices_new(doc->engine, &shared, (size_t)cJSON_GetArraySize(node));
    for (cJSON *it = node != NULL ? node->child : NULL; it != NULL && status == ALLOT_OK;
         it = it->next)
        if (it->valueint != 0)
            status = take_option(reader, it, single, &shared);
    if (status == ALLOT_OK)
        status = read_policies(reader, &shared);
    choices_free(doc->engine, &shared);
    cJSON_Delete(node);
    return status;
}
