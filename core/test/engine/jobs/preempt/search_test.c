/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* search_test.c: the two searches agree, and change nothing, on random queues. */
#include "test/support/plain_search.h"
#include "test/support/search_world.h"

enum { CASES = 12000 };

/* What a search must leave as it was. */
typedef struct print {
    uint64_t free, kept, running, alone, open, used, gains, gone;
} print;

static print print_of(const world *it)
{
    print out = {.gains = (uint64_t)it->view.gains};
    for (int32_t host = 0; host < it->view.count; host++) {
        out.free = out.free * 31 + (uint64_t)it->view.free[host];
        out.kept = out.kept * 31 + (uint64_t)it->view.kept[host];
        out.running = out.running * 31 + (uint64_t)it->view.running[host];
        out.alone = out.alone * 31 + (uint64_t)it->view.alone[host];
        out.open = out.open * 2 + allot__host_view_open(&it->view, host);
    }
    for (size_t i = 0; i < it->bounds.list.count; i++) {
        const allot__bound *bound = allot__bound_at(&it->bounds, (int32_t)i);
        out.used = out.used * 31 + (uint64_t)(bound->used + bound->trial * 7);
    }
    for (int32_t i = 0; i < it->resources; i++)
        out.used = out.used * 31 + (uint64_t)it->bounds.resources->used[i];
    for (int32_t job = 0; job < it->jobs; job++)
        out.gone += it->candidates.gone[job];
    return out;
}

static int32_t agreed, found, held, limited, resumed, alone, lacking, supplied;

/* Where slots are hopeless, a limit or resource that victims would help with is told or not. */
static bool same(const allot__found *fast, const int32_t *victims, const allot__found *plain)
{
    bool why = fast->why == plain->why && fast->binding == plain->binding;
    bool over = fast->why == ALLOT_PEND_LIMIT || fast->why == ALLOT_PEND_RESOURCE;
    bool equal = fast->count == plain->count && fast->held == plain->held &&
                 (why || (over && plain->count == 0));
    for (int32_t i = 0; equal && i < fast->count; i++)
        equal = victims[i] == plain->victims[i];
    return equal;
}

/* The victims go, and the job is where it fits then. */
static void carry_out(world *it, const allot__found *found, const int32_t *victims)
{
    allot__fit fit;
    allot__fit_begin(&it->view, &it->bounds, found->job, it->candidates.stamp, &fit);
    for (int32_t i = 0; i < found->count; i++) {
        allot__fit_turn(&fit, victims[i], -1);
        allot__candidates_drop(&it->candidates, victims[i], ALLOT__INELIGIBLE_TAKEN);
    }
    allot__fit_count(&fit);
    CHECK(allot__fits(&fit));
    int32_t left = fit.job->slots;
    for (int32_t host = 0; host < it->view.count && left > 0 && !fit.resumes; host++) {
        int32_t slots = it->view.free[host] < left ? it->view.free[host] : left;
        if (allot__host_view_open(&it->view, host) && slots > 0) {
            allot__host_view_run(&it->view, fit.job, host, slots, 1);
            left -= slots;
        }
    }
}

static bool search_one(world *it, int32_t job)
{
    const allot__job *of = allot__job_at(it->state->jobs, job);
    allot__found fast = {.job = job}, plain = {.job = job};
    int32_t victims[JOBS];
    allot__host_view_as(&it->view, of->queue);
    bool wanted = it->resources > 0 && of->state == ALLOT_PENDING &&
                  allot__resources_above(it->bounds.resources, job) > 0;
    print before = print_of(it);
    CHECK_EQ(allot__candidates_search(&it->candidates, &fast), ALLOT_OK);
    memcpy(victims, fast.victims, (size_t)fast.count * sizeof *victims);
    print between = print_of(it);
    CHECK_EQ(plain_search(&it->candidates, &plain), ALLOT_OK);
    print after = print_of(it);
    bool fine = same(&fast, victims, &plain) && memcmp(&before, &between, sizeof before) == 0 &&
                memcmp(&before, &after, sizeof before) == 0;
    agreed += fine;
    found += fast.count > 0;
    held += fast.held;
    limited += fast.why == ALLOT_PEND_LIMIT;
    lacking += fast.why == ALLOT_PEND_RESOURCE;
    supplied += fast.count > 0 && wanted;
    resumed += fast.count > 0 && of->state == ALLOT_SUSPENDED;
    alone += fast.count > 0 && (of->flags & ALLOT_JOB_EXCLUSIVE);
    if (fine && fast.count > 0)
        carry_out(it, &fast, victims);
    if (!fine)
        printf(
            "# job %d: fast %d (why %d, binding %d), plain %d (why %d, binding %d); same %d %d\n",
            (int)job, (int)fast.count, (int)fast.why, (int)fast.binding, (int)plain.count,
            (int)plain.why, (int)plain.binding, memcmp(&before, &between, sizeof before),
            memcmp(&before, &after, sizeof before));
    return fine;
}

/* True: all searches of a case agree, or there is no such case. */
static bool run_case(uint64_t seed)
{
    world it;
    bool fine = true;
    if (world_begin(&it, seed)) {
        for (int32_t job = 0; job < it.jobs && fine; job++) {
            int state = allot__job_at(it.state->jobs, job)->state;
            if (state == ALLOT_PENDING || state == ALLOT_SUSPENDED)
                fine = search_one(&it, job);
        }
    }
    world_end(&it);
    return fine;
}

static void test_two_searches_agree(void)
{
    for (uint64_t seed = 1; seed <= CASES; seed++) {
        if (!CHECK(run_case(seed * 1000003))) {
            printf("# seed %llu\n", (unsigned long long)seed);
            return;
        }
    }
    /* The cases have all kinds of searches in them. */
    printf("# %d searches, %d found, %d held, %d limited, %d resumed, %d exclusive\n", (int)agreed,
           (int)found, (int)held, (int)limited, (int)resumed, (int)alone);
    CHECK(found > CASES / 10 && held > 0 && limited > CASES / 20 && resumed > 0 && alone > 0);
    printf("# %d lacked resources, %d found some\n", (int)lacking, (int)supplied);
    CHECK(lacking > CASES / 100 && supplied > CASES / 400);
}

int main(void)
{
    RUN(test_two_searches_agree);
    return check_done();
}
