/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * random_test.c: random logs over random plans: what holds at every instant and over all
 * of them, and that telling cycles of sums first changes nothing.
 */
#include "test/support/simulate_fixture.h"

enum { CASES = 160, LEAVES = 6, JOBS = 40 };

static const char guarded[] =
    "return policy { name = 'guarded', quota = { fill 'owned' { by = 'owned', up_to = 'owned' },"
    " fill 'spare' { by = 1 } }, victims = order { desc 'ran', 'submitted' },"
    " guards = { guard 'young' { value = function (ran) return ran end, min = 3 } } }";

/* ---- Plans and logs -------------------------------------------------------------------------- */

static void put_leaf(words *plan, uint64_t *seed, int number, const char *policy)
{
    put(plan, "%s{\"name\": \"u%d\", \"rank\": %u", number > 0 ? ", " : "", number, draw(seed, 3));
    if (draw(seed, 3) > 0)
        put(plan, ", \"owned\": %u", 1 + draw(seed, 5));
    if (draw(seed, 4) == 0)
        put(plan, ", \"limit\": %u", 6 + draw(seed, 6));
    if (draw(seed, 2) == 0)
        put(plan, ", \"grace\": %u", draw(seed, 12));
    if (strstr(policy, "share_ratio"))
        put(plan, ", \"share\": %u", 1 + draw(seed, 4));
    if (strstr(policy, "ownership") && draw(seed, 3) > 0)
        put(plan, ", \"lend\": \"all\", \"borrow\": \"all\"");
    put(plan, "}");
}

static const char *const policies[] = {
    "\"hybrid\"",
    "{\"use\": \"hybrid\", \"evenly\": true}",
    "\"share_ratio\"",
    "{\"use\": \"share_ratio\", \"adjust_share_to_workload\": true}",
    "\"ownership\"",
    "\"guarded.lua\"",
    "{\"use\": \"share_ratio\", \"reclaim_shared\": false}",
};

static void draw_plan(words *plan, uint64_t *seed)
{
    const char *policy = policies[draw(seed, sizeof policies / sizeof *policies)];
    bool nested = draw(seed, 2) == 0;
    uint32_t slots = 8 + draw(seed, 20), some = 1 + draw(seed, slots - 1);
    put(plan, "{\"version\": 1, \"slots\": %u, \"policy\": %s, ", slots, policy);
    if (draw(seed, 5) == 0)
        put(plan, "\"options\": {\"claim_delay\": %u}, ", 1 + draw(seed, 9));
    if (draw(seed, 5) == 0)
        put(plan, "\"windows\": [{\"from\": \"00:0%u\", \"to\": \"00:0%u\", \"slots\": %u}], ",
            1 + draw(seed, 2), 3 + draw(seed, 2), 6 + draw(seed, 20));
    if (draw(seed, 4) == 0)
        put(plan, "\"hosts\": {\"a\": {\"slots\": %u}, \"b\": {\"slots\": %u}}, ", some,
            slots - some);
    put(plan, "\"consumers\": [%s", nested ? "{\"name\": \"g\", \"children\": [" : "");
    for (int i = 0; i < LEAVES; i++) {
        put_leaf(plan, seed, i, policy);
        if (nested && i == LEAVES / 2 - 1)
            put(plan, "]}, {\"name\": \"h\", \"children\": [{\"name\": \"none\"}");
    }
    put(plan, "%s]}", nested ? "]}" : "");
}

/* Half of them rigid, as their group number says. */
static void draw_log(words *log, uint64_t *seed)
{
    uint32_t at = 0;
    for (int i = 1; i <= JOBS; i++) {
        at += draw(seed, 3) == 0 ? draw(seed, 20) : 0;
        put(log, "%d %u -1 %u %u -1 -1 -1 -1 -1 1 %u %u -1 -1 -1 -1 -1\n", i, at, draw(seed, 30),
            1 + draw(seed, 12), draw(seed, LEAVES), draw(seed, 4));
    }
}

static int map(void *ud, const allot_trace *trace, const allot_record *record, allot_mapped *out,
               allot_report *report)
{
    (void)trace;
    (void)report;
    out->rigid = *(const int *)ud && record->group.number == 0;
    out->priority = 1 + record->id.number % 3;
    return ALLOT_OK;
}

/* ---- Watching -------------------------------------------------------------------------------- */

