/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* sayings.h: what clients of a service may say, at random, under plans of all kinds. */
#ifndef ALLOT_TEST_SUPPORT_SAYINGS_H
#define ALLOT_TEST_SUPPORT_SAYINGS_H

#include <stdio.h>
#include <string.h>

/* A letter behind % is something at random, mostly of few, so that things meet:
 * L leaf, T task, S session, H host, J job, Q queue, N a number, G group, R reclaim, K host's
 * state, B true or false. */
typedef struct saying {
    const char *method, *params;
} saying;

typedef struct site {
    const char *name, *plan;
    const char *leaves[5], *queues[4], *groups[3];
    const saying *sayings;
} site;

static const saying of_leaves[] = {
    {"demand", "{'consumer': '%L', 'slots': %N%G}"},
    {"demand", "{'consumer': '%L', 'slots': %N%G}"},
    {"release", "{'consumer': '%L', 'slots': 1%G}"},
    {"allocated", "{'consumer': '%L', 'slots': %N%G}"},
    {"allocated", "{'consumer': '%L', 'slots': %N, 'unlisted': %N%G}"},
    {"allocated", "{'consumer': '%L', 'slots': 1000000000%G}"},
    {"demand", "{'consumer': '%L', 'slots': 1000000000%G}"},
    {"start", "{'id': '%T', 'consumer': '%L', 'host': '%H', 'slots': 900000000%G}"},
    {"start", "{'id': '%T', 'consumer': '%L'%G}"},
    {"start", "{'id': '%T', 'consumer': '%L', 'host': '%H'%G}"},
    {"start", "{'id': '%T', 'consumer': '%L', 'host': '%H', 'session': '%S'%G}"},
    {"start", "{'id': '%T', 'consumer': '%L', 'host': '%H', 'slot': %N, 'slots': 2%G}"},
    {"finish", "{'id': '%T', 'keep': %B}"},
    {"start", "{'id': '%T', 'consumer': '%L', 'host': '%H', 'adopt': true%G}"},
    {"start", "{'id': '%T', 'consumer': '%L', 'slot': %N, 'slots': 7, 'adopt': true%G}"},
    {"task", "{'id': '%T', 'host': '%H', 'session': '%S', 'tags': ['x']}"},
    {"task", "{'id': '%T', 'slots': 3, 'preempted': 2}"},
    {"task", "{'id': '%T', 'slot': %N, 'submitted': 900}"},
    {"decline", "{'consumer': '%L', 'until': 1%N0%G}"},
    {"decline", "{'consumer': '%L', 'slots': 1, 'until': 10%N%G}"},
    {"finish", "{'id': '%T', 'done': %B}"},
    {"finish", "{'id': '%T'}"},
    {"session", "{'id': '%S', 'consumer': '%L', 'priority': 3, 'demand': %N%G}"},
    {"session", "{'id': '%S', 'consumer': '%L', 'scheduling': 'priority'%G}"},
    {"session_end", "{'id': '%S'}"},
    {"host", "{'name': '%H', 'slots': %N, 'load': 1.5}"},
    {"host", "{'name': '%H', 'closed': %K}"},
    {"host", "{'name': '%H', 'exclusive_to': '%L'}"},
    {"host", "{'name': '%H', 'exclusive_to': null, 'slots': 1000000000}"},
    {"host_gone", "{'name': '%H'}"},
    {"slots", "{'slots': %N%G}"},
    {"returned", "{'reclaim': '%R', 'slots': 1}"},
    {NULL, NULL},
};

