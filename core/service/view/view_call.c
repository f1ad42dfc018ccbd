/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* view_call.c: the method `view`: one branch of the tree, or the result of a search. */
#include <string.h>

#include "service/view/view.h"

enum { PATH, GROUP, FROM, MOST, FIND, FIELDS };

/* The call's params, as numbers. */
typedef struct question {
    int32_t parent, group, from, most;
    const char *find; /* NULL: a branch */
    int32_t count;    /* of the consumers found; `most` + 1 if there are more */
    int32_t list[ALLOT__VIEW_MOST + 1];
} question;

/* Marks the rows that it needs as wanted. */
static int want(allot_service *service, question *of)
{
    const allot_plan *plan = service->generation->plan;
    int status = ALLOT_OK;
    if (of->find) {
        of->count = allot__view_find(plan, of->find, of->most + 1, of->list);
        for (int32_t i = 0; status == ALLOT_OK && i < of->count; i++)
            status = allot__view_want(service, of->group, of->list[i]);
        return status;
    }
    int32_t children = allot_plan_children(plan, of->parent);
    for (int32_t i = of->from; status == ALLOT_OK && i < children && i - of->from < of->most; i++)
        status = allot__view_want(service, of->group, allot_plan_child(plan, of->parent, i));
    return status;
}

int allot__view_consumer(const allot_plan *plan, const char *path, int32_t *out,
                         allot__error *fault)
{
    *out = allot_plan_find(plan, path, strlen(path));
    if (*out != ALLOT_ROOT)
        return ALLOT_OK;
    char near[128] = "", hint[160];
    size_t len = allot_plan_nearest(plan, path, strlen(path), near, sizeof near);
    snprintf(hint, sizeof hint, "did you mean %s?", near);
    return allot__error_set(fault, ALLOT_ENOENT, "E-unknown-consumer", "path",
                            len > 0 ? hint : NULL, "the plan has no consumer %.200s", path);
}

int allot__view_group(const allot_plan *plan, const char *name, int32_t *out, allot__error *fault)
{
    *out = name ? allot_plan_group_find(plan, name, strlen(name)) : 0;
    if (*out >= 0)
        return ALLOT_OK;
    return allot__error_set(fault, ALLOT_ENOENT, "E-unknown-group", "group", NULL,
                            "the plan has no group %.200s", name);
}

static int find_parent(const allot_plan *plan, const char *path, int32_t *out, allot__error *fault)
{
    *out = ALLOT_ROOT;
    return !path || strcmp(path, "/") == 0 ? ALLOT_OK
                                           : allot__view_consumer(plan, path, out, fault);
}

static void answer(allot__request *call, const question *of)
{
    const allot_service *service = call->service;
    const allot__view *view = service->components.view;
    allot__text *out = allot__rpc_begin(call);
    allot__text_puts(out, "{");
    allot__text_member(out, "schema", "allot/view/v1");
    allot__view_put_head(out, service, view, of->group);
    allot__text_key(out, of->find ? "found" : "branch");
    if (of->find)
        allot__view_put_found(out, service, view, of->group, of->find, of->list, of->count,
                              of->most);
    else
        allot__view_put_branch(out, service, view, of->group, of->parent, of->from, of->most);
    if (!of->find && of->parent == ALLOT_ROOT && of->from == 0) {
        allot__view_put_history(out, view, of->group, 0);
        allot__view_put_told(out, view, 0);
    }
    allot__text_puts(out, "}");
    allot__rpc_end(call);
}

static void look(allot__request *call, const allot__param *fields)
{
    allot_service *service = call->service;
    allot__error fault = {0};
    allot_report *report = NULL;
    question of = {.from = fields[FROM].given ? (int32_t)fields[FROM].whole : 0,
                   .most = fields[MOST].given ? (int32_t)fields[MOST].whole : 200,
                   .find = fields[FIND].text};
    int status = find_parent(service->generation->plan, fields[PATH].text, &of.parent, &fault);
    if (status == ALLOT_OK)
        status =
            allot__view_group(service->generation->plan, fields[GROUP].text, &of.group, &fault);
    if (status != ALLOT_OK) {
        allot__rpc_fault(call, &fault);
        return;
    }
    status = allot_report_new(service->engine, &report);
    if (status == ALLOT_OK)
        status = want(service, &of);
    if (status == ALLOT_OK)
        status = allot__view_refresh(service, report);
    if (status == ALLOT_OK)
        answer(call, &of);
    else
        allot__rpc_report(call, status, report);
    allot_report_free(report);
}

void allot__view_call(allot__request *call)
{
    allot__param fields[] = {
        [PATH] = {.name = "path", .type = ALLOT_MEMBER_TEXT},
        [GROUP] = {.name = "group", .type = ALLOT_MEMBER_TEXT},
        [FROM] = {.name = "from", .type = ALLOT_MEMBER_WHOLE, .most = INT32_MAX},
        [MOST] = {.name = "most", .type = ALLOT_MEMBER_WHOLE, .least = 1, .most = ALLOT__VIEW_MOST},
        [FIND] = {.name = "find", .type = ALLOT_MEMBER_TEXT},
        [FIELDS] = {.name = NULL},
    };
    if (!allot__params_read(call, fields))
        return;
    look(call, fields);
}
