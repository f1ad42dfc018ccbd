/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* bound_test.c: what is used of limits, against counting it from the jobs. */
#include "engine/decision/decision.h"
#include "engine/jobs/dispatch.h"

#include "test/support/queues.h"

enum { HOSTS = 4, QUEUES = 3, JOBS = 40, LIMITS = 12, USERS = 4 };

static const char *const hosts[] = {"h0", "h1", "h2", "h3"};
static const char *const names[] = {"q0", "q1", "q2"};
static const char *const users[] = {"ann", "bob", "cid", "dan"};
static const char *const groups[] = {"red", "blue"};
/* Who is in which group, as the plan says it. */
static const bool member[2][USERS] = {{true, true, false, false}, {false, true, true, false}};

static uint64_t seed = 9;

static int32_t below(int32_t bound)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (int32_t)((seed >> 12) % (uint64_t)bound);
}

static void preemptive(allot_queue *queue)
{
    queue->preemptive = 1;
}

static void random_limit(queues *q, int32_t number)
{
    allot_job_limit limit = {.kind = (allot_limit_kind)below(3), .most = 1 + below(12)};
    char name[16];
    snprintf(name, sizeof name, "l%d", number);
    limit.name = name;
    if (limit.kind == ALLOT_LIMIT_PER_PROCESSOR)
        limit.most = 1 + below(2500);
    if (below(3) == 0)
        limit.queues = names + below(2), limit.queue_count = 1 + below(2);
    if (below(3) == 0)
        limit.users = users + below(3), limit.user_count = 1 + below(2);
    else if (below(3) == 0)
        limit.groups = groups + below(2), limit.group_count = 1;
    if (below(4) == 0)
        limit.but_users = users + below(3), limit.but_user_count = 1 + below(2);
    if (below(4) == 0)
        limit.but_groups = groups + below(2), limit.but_group_count = 1;
    if (below(2))
        limit.hosts = hosts + below(3), limit.host_count = 1 + below(2);
    limit.per = below(16) & below(16);
    if (limit.kind == ALLOT_LIMIT_PER_PROCESSOR)
        limit.per |= ALLOT_PER_HOST;
    CHECK_EQ(allot_plan_job_limit(q->it.plan, &limit), ALLOT_OK);
}

static void random_job(queues *q, int32_t number)
{
    char id[16];
    snprintf(id, sizeof id, "j%d", number);
    allot_job job = queues_job(id, below(QUEUES), 2 + below(2));
    int32_t first = below(HOSTS - 1);
    allot_job_host places[] = {{hosts[first], job.slots - 1}, {hosts[first + 1], 1}};
    job.state = (allot_job_state)below(3);
    job.user = below(5) ? users[below(USERS)] : NULL;
    job.group = below(5) ? NULL : groups[below(2)];
    if (job.state != ALLOT_PENDING) {
        job.hosts = places;
        job.host_count = 2;
    }
    queues_put(q, &job);
}

static void begin(queues *q, bool preempts)
{
    queues_begin(q);
    for (int32_t i = 0; i < HOSTS; i++)
        queues_host(q, hosts[i], 100);
    for (int32_t i = 0; i < QUEUES; i++)
        queues_add(q, names[i], 1 + i, preempts && i == 2 ? preemptive : NULL);
    CHECK_EQ(allot_plan_users(q->it.plan, "red", (const char *[]){"ann", "bob"}, 2), ALLOT_OK);
    CHECK_EQ(allot_plan_users(q->it.plan, "blue", (const char *[]){"bob", "cid"}, 2), ALLOT_OK);
    for (int32_t i = 0; i < LIMITS; i++)
        random_limit(q, i);
    queues_seal(q);
    for (int32_t i = 0; i < JOBS; i++)
        random_job(q, i);
    CHECK_EQ(allot_state_seal(q->state, NULL), ALLOT_OK);
}

static bool listed(const char *const *list, int32_t count, const char *name)
{
    for (int32_t i = 0; i < count; i++)
        if (name && strcmp(list[i], name) == 0)
            return true;
    return false;
}

