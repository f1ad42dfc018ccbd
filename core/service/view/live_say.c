/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* live_say.c: messages to a viewer: branches whole at first, then changes. */
#include <string.h>

#include "base/path.h"
#include "service/view/live.h"

bool allot__live_want(struct allot__viewer *live)
{
    allot_service *service = live->session->http->service;
    const allot_plan *plan = service->generation->plan;
    const allot__view *view = service->components.view;
    if (view->plan != live->plan)
        return false;
    for (int32_t i = 0; i < live->watched_count; i++) {
        const allot__viewer_branch *at = &live->watched[i];
        for (int32_t k = 0; k < at->count; k++)
            if (allot__view_want(service, live->group,
                                 allot_plan_child(plan, at->parent, at->from + k)) != ALLOT_OK)
                return false;
    }
    return true;
}

/* Whether all its watched rows are present. */
static bool made(const struct allot__viewer *live, const allot__view *view)
{
    const allot_plan *plan = live->session->http->service->generation->plan;
    if (!view->computed)
        return false;
    for (int32_t i = 0; i < live->watched_count; i++) {
        const allot__viewer_branch *at = &live->watched[i];
        for (int32_t k = 0; k < at->count; k++)
            if (!allot__view_has(view, live->group,
                                 allot_plan_child(plan, at->parent, at->from + k)))
                return false;
    }
    return true;
}

bool allot__live_behind(const struct allot__viewer *live)
{
    const allot__view *view = live->session->http->service->components.view;
    if (live->error[0] != '\0')
        return true;
    if (live->watched_count == 0)
        return false;
    return live->plan != view->plan || live->whole || live->version != view->version ||
           live->told != view->told_count || live->point != view->point;
}

/* ---- Changes --------------------------------------------------------------------------------- */

static void say_row(struct allot__viewer *live, const allot__view *view, int32_t consumer,
                    int64_t *last)
{
    const allot_service *service = live->session->http->service;
    const int64_t *now = allot__view_row(view, live->group, consumer);
    if (memcmp(now, last, ALLOT__VIEW_NUMBERS * sizeof *now) == 0)
        return;
    allot__text_key(&live->out, NULL);
    allot__text_puts(&live->out, "{\"path\": ");
    allot__text_json_path(&live->out, service->generation->plan, consumer);
    for (int i = 0; i < ALLOT__VIEW_NUMBERS; i++)
        if (now[i] != last[i])
            allot__view_put(&live->out, i, now[i]);
    allot__text_puts(&live->out, "}");
    memcpy(last, now, ALLOT__VIEW_NUMBERS * sizeof *now);
}

static void say_changes(struct allot__viewer *live, const allot__view *view)
{
    const allot_plan *plan = live->session->http->service->generation->plan;
    int32_t row = 0;
    allot__text_open(&live->out, "rows", "[");
    for (int32_t i = 0; i < live->watched_count; i++) {
        const allot__viewer_branch *at = &live->watched[i];
        for (int32_t k = 0; k < at->count; k++, row++)
            say_row(live, view, allot_plan_child(plan, at->parent, at->from + k),
                    live->last + (size_t)row * ALLOT__VIEW_NUMBERS);
    }
    allot__text_puts(&live->out, "]");
}

/* ---- All of it ------------------------------------------------------------------------------- */

static void say_branches(struct allot__viewer *live, const allot__view *view)
{
    const allot_service *service = live->session->http->service;
    const allot_plan *plan = service->generation->plan;
    size_t size = ALLOT__VIEW_NUMBERS * sizeof(int64_t);
    int32_t row = 0;
    allot__text_open(&live->out, "branches", "[");
    for (int32_t i = 0; i < live->watched_count; i++) {
        const allot__viewer_branch *at = &live->watched[i];
        allot__text_key(&live->out, NULL);
        allot__view_put_branch(&live->out, service, view, live->group, at->parent, at->from,
                               at->count);
        for (int32_t k = 0; k < at->count; k++, row++)
            memcpy(live->last + (size_t)row * ALLOT__VIEW_NUMBERS,
                   allot__view_row(view, live->group,
                                   allot_plan_child(plan, at->parent, at->from + k)),
                   size);
    }
    allot__text_puts(&live->out, "]");
}

static void say(struct allot__viewer *live, const allot__view *view)
{
    const allot_service *service = live->session->http->service;
    int64_t missed = view->told_count - ALLOT__VIEW_TOLD - live->told;
    allot__text_puts(&live->out, "{");
    allot__text_number(&live->out, "n", ++live->number);
    allot__view_put_head(&live->out, service, view, live->group);
    if (missed > 0 && !live->fresh)
        allot__text_number(&live->out, "missed", missed);
    if (live->fresh) {
        live->point = live->told = 0;
        allot__text_bool(&live->out, "fresh", true);
    }
    if (live->whole)
        say_branches(live, view);
    else
        say_changes(live, view);
    allot__view_put_history(&live->out, view, live->group, live->point - (live->point > 0));
    allot__view_put_told(&live->out, view, live->told);
    allot__text_puts(&live->out, "}");
    live->whole = live->fresh = false;
    live->version = view->version;
    live->point = view->point;
    live->told = view->told_count;
}

void allot__live_say(struct allot__viewer *live)
{
    const allot__view *view = live->session->http->service->components.view;
    if (live->error[0] != '\0') {
        allot__text_puts(&live->out, "{\"error\": ");
        allot__text_json(&live->out, live->error);
        allot__text_puts(&live->out, "}");
        live->error[0] = '\0';
        return;
    }
    if (!allot__live_behind(live))
        return;
    if (live->plan != view->plan) {
        /* The branches were another plan's: the viewer must send its branches again. */
        live->group = 0;
        live->fresh = true;
        allot__live_unwatch(live);
        allot__text_puts(&live->out, "{\"again\": true}");
        return;
    }
    if (made(live, view)) /* else the next tick has them */
        say(live, view);
}
