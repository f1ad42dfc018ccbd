/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* policy.c: loads every `policy` of a plan, with its options; finds those of first-level consumers
 * (H-15) before the consumers are read. */
#include <stdio.h>
#include <string.h>

#include "json/plan/plan.h"

/* Places the loader's findings that have no place: at the option concerned, or at `use`. */
static void place_findings(allot__doc *doc, int32_t first, uint32_t use, const allot__choices *list)
{
    for (int32_t i = first; i < allot_report_count(doc->report); i++) {
        const allot_diagnostic *finding = allot_report_at(doc->report, i);
        allot__spot spot = allot__at(use);
        if (finding->file)
            continue;
        for (int32_t o = 0; finding->path && o < list->count; o++)
            if (strcmp(finding->path, list->options[o].name) == 0)
                spot = allot__at_key(list->numbers[o]);
        allot__doc_keep(doc, allot__doc_place(doc, spot, i));
    }
}

static void give_policy(allot__plan_reader *reader, int32_t group, uint32_t use,
                        allot_policy *policy)
{
    bool branch = group <= ALLOT__BRANCH(0) && !allot__is_window(group);
    int status = allot__is_window(group)
                     ? allot_plan_window_policy(reader->plan, group - ALLOT__WINDOW(0), policy)
                 : branch ? allot_plan_attributes(reader->plan, policy)
                          : allot_plan_policy(reader->plan, group, policy);
    if (status == ALLOT_OK && branch)
        reader->branches[ALLOT__BRANCH(0) - group].loaded = policy;
    if (status != ALLOT_EUSAGE) {
        allot__doc_keep(&reader->doc, status);
        return;
    }
    allot__doc_fault(&reader->doc, allot__at(use), "E-policy", NULL,
                     "another policy of the plan declares an attribute of this one otherwise");
    reader->no_policy = true;
}

/* `name` stands at value `use`. */
static void load(allot__plan_reader *reader, int32_t group, const char *name, uint32_t use,
                 const allot__choices *list)
{
    allot__doc *doc = &reader->doc;
    const allot_policy_loader *loader = reader->loader;
    int32_t before = doc->report ? allot_report_count(doc->report) : 0;
    int64_t errors = doc->report ? allot_report_total(doc->report, ALLOT_ERROR) : 0;
    allot_policy *policy = NULL;
    int status = loader->load(loader->ud, doc->engine, name, doc->file, list->options, list->count,
                              &policy, doc->report);
    if (status == ALLOT_ENOMEM)
        allot__doc_keep(doc, status);
    else if (status == ALLOT_OK)
        give_policy(reader, group, use, policy);
    else if (!doc->report || allot_report_total(doc->report, ALLOT_ERROR) > errors)
        doc->faults++;
    else
        allot__doc_fault(doc, allot__at(use), status == ALLOT_EIO ? "E-io" : "E-policy", NULL,
                         "the policy cannot be loaded: %s", allot_status_text(status));
    if (status == ALLOT_EIO || status == ALLOT_EBUDGET) {
        reader->unread_status = reader->unread == 0 ? status : reader->unread_status;
        reader->unread++;
    }
    reader->no_policy = reader->no_policy || !policy;
    if (group > ALLOT__BRANCH(0) || allot__is_window(group) ||
        reader->branches[ALLOT__BRANCH(0) - group].loaded != policy)
        allot_policy_free(policy);
    if (doc->status == ALLOT_OK && doc->report)
        place_findings(doc, before, use, list);
}

/* Adds the policy's own options to the list; *use is the value of `use`. */
static void read_use(allot__plan_reader *reader, uint32_t object, int32_t group,
                     allot__choices *list, allot__value *use)
{
    static const allot__field use_field = {.kinds = ALLOT__STRING};
    allot__doc *doc = &reader->doc;
    for (uint32_t it = allot__doc_in(doc, object); it; it = allot__doc_after(doc, object, it))
        if (strcmp(allot__doc_key(doc, it), "use") == 0)
            *use = allot__value_read(doc, it, &use_field);
        else if (!allot__core_option_take(reader, it, group, false))
            allot__any_option_take(doc, it, true, list);
}