static const saying of_jobs[] = {
    {"submit", "{'id': '%J', 'queue': '%Q', 'slots': %N, 'user': 'ann', 'run_limit': 60}"},
    {"submit", "{'id': '%J', 'queue': '%Q', 'slots': 2, 'user': 'bob', 'resources': {'lic': 1}}"},
    {"submit", "{'id': '%J', 'queue': '%Q', 'exclusive': %B}"},
    {"submit", "{'id': '%J', 'queue': '%Q', 'slots': 600000000}"},
    {"submit", "{'id': '%J', 'queue': '%Q', 'state': 'running', 'hosts': {'%H': 3}}"},
    {"submit", "{'id': '%J', 'queue': '%Q', 'state': 'suspended', 'slots': 2, 'ran': 9,"
               "'hosts': {'%H': 2}, 'preempted': 1}"},
    {"run", "{'id': '%J', 'hosts': {'%H': %N}}"},
    {"run", "{'id': '%J', 'started': 990}"},
    {"requeue", "{'id': '%J'}"},
    {"fail", "{'id': '%J', 'until': 10%N}"},
    {"finish", "{'id': '%J'}"},
    {"stop", "{'id': '%J'}"},
    {"cont", "{'id': '%J'}"},
    {"withdraw", "{'id': '%J'}"},
    {"host", "{'name': '%H', 'slots': %N, 'closed': %K}"},
    {"host", "{'name': '%H', 'slots': %N000000, 'closed': %K}"},
    {"host", "{'name': '%H', 'slots': 1000000000}"},
    {"host_gone", "{'name': '%H'}"},
    {"slots", "{'slots': %N}"},
    {NULL, NULL},
};

static const saying of_leases[] = {
    {"lease", "{'name': 'l', 'provider': {'available': %N, 'used': %N, 'demand': %N}}"},
    {"lease", "{'name': 'l', 'consumer': {'available': %N, 'used': %N, 'demand': %N}}"},
    {"lease", "{'name': 'm', 'provider': {'demand': %N}, 'consumer': {'available': %N}}"},
    {"host", "{'name': '%H', 'slots': %N, 'closed': %K}"},
    {"host_gone", "{'name': '%H'}"},
    {NULL, NULL},
};

#define LEAVES                                                                                     \
    "'consumers': [{'name': 'a', 'owned': 10, 'grace': 2}, {'name': 'b', 'owned': 20},"            \
    "{'name': 'c', 'children': [{'name': 'd', 'owned': 10}]}]"
#define HOSTS "'hosts': {'h1': {'slots': 20}, 'h2': {'slots': 20}}"