typedef struct witness {
    int64_t held[LEAVES + 8], total, most; /* by consumer; their sum now */
    int64_t at, last;
    uint64_t digest;
    int wrong;
} witness;

static void note(uint64_t *digest, int64_t value)
{
    *digest = (*digest ^ (uint64_t)value) * 0x100000001b3u;
}

static void see(void *ud, const allot_sample *sample)
{
    witness *it = ud;
    const int64_t values[] = {sample->at,   sample->consumer,  sample->demand, sample->allocated,
                              sample->busy, sample->reclaimed, sample->killed};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        note(&it->digest, values[i]);
    it->wrong += sample->at < it->at || sample->busy > sample->allocated || sample->busy < 0 ||
                 sample->demand < sample->busy;
    if (sample->at > it->at) /* the instant before is over */
        it->wrong += it->total > it->most;
    it->at = sample->at;
    it->total += sample->allocated - it->held[sample->consumer];
    it->held[sample->consumer] = sample->allocated;
}

/* What is told briefly of leaves is what verdicts say. */
static int compare_briefs(void *ud, const allot_decision *decision, allot_report *report)
{
    witness *it = ud;
    const allot_plan *plan = allot_decision_plan(decision);
    (void)report;
    for (int32_t i = 0; i < allot_plan_consumers(plan); i++) {
        allot_verdict verdict;
        allot_brief brief;
        int status = allot_decision_brief(decision, 0, i, &brief);
        bool leaf = allot_plan_children(plan, i) == 0;
        it->wrong += status != (leaf ? ALLOT_OK : ALLOT_EUSAGE);
        if (!leaf || status != ALLOT_OK)
            continue;
        allot_decision_verdict(decision, 0, i, &verdict);
        it->wrong += verdict.quota != brief.quota || verdict.over != brief.over ||
                     verdict.reclaimed != brief.reclaimed || verdict.held_back != brief.held_back ||
                     verdict.waiting_since != brief.waiting_since;
    }
    return ALLOT_OK;
}

/* ---- One play -------------------------------------------------------------------------------- */

static int load_policy(void *ud, allot_engine *engine, const char *use, const char *file,
                       const allot_use_option *options, int32_t count, allot_policy **out,
                       allot_report *report)
{
    const allot_policy_loader *loader = ud;
    if (strcmp(use, "guarded.lua") != 0)
        return loader->load(loader->ud, engine, use, file, options, count, out, report);
    return allot_script_load(engine, guarded, strlen(guarded), use, options, count, NULL, report,
                             out);
}

typedef struct played {
    allot_figures figures;
    allot_simulation_counts counts;
    witness witness;
} played;

static void check_jobs(const allot_simulation *simulation, const allot_trace *trace, int rigid,
                       const allot_figures *figures)
{
    allot_record record;
    int64_t useful = 0, preemptions = 0, ended = 0;
    for (int32_t i = 0; i < allot_simulation_jobs(simulation); i++) {
        allot_job_result job;
        CHECK_EQ(allot_simulation_job(simulation, i, &job), ALLOT_OK);
        CHECK(job.wait >= 0 || job.fate != ALLOT_FATE_ENDED);
        ended += job.fate == ALLOT_FATE_ENDED;
        useful += job.fate == ALLOT_FATE_ENDED ? job.slots * job.run : 0;
        preemptions += job.preemptions;
        allot_trace_record(trace, job.record, &record); /* rigid: all its slots at once */
        CHECK(!rigid || record.group.number != 0 || job.preemptions % job.slots == 0);
    }
    CHECK_EQ(ended, figures->ended);
    CHECK_EQ(preemptions, figures->preemptions);
    /* Of jobs that did not end parts may have. */
    CHECK(figures->unfinished > 0 ? useful <= figures->useful : useful == figures->useful);
}

typedef enum how { AS_EVER, BY_TASKS } how;

static void play(const allot_plan *plan, const allot_trace *trace, int rigid, how how, played *out)
{
    allot_simulation *simulation = NULL;
    allot_simulation_options options = {.always_tasks = how == BY_TASKS};
    *out = (played){.witness.most = 1000};
    allot_watcher watcher = {.ud = &out->witness, .sample = see, .decided = compare_briefs};
    if (allot_plan_windows(plan) == 0)
        out->witness.most = allot_plan_group_slots(plan, 0);
    CHECK_EQ(allot_simulation_new(plan, &options, &simulation), ALLOT_OK);
    CHECK_EQ(allot_simulation_load(simulation, trace, map, &rigid, NULL), ALLOT_OK);
    allot_simulation_watch(simulation, &watcher);
    CHECK_EQ(allot_simulation_run(simulation, NULL), ALLOT_OK);
    CHECK_EQ(allot_simulation_run(simulation, NULL), ALLOT_EUSAGE);
    CHECK_EQ(allot_simulation_figures(simulation, ALLOT_ROOT, &out->figures), ALLOT_OK);
    allot_simulation_counted(simulation, &out->counts);
    check_jobs(simulation, trace, rigid, &out->figures);
    allot_simulation_free(simulation);
}