static bool in_group(const allot_job *job, int32_t group)
{
    if (job->group && strcmp(job->group, groups[group]) == 0)
        return true;
    for (int32_t i = 0; job->user && i < USERS; i++)
        if (strcmp(users[i], job->user) == 0)
            return member[group][i];
    return false;
}

static bool holds_of(const allot_job_limit *limit, const allot_job *job)
{
    if (limit->queue_count && !listed(limit->queues, limit->queue_count, names[job->queue]))
        return false;
    if (listed(limit->but_users, limit->but_user_count, job->user))
        return false;
    for (int32_t i = 0; i < limit->but_group_count && !(limit->per & ALLOT_PER_GROUP); i++)
        if (in_group(job, strcmp(limit->but_groups[i], "blue") == 0))
            return false;
    if (!limit->user_count && !limit->group_count)
        return true;
    for (int32_t i = 0; i < limit->group_count; i++)
        if (in_group(job, limit->groups[i] == groups[1] || strcmp(limit->groups[i], "blue") == 0))
            return true;
    return listed(limit->users, limit->user_count, job->user);
}

/* P-20 ... P-24, as bound.h's table. */
static bool counts(const allot_job_limit *limit, bool preempts, bool suspended)
{
    if (!suspended || !preempts)
        return true;
    if (limit->kind == ALLOT_LIMIT_JOBS)
        return false;
    if (limit->group_count || (limit->per & ALLOT_PER_GROUP))
        return true;
    if (limit->user_count || limit->but_user_count || limit->but_group_count ||
        (limit->per & ALLOT_PER_USER))
        return limit->kind == ALLOT_LIMIT_PER_PROCESSOR || (limit->per & ALLOT_PER_HOST);
    bool of_hosts = limit->host_count || (limit->per & ALLOT_PER_HOST) ||
                    limit->kind == ALLOT_LIMIT_PER_PROCESSOR;
    return !of_hosts || limit->queue_count || (limit->per & ALLOT_PER_QUEUE);
}

/* Is the job one of those that the bound is of? */
static bool is_of(const queues *q, const allot__bound *bound, const allot_job *job)
{
    if (bound->queue >= 0 && bound->queue != job->queue)
        return false;
    if (bound->group >= 0) {
        const char *group = allot__job_group(q->state, bound->group);
        return in_group(job, strcmp(group, "blue") == 0);
    }
    return true;
}

static int64_t used_of(const queues *q, const allot__bounds *bounds, const allot__bound *bound,
                       bool preempts)
{
    const allot_job_limit *limit = &allot__limit_at(bounds, bound->limit)->stated;
    int64_t used = 0;
    for (int32_t i = 0; i < JOBS; i++) {
        allot_job job;
        allot_state_job_at(q->state, i, &job);
        const char *user = bound->user >= 0 ? allot__job_user(q->state, bound->user) : NULL;
        bool other = (limit->per & ALLOT_PER_USER) &&
                     (user ? !job.user || strcmp(user, job.user) != 0 : job.user != NULL);
        if (job.state == ALLOT_PENDING || other || !holds_of(limit, &job) ||
            !is_of(q, bound, &job) || !counts(limit, preempts, job.state != ALLOT_RUNNING))
            continue;
        int64_t slots = 0;
        for (int32_t k = 0; k < job.host_count; k++) {
            bool here = bound->host < 0 ||
                        strcmp(job.hosts[k].host, hosts[bounds->view->site[bound->host]]) == 0;
            if (here &&
                (!limit->host_count || listed(limit->hosts, limit->host_count, job.hosts[k].host)))
                slots += job.hosts[k].slots;
        }
        used += limit->kind == ALLOT_LIMIT_JOBS ? slots > 0 : slots;
    }
    return used;
}

