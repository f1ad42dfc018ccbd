/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* import_test.c: plans from files of LSF while memory runs out, and when those who are told
 * refuse. What they become is tested by spec/import/lsf_spec.lua. */
#include "test/support/script_fixture.h"

static const char queues[] =
    "# comment\nBegin Queue\nQUEUE_NAME = high\nPRIORITY = 50\nPREEMPTION = PREEMPTIVE[low+1]\n"
    "HOSTS = all ~h2\nRES_REQ = rusage[lic=1]\nJOB_CONTROLS = SUSPEND[brequeue $LSB_JOBID]\n"
    "End Queue\nBegin Queue\nQUEUE_NAME = low\nNICE = 7 \\\n 8\nEnd Queue\n#INCLUDE \"more\"\n";
static const char site[] =
    "Begin Host\r\nHOST_NAME MXJ JL/U pg\r\nh1 4 2 3\r\nh2 ! () ()\r\nEnd Host\r\n"
    "Begin HostGroup\nGROUP_NAME GROUP_MEMBER\ng (h1 nobody)\nEnd HostGroup\n"
    "Begin UserGroup\nGROUP_NAME GROUP_MEMBER\nlab (ann bob)\nless (lab ~ann)\nall (all)\n"
    "End UserGroup\nBegin User\nUSER_NAME MAX_JOBS JL/P\nlab@ 4 0.5\ndefault 2 -\nEnd User\n"
    "Begin Limit\nPER_USER = all ~bob\nQUEUES = low\nSLOTS = 3\nMEM = 5\nEnd Limit\n"
    "Begin ResourceMap\nRESOURCENAME LOCATION\nlic 5@[all]\ntmp 5@[h1]\nEnd ResourceMap\n"
    "Begin Resource\nRESOURCENAME TYPE RELEASE\ntmp Numeric N\nEnd Resource\n"
    "Begin Parameters\nPREEMPTABLE_RESOURCES = lic tmp\nPREEMPTION_WAIT_TIME = 300\n"
    "End Parameters\nBegin HostExport\nPER_HOST = h1\nSLOTS = 1\nDISTRIBUTION = [C, 1]\n"
    "Begin Application\nNAME = \xff\"a\nEnd Application\n";
static const allot_lsf_file files[] = {{"lsb.queues", queues, sizeof queues - 1},
                                       {"site", site, sizeof site - 1}};

typedef struct told {
    int32_t plans, notes, errors;
    size_t bytes;
    int refuse;
} told;

static int take(void *ud, const char *bytes, size_t len)
{
    told *it = ud;
    CHECK(len > 0 && bytes[0] == '{' && bytes[len - 1] == '\n');
    it->plans++;
    it->bytes += len;
    return it->refuse;
}

static void note(void *ud, const allot_diagnostic *finding)
{
    told *it = ud;
    CHECK(finding->line > 0 && finding->col > 0 && finding->file && finding->message);
    if (finding->severity == ALLOT_WARNING)
        CHECK_STR(finding->code, "W-import");
    it->notes += finding->severity == ALLOT_WARNING;
    it->errors += finding->severity == ALLOT_ERROR;
}

static told expected;

/* What is told is told whole, or not at all. */
static int import_once(allot_engine *engine)
{
    told it = {0};
    int status = allot_lsf_import(engine, files, 2, take, &it, note, &it);
    CHECK(status == ALLOT_OK || (it.plans == 0 && it.notes == 0));
    if (status == ALLOT_OK)
        CHECK(it.plans == 1 && it.bytes == expected.bytes && it.notes == expected.notes);
    return status;
}

static void memory_may_run_out_anywhere(void)
{
    oom memory = {0};
    allot_engine *engine;
    CHECK_EQ(allot_engine_new(oom_alloc, &memory, &engine), ALLOT_OK);
    CHECK_EQ(allot_lsf_import(engine, files, 2, take, &expected, note, &expected), ALLOT_OK);
    CHECK(expected.bytes > 500 && expected.notes > 10);
    allot_engine_free(engine);
    CHECK(oom_clean(&memory));
    script_each_failure(import_once);
}

static void who_is_told_may_refuse(void)
{
    oom memory = {0};
    allot_engine *engine;
    told it = {.refuse = 1};
    CHECK_EQ(allot_engine_new(oom_alloc, &memory, &engine), ALLOT_OK);
    CHECK_EQ(allot_lsf_import(engine, files, 2, take, &it, note, &it), ALLOT_EIO);
    CHECK_EQ(it.plans, 1);
    CHECK_EQ(it.notes, 0);
    CHECK_EQ(allot_lsf_import(NULL, files, 2, take, &it, note, &it), ALLOT_EUSAGE);
    CHECK_EQ(allot_lsf_import(engine, NULL, 2, take, &it, note, &it), ALLOT_EUSAGE);
    CHECK_EQ(allot_lsf_import(engine, files, -1, take, &it, note, &it), ALLOT_EUSAGE);
    CHECK_EQ(allot_lsf_import(engine, files, 2, NULL, &it, note, &it), ALLOT_EUSAGE);
    CHECK_EQ(allot_lsf_import(engine, files, 2, take, &it, NULL, &it), ALLOT_EUSAGE);
    it.refuse = 0;
    CHECK_EQ(allot_lsf_import(engine, NULL, 0, take, &it, note, &it), ALLOT_EINVALID);
    CHECK_EQ(it.plans, 1);
    CHECK_EQ(it.errors, 1);
    allot_engine_free(engine);
    CHECK(oom_clean(&memory));
}

int main(void)
{
    RUN(memory_may_run_out_anywhere);
    RUN(who_is_told_may_refuse);
    return check_done();
}