static const site sites[] = {
    {"hybrid",
     "{'version': 1, 'slots': 40, 'policy': 'hybrid', 'options': {'claim_delay': 2}, " LEAVES "}",
     {"/a", "/b", "/c/d"},
     {0},
     {0},
     of_leaves},
    {"hosts",
     "{'version': 1, 'policy': 'hybrid', " HOSTS ", 'options': {'leeway': 1}, 'consumers': ["
     "{'name': 'a', 'owned': 10, 'exclusive': true}, {'name': 'b', 'owned': 20, 'grace': 1}]}",
     {"/a", "/b"},
     {0},
     {0},
     of_leaves},
    {"ownership",
     "{'version': 1, 'slots': 40, 'policy': 'ownership', 'consumers': ["
     "{'name': 'a', 'owned': 10, 'lend': true, 'borrow': true, 'grace': 1},"
     "{'name': 'b', 'owned': 20, 'lend': true, 'borrow': true},"
     "{'name': 'c', 'children': [{'name': 'd', 'owned': 10, 'borrow': true}]}]}",
     {"/a", "/b", "/c/d"},
     {0},
     {0},
     of_leaves},
    {"groups",
     "{'version': 1, 'slots': 20, 'policy': 'share_ratio', " LEAVES ", 'hosts': {'h1': {'slots':"
     "20}, 'h2': {'slots': 20, 'group': 'gpu'}}, 'groups': {'gpu': {'slots': 20}}}",
     {"/a", "/b", "/c/d"},
     {0},
     {"default", "gpu"},
     of_leaves},
    {"windows",
     "{'version': 1, 'slots': 40, 'policy': 'hybrid', " LEAVES ", 'windows': ["
     "{'from': '00:30', 'to': '01:30', 'slots': 20, 'consumers': {'/a': {'owned': 2}}},"
     "{'from': '01:00', 'to': '03:00', 'consumers': {'/b': {'owned': 3}}}]}",
     {"/a", "/b", "/c/d"},
     {0},
     {0},
     of_leaves},
    {"damped",
     "{'version': 1, 'slots': 40, 'policy': 'hybrid', 'options': {'dead_zone': 2,"
     "'most_reclaimed': 25, 'reclaim_interval': 60, 'claim_delay': 3}, " LEAVES "}",
     {"/a", "/b", "/c/d"},
     {0},
     {0},
     of_leaves},
    {"mixed",
     "{'version': 1, 'slots': 40, 'policy': 'hybrid', 'consumers': ["
     "{'name': 'a', 'owned': 10, 'policy': 'ownership'}, {'name': 'b', 'owned': 20},"
     "{'name': 'c', 'owned': 10, 'policy': 'share_ratio', 'children': [{'name': 'd'}]}]}",
     {"/a", "/b", "/c/d"},
     {0},
     {0},
     of_leaves},
    {"leases",
     "{'version': 1, 'policy': 'shared_lease', 'hosts': {'h0': {'slots': 8}, 'h1': {'slots': 8}},"
     "'leases': [{'name': 'l', 'provider': 'p', 'consumer': 'c', 'hosts': ['h0'],"
     "'reclaim_delay': 5}, {'name': 'm', 'provider': 'p', 'consumer': 'q', 'hosts': {'h1': 4},"
     "'type': 'exclusive'}]}",
     {0},
     {0},
     {0},
     of_leases},
    {"queues",
     "{'version': 1, 'policy': 'preemption', 'hosts': {'h1': {'slots': 8}, 'h2': {'slots': 4}},"
     "'resources': {'lic': 2}, 'params': {'preemptable_resources': ['lic']}, 'queues': ["
     "{'name': 'low', 'priority': 1, 'preemptable': true}, {'name': 'mid', 'priority': 5,"
     "'preemptive': ['low'], 'preemptable': true, 'ujob_limit': 3},"
     "{'name': 'high', 'priority': 9, 'preemptive': true}]}",
     {0},
     {"low", "mid", "high"},
     {0},
     of_jobs},
    {"pools",
     "{'version': 1, 'policy': 'queue_pool', 'hosts': {'h1': {'slots': 8}, 'h2': {'slots': 4}},"
     "'resources': {'lic': 2}, 'queues': ["
     "{'name': 'low', 'slot_pool': 'p', 'slot_share': 60},"
     "{'name': 'mid', 'slot_pool': 'p', 'slot_share': 40}]}",
     {0},
     {"low", "mid"},
     {0},
     of_jobs},
};

static unsigned seed;

static int pick(int below)
{
    seed = seed * 1103515245 + 12345;
    return (int)(seed >> 16) % below;
}

static const char *one_of(const char *const *list)
{
    int count = 0;
    while (list[count])
        count++;
    return count > 0 ? list[pick(count)] : "";
}

static size_t put_random(const site *site, char what, int64_t cycle, char *out, size_t size)
{
    static const char *const closed[] = {"false", "'drain'", "'reclaim'", NULL};
    int len = 0;
    if (what == 'L')
        len = snprintf(out, size, "%s", one_of(site->leaves));
    else if (what == 'Q')
        len = snprintf(out, size, "%s", one_of(site->queues));
    else if (what == 'K')
        len = snprintf(out, size, "%s", one_of(closed));
    else if (what == 'B')
        len = snprintf(out, size, "%s", pick(2) ? "true" : "false");
    else if (what == 'N')
        len = snprintf(out, size, "%d", pick(25));
    else if (what == 'R')
        len = snprintf(out, size, "r%d.%d", (int)cycle - pick(5), pick(2));
    else if (what == 'G' && site->groups[0])
        len = snprintf(out, size, ", 'group': '%s'", one_of(site->groups));
    else if (what != 'G')
        len = snprintf(out, size, "%c%d", what + 'a' - 'A', pick(what == 'H' ? 4 : 9));
    return (size_t)len;
}

/* The params of a saying, with its quotes. */
static void say(const site *site, const saying *it, int64_t cycle, char *out, size_t size)
{
    size_t at = 0;
    for (const char *c = it->params; *c != '\0' && at + 1 < size; c++)
        if (*c == '%')
            at += put_random(site, *++c, cycle, out + at, size - at);
        else
            out[at++] = *c;
    out[at] = '\0';
    for (; at > 0; at--)
        if (out[at - 1] == '\'')
            out[at - 1] = '"';
}

#endif
