/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* change.c: what the windows of a variant change. */
#include "model/windows/window.h"

uint64_t allot__held_windows(const allot_plan *plan, const allot__group *group)
{
    return plan->held & allot__windows_of(plan, (int32_t)(group - plan->groups));
}

/* The last change of a column (or, index < 0, of any) of a consumer (or, < 0, of any) in a
 * window. */
static const allot__window_change *change_of(const allot__hours *hours, int32_t consumer,
                                             int32_t index)
{
    const allot__window_change *changes = hours->changes.items;
    for (size_t i = hours->changes.count; i > 0; i--) {
        const allot__window_change *it = &changes[i - 1];
        if ((consumer < 0 || it->consumer == consumer) && (index < 0 || it->index == index))
            return it;
    }
    return NULL;
}

void allot__variant_fill(const allot_plan *plan, const allot__group *group, int32_t index)
{
    uint64_t held = allot__held_windows(plan, group);
    int32_t *out = group->columns[index];
    for (int32_t i = 0; held >> i != 0; i++) {
        const allot__hours *hours = allot__hours_at(plan, i);
        const allot__window_change *changes = hours->changes.items;
        for (size_t k = 0; held >> i & 1 && k < hours->changes.count; k++) {
            int32_t row = plan->tree.row_of[changes[k].consumer];
            if (changes[k].index == index)
                out[group->group_row ? group->group_row[row] : row] = changes[k].value;
        }
        if (i == ALLOT_WINDOWS_MAX - 1)
            return;
    }
}

bool allot__variant_states(const allot_plan *plan, const allot__group *group, int32_t consumer,
                           int32_t index)
{
    uint64_t held = allot__held_windows(plan, group);
    for (int32_t i = 0; i < allot__hours_count(plan); i++)
        if (held >> i & 1 && change_of(allot__hours_at(plan, i), consumer, index))
            return true;
    return false;
}

static bool below(const allot_plan *plan, int32_t consumer, int32_t parent)
{
    while (consumer >= 0 && consumer != parent)
        consumer = plan->names->entries[consumer].parent;
    return consumer >= 0;
}

/* How likely a window is the cause of a fault: larger is likelier. */
static int guilt(const allot_plan *plan, const allot__hours *hours, const allot__fault *fault)
{
    int32_t index = fault->field < 0 ? -1 : allot__column_index(plan, fault->field);
    if (fault->consumer < 0)
        return hours->slots_set ? 3 : change_of(hours, -1, ALLOT_OWNED) != NULL;
    if (change_of(hours, fault->consumer, index))
        return 4;
    if (change_of(hours, fault->consumer, -1))
        return 3;
    const allot__window_change *changes = hours->changes.items;
    for (size_t i = 0; i < hours->changes.count; i++)
        if (below(plan, changes[i].consumer, fault->consumer))
            return 2;
    return hours->policy != NULL || hours->options_set != 0;
}

int32_t allot__variant_blames(const allot_plan *plan, const allot__fault *fault)
{
    uint64_t held = plan->held & allot__windows_of(plan, fault->group);
    int32_t found = -1;
    int most = -1;
    for (int32_t i = 0; i < allot__hours_count(plan); i++) {
        int here = held >> i & 1 ? guilt(plan, allot__hours_at(plan, i), fault) : -1;
        if (here >= most && here >= 0) {
            most = here;
            found = i;
        }
    }
    return found;
}