/* `shrinks`: in a window there may be fewer slots than tasks run on until their grace is over. */
static void check_played(const played *it, bool shrinks, uint64_t seed)
{
    const allot_figures *figures = &it->figures;
    CHECK_EQ(it->witness.wrong, 0);
    CHECK_EQ(figures->jobs, JOBS);
    CHECK_EQ(figures->ended + figures->refused + figures->unfinished, JOBS);
    CHECK_EQ(figures->busy, figures->useful + figures->lost + figures->open);
    CHECK(shrinks || figures->busy + figures->gathered <= figures->offered);
    CHECK(figures->fairness <= 1.0000001);
    if ((check__.failed_checks > 0))
        printf("# seed %" PRIu64 "\n", seed);
}

/* What does not depend on how cycles were told. */
static void check_same(const played *a, const played *b, uint64_t seed)
{
    CHECK_EQ(memcmp(&a->figures, &b->figures, sizeof a->figures), 0);
    CHECK_EQ(a->witness.digest == b->witness.digest, 1);
    CHECK_EQ(a->counts.kills, b->counts.kills);
    CHECK_EQ(a->counts.starts, b->counts.starts);
    if ((check__.failed_checks > 0))
        printf("# seed %" PRIu64 ": lost %" PRId64 " and %" PRId64 "\n", seed, a->figures.lost,
               b->figures.lost);
}

static int64_t reclaims, kills, with_tasks, gathered;

static void test_case(allot_engine *engine, const allot_policy_loader *loader, uint64_t seed)
{
    static words plan_text, log_text;
    uint64_t state = seed;
    allot_plan *plan = NULL;
    allot_trace *trace = NULL;
    plan_text.len = log_text.len = 0;
    draw_plan(&plan_text, &state);
    draw_log(&log_text, &state);
    if (allot_plan_read(engine, plan_text.text, plan_text.len, "plan", loader, NULL, &plan) !=
        ALLOT_OK)
        return; /* owns more than fits, say */
    CHECK_EQ(read_log(engine, log_text.text, NULL, &trace), ALLOT_OK);
    for (int rigid = 0; rigid < 2; rigid++) {
        static played sums, tasks, again;
        play(plan, trace, rigid, AS_EVER, &sums);
        play(plan, trace, rigid, BY_TASKS, &tasks);
        play(plan, trace, rigid, AS_EVER, &again);
        check_played(&sums, allot_plan_windows(plan) > 0, seed);
        check_same(&sums, &tasks, seed);
        check_same(&sums, &again, seed);
        reclaims += sums.counts.reclaims;
        kills += sums.counts.kills;
        with_tasks += sums.counts.with_tasks;
        gathered += sums.figures.gathered;
    }
    allot_trace_free(trace);
    allot_plan_free(plan);
}

static void test_all(void)
{
    allot_engine *engine = NULL;
    allot_policy_loader files, loader = {.load = load_policy};
    CHECK_EQ(allot_engine_new(NULL, NULL, &engine), ALLOT_OK);
    CHECK_EQ(allot_script_loader_new(engine, NULL, &files), ALLOT_OK);
    loader.ud = &files;
    const char *cases = getenv("ALLOT_RUNS");
    int count = cases ? atoi(cases) : CASES;
    for (int i = 0; i < count && !(check__.failed_checks > 0); i++)
        test_case(engine, &loader, 1000 + (uint64_t)i);
    /* It was about something. */
    CHECK(reclaims > count / 4 && kills > count / 8 && with_tasks > 0 && gathered > 0);
    printf("# %" PRId64 " reclaims, %" PRId64 " kills, %" PRId64 " slot-seconds gathered\n",
           reclaims, kills, gathered);
    allot_script_loader_free(engine, &files);
    allot_engine_free(engine);
}

int main(void)
{
    RUN(test_all);
    return check_done();
}