static void no_loader(allot__plan_reader *reader, uint32_t number)
{
    allot__doc_fault(&reader->doc, allot__at(number), "E-policy", NULL,
                     "the plan names a policy, and this program loads none");
    reader->no_policy = true;
}

/* Loads a replaced policy with the options beside its name, which no other policy gets. */
static void displace(allot__plan_reader *reader, const allot__value *use, allot__choices *list,
                     int32_t shared)
{
    const allot_policy_loader *loader = reader->loader;
    allot__doc *doc = &reader->doc;
    if (doc->status == ALLOT_OK &&
        loader->load(loader->ud, doc->engine, use->string, doc->file, list->options, list->count,
                     &reader->displaced, NULL) == ALLOT_ENOMEM)
        allot__doc_keep(doc, ALLOT_ENOMEM);
    list->count = shared;
}

/* Loads the policy of a group from its value: a name, or an object around it. */
static void read_policy(allot__plan_reader *reader, int32_t group, uint32_t number,
                        const allot__choices *shared)
{
    allot__doc *doc = &reader->doc;
    allot__choices list;
    if (!reader->loader) {
        no_loader(reader, number);
        return;
    }
    allot__value use = allot__value_of(doc, number);
    if (!allot__choices_new(doc, &list, shared, allot__value_count(doc, &use)))
        return;
    if (use.kind == ALLOT__OBJECT) {
        use = (allot__value){0};
        read_use(reader, number, group, &list, &use);
        if (use.number == 0)
            allot__doc_fault(doc, allot__at(number), "E-missing", NULL, "\"use\" is missing");
    }
    const char *instead = group == ALLOT_ALL ? reader->loader->instead : NULL;
    if (instead && use.kind != 0 && strcmp(instead, use.string) != 0)
        displace(reader, &use, &list, shared->count);
    if (use.kind == 0)
        reader->no_policy = true;
    else if (doc->status == ALLOT_OK)
        load(reader, group, instead ? instead : use.string, use.number, &list);
}

/* ---- Branches -------------------------------------------------------------------------------- */

/* The value of a first-level object's policy; 0: none. Values of another kind are reported with the
 * consumer. */
static uint32_t policy_of(const allot__doc *doc, uint32_t object)
{
    uint32_t policy =
        allot__doc_first(doc, object) == '{' ? allot__doc_member(doc, object, "policy") : 0;
    char first = policy != 0 ? allot__doc_first(doc, policy) : '\0';
    return first == '"' || first == '{' ? policy : 0;
}

void allot__branches_find(allot__plan_reader *reader)
{
    allot__doc *doc = &reader->doc;
    const allot__value *list = &reader->top[ALLOT__PLAN_CONSUMERS];
    size_t count = 0;
    uint32_t first = allot__value_in(doc, list);
    for (uint32_t it = first; it; it = allot__doc_after(doc, list->number, it))
        count += policy_of(doc, it) != 0;
    reader->branches = allot__doc_take(doc, count, sizeof *reader->branches);
    for (uint32_t it = reader->branches ? first : 0; it;
         it = allot__doc_after(doc, list->number, it)) {
        uint32_t policy = policy_of(doc, it);
        if (policy != 0)
            reader->branches[reader->branch_count++] =
                (allot__branch_entry){.object = it, .policy = policy};
    }
}

static bool same_text(const allot__doc *doc, uint32_t a, uint32_t b)
{
    size_t a_len, b_len;
    const char *a_text = allot__doc_text(doc, a, &a_len), *b_text = allot__doc_text(doc, b, &b_len);
    return a_len == b_len && memcmp(a_text, b_text, a_len) == 0;
}

/* Do all groups use the plan's own policy at all times, and is the value the same text? */
static bool as_the_plan(const allot__plan_reader *reader, uint32_t number)
{
    const allot__doc *doc = &reader->doc;
    uint32_t top = reader->top[ALLOT__PLAN_POLICY].number;
    for (size_t i = 0; i < reader->group_count; i++)
        if (reader->groups[i].policy != 0)
            return false;
    for (size_t i = 0; i < reader->window_count; i++)
        if (reader->windows[i].policy != 0)
            return false;
    if (top != 0)
        return same_text(doc, top, number);
    return allot__doc_first(doc, number) == '"' &&
           strcmp(allot__doc_string(doc, number), "hybrid") == 0;
}