static bool all_agree(const queues *q, const allot__bounds *bounds, bool preempts)
{
    for (size_t i = 0; i < bounds->list.count; i++) {
        const allot__bound *bound = allot__bound_at(bounds, (int32_t)i);
        const allot_job_limit *limit = &allot__limit_at(bounds, bound->limit)->stated;
        int64_t used = used_of(q, bounds, bound, preempts);
        const char *group = bound->group >= 0 ? allot__job_group(q->state, bound->group) : NULL;
        bool excepted = listed(limit->but_groups, limit->but_group_count, group);
        if (bound->used != used || excepted) {
            printf("# %s (kind %d, per %d) queue %d user %d group %d host %d: %d, counted %d\n",
                   limit->name, limit->kind, limit->per, bound->queue, bound->user, bound->group,
                   bound->host, (int)bound->used, (int)used);
            return false;
        }
    }
    return true;
}

/* What goes and comes back leaves what is used as it was; and of who was suspended and is resumed
 * as much counts as of one that runs. */
static bool come_and_go(const queues *q, allot__bounds *bounds, bool preempts)
{
    bool good = true;
    for (int32_t i = 0; i < JOBS && good; i++) {
        const allot__job *job = allot__job_at(q->state->jobs, i);
        const allot__job_place *places = allot__job_places(job);
        if (job->state != ALLOT_RUNNING)
            continue;
        for (int kind = ALLOT_ORDER_START; kind <= ALLOT_ORDER_RESIZE; kind++) {
            int32_t sign = kind == ALLOT_ORDER_RESIZE ? 1 : -1;
            good = good && !allot__bounds_change(bounds, i, kind, places, 2, sign) &&
                   !allot__bounds_change(bounds, i, kind, places, 2, -sign);
        }
        good = good && all_agree(q, bounds, preempts);
    }
    return good;
}

static void what_is_used_is_what_jobs_use(void)
{
    for (int32_t round = 0; round < 150; round++) {
        queues q;
        bool preempts = round % 2;
        begin(&q, preempts);
        allot__arena arena;
        allot__arena_init(&arena, q.it.engine);
        allot__work work;
        allot__host_view view;
        allot__bounds bounds;
        CHECK_EQ(allot__work_init(&work, q.it.plan, q.state, 0, &arena, NULL), ALLOT_OK);
        CHECK_EQ(allot__host_view_make(&work, &view), ALLOT_OK);
        CHECK_EQ(allot__bounds_make(&work, &view, &bounds), ALLOT_OK);
        bool good = CHECK(bounds.list.count > 0 && all_agree(&q, &bounds, preempts)) &&
                    CHECK(come_and_go(&q, &bounds, preempts));
        allot__bounds_free(&bounds);
        allot__arena_free(&arena);
        queues_end(&q);
        if (!good)
            return;
    }
}

/* P-23: after a cycle nothing that was below a limit is above it. */
static void no_limit_is_exceeded(void)
{
    for (int32_t round = 0; round < 150; round++) {
        queues q;
        begin(&q, round % 2);
        CHECK_EQ(allot_cycle(q.it.plan, q.state, NULL, &q.decision), ALLOT_OK);
        const allot__bounds *bounds = &q.decision->dispatched->bounds;
        allot__work *work = &q.decision->groups[0].work;
        allot__arena arena;
        allot__arena_init(&arena, q.it.engine);
        allot__host_view view;
        allot__bounds before;
        work->arena = &arena;
        CHECK_EQ(allot__host_view_make(work, &view), ALLOT_OK);
        CHECK_EQ(allot__bounds_make(work, &view, &before), ALLOT_OK);
        bool good = true;
        for (size_t i = 0; i < bounds->list.count && good; i++) {
            const allot__bound *now = allot__bound_at(bounds, (int32_t)i);
            allot__bound_entry entry = {now->limit, now->queue, now->user, now->group, -1};
            int32_t was = allot__bound_find(&before, &entry, now->host);
            int64_t used = was >= 0 ? allot__bound_at(&before, was)->used : 0;
            good = CHECK(now->used <= now->most || now->used <= used);
        }
        allot__bounds_free(&before);
        allot__arena_free(&arena);
        queues_end(&q);
        if (!good)
            return;
    }
}

int main(void)
{
    RUN(what_is_used_is_what_jobs_use);
    RUN(no_limit_is_exceeded);
    return check_done();
}