/* Does entry i need no loading? Its value is the same text as the plan's own policy, or as an
 * earlier entry, whose policy it then shares. */
static bool branch_is_known(allot__plan_reader *reader, size_t i)
{
    allot__branch_entry *branch = &reader->branches[i];
    if (as_the_plan(reader, branch->policy))
        return true;
    for (size_t k = 0; k < i; k++) {
        if (same_text(&reader->doc, reader->branches[k].policy, branch->policy)) {
            branch->loaded = reader->branches[k].loaded;
            branch->shared = true;
            return true;
        }
    }
    return false;
}

void allot__branch_set(allot__plan_reader *reader, uint32_t object, int32_t consumer)
{
    for (size_t i = 0; i < reader->branch_count; i++) {
        const allot__branch_entry *branch = &reader->branches[i];
        if (branch->object != object || !branch->loaded)
            continue;
        int status = allot_plan_branch(reader->plan, consumer, branch->loaded);
        if (status != ALLOT_EUSAGE) {
            allot__doc_keep(&reader->doc, status);
            return;
        }
        allot__doc_fault(&reader->doc, allot__at(branch->policy), "E-policy", NULL,
                         "a plan has at most 254 branches with a policy of their own");
    }
}

/* ---- All policies ---------------------------------------------------------------------------- */

/* Is the plan's own policy needed: is it stated, or does a group have none? */
static bool is_wanted(const allot__plan_reader *reader)
{
    bool wanted = reader->group_count == 0 || reader->top[ALLOT__PLAN_POLICY].number != 0;
    for (size_t i = 0; i < reader->group_count; i++)
        wanted = wanted || reader->groups[i].policy == 0;
    return wanted;
}

static const char *default_policy(const allot__plan_reader *reader)
{
    const char *instead = reader->loader->instead;
    return instead ? instead : allot__plan_default_policy(reader);
}

static void no_place(allot__plan_reader *reader)
{
    allot__doc_fault(&reader->doc, allot__at(0), "E-policy", NULL,
                     "every group of the plan names its policy: there is none that %.100s could "
                     "stand in for",
                     reader->loader->instead);
    reader->no_policy = true;
}

static void read_policies(allot__plan_reader *reader, const allot__choices *shared)
{
    const allot__value *top = &reader->top[ALLOT__PLAN_POLICY];
    if (top->kind != 0)
        read_policy(reader, ALLOT_ALL, top->number, shared);
    else if (top->number != 0 || (!reader->loader && is_wanted(reader)))
        reader->no_policy = true;
    else if (is_wanted(reader))
        load(reader, ALLOT_ALL, default_policy(reader), 0, shared);
    else if (reader->loader && reader->loader->instead)
        no_place(reader);
    for (size_t i = 0; i < reader->group_count; i++) {
        const allot__group_entry *entry = &reader->groups[i];
        if (entry->policy != 0 && entry->group >= 0)
            read_policy(reader, entry->group, entry->policy, shared);
    }
    for (size_t i = 0; i < reader->branch_count; i++) {
        uint32_t number = reader->branches[i].policy;
        if (!reader->loader || !branch_is_known(reader, i))
            read_policy(reader, ALLOT__BRANCH(i), number, shared);
    }
    for (size_t i = 0; i < reader->window_count; i++) {
        const allot__window_entry *entry = &reader->windows[i];
        reader->no_policy = reader->no_policy || (entry->policy != 0 && entry->window < 0);
        if (entry->policy != 0 && entry->window >= 0)
            read_policy(reader, ALLOT__WINDOW(entry->window), entry->policy, shared);
    }
}

/* ---- The policy that another stands in for --------------------------------------------------- */

static bool declares(const allot_plan *plan, const char *name, bool of_tasks)
{
    allot_attribute it;
    if (!of_tasks)
        return allot_plan_column(plan, name, strlen(name)) >= 0;
    for (int32_t i = 0; allot_plan_task_attribute_at(plan, i, &it) == ALLOT_OK; i++)
        if (strcmp(it.name, name) == 0)
            return true;
    return false;
}

/* Adds the attribute to `rest`, and its name to the list, if no policy of the plan declares it. */
static int leave_over(const allot__plan_reader *reader, const allot_attribute *it, bool of_tasks,
                      allot_policy *rest, char *names, size_t size)
{
    size_t used = strlen(names);
    if (declares(reader->plan, it->name, of_tasks))
        return ALLOT_OK;
    snprintf(names + used, size - used, "%s%s", used > 0 ? ", " : "", it->name);
    return of_tasks ? allot_policy_task_attribute(rest, it) : allot_policy_attribute(rest, it);
}

/* Allows attributes that only the replaced policy declares; one warning lists them. */
static void read_leftover(allot__plan_reader *reader)
{
    const allot_policy *own = reader->displaced;
    allot_policy *rest;
    char names[300] = "";
    if (!own || reader->no_policy)
        return;
    int status = allot_policy_new(reader->doc.engine, allot_policy_name(own), &rest);
    if (allot__doc_keep(&reader->doc, status) != ALLOT_OK)
        return;
    for (int32_t i = 0; i < allot_policy_attributes(own) && status == ALLOT_OK; i++)
        status =
            leave_over(reader, allot_policy_attribute_at(own, i), false, rest, names, sizeof names);
    for (int32_t i = 0; i < allot_policy_task_attributes(own) && status == ALLOT_OK; i++)
        status = leave_over(reader, allot_policy_task_attribute_at(own, i), true, rest, names,
                            sizeof names);
    if (status == ALLOT_OK && *names != '\0')
        status = allot_plan_attributes(reader->plan, rest);
    allot_policy_free(rest);
    if (status == ALLOT_OK && *names != '\0')
        allot__doc_warn(&reader->doc, allot__at(reader->top[ALLOT__PLAN_POLICY].number), "W-unread",
                        NULL, "\"%.100s\" stands in for \"%.100s\", and does not read its %s",
                        reader->loader->instead, allot_policy_name(own), names);
    if (status == ALLOT_ENOMEM)
        allot__doc_keep(&reader->doc, status);
}

/* ---- Options --------------------------------------------------------------------------------- */

/* Has the plan a single policy, so that no other can know an option? Not if one replaces another.
 */
static bool is_single(const allot__plan_reader *reader)
{
    bool single = reader->branch_count == 0 && (!reader->loader || !reader->loader->instead);
    for (size_t i = 0; i < reader->group_count; i++)
        single = single && reader->groups[i].policy == 0;
    for (size_t i = 0; i < reader->window_count; i++)
        single = single && reader->windows[i].policy == 0;
    return single;
}

/* Takes the policy's keys of `params`; `options` come later, and win. */
static void take_params(allot__plan_reader *reader, allot__choices *list)
{
    allot__doc *doc = &reader->doc;
    const allot__value *params = &reader->top[ALLOT__PLAN_PARAMS];
    uint32_t it = allot__value_in(doc, params);
    for (; it; it = allot__doc_after(doc, params->number, it)) {
        const char *key = allot__doc_key(doc, it);
        if (strcmp(key, "preempt_for") == 0 || strcmp(key, "preempt_jobtype") == 0)
            allot__any_option_take(doc, it, false, list);
    }
}

void allot__policies_read(allot__plan_reader *reader)
{
    allot__doc *doc = &reader->doc;
    const allot__value *options = &reader->top[ALLOT__PLAN_OPTIONS];
    allot__choices shared;
    bool single = is_single(reader);
    size_t most = allot__value_count(doc, options) +
                  allot__value_count(doc, &reader->top[ALLOT__PLAN_PARAMS]);
    if (!allot__choices_new(doc, &shared, NULL, most))
        return;
    uint32_t it = allot__value_in(doc, options); /* reports repeated keys of both first */
    allot__value_in(doc, &reader->top[ALLOT__PLAN_PARAMS]);
    take_params(reader, &shared);
    for (; it; it = allot__doc_after(doc, options->number, it))
        allot__option_take(reader, it, single, &shared);
    if (doc->status == ALLOT_OK)
        read_policies(reader, &shared);
    if (doc->status == ALLOT_OK)
        read_leftover(reader);
}

void allot__policies_free(allot__plan_reader *reader)
{
    for (size_t i = 0; i < reader->branch_count; i++)
        if (!reader->branches[i].shared)
            allot_policy_free(reader->branches[i].loaded);
    allot_policy_free(reader->displaced);
}
