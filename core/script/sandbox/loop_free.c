/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * loop_free.c: finds functions that always end: without loops, calls, and new strings or tables.
 *
 * A count hook sends every instruction of Lua through a check, which costs as much as the function
 * itself when that is a line of arithmetic. A loop-free function runs each of its instructions at
 * most once, so it needs no budget. Its code is read from lua_dump; a function whose dump has
 * another format counts as not loop-free, and runs under the hook.
 */
#include <string.h>

#include "script/sandbox/script.h"

enum { DUMP_MOST = 4096, HEADER = 32 };

/* The beginning of a function's dump. */
typedef struct dump {
    unsigned char bytes[DUMP_MOST];
    size_t count, at;
} dump;

static int keep(lua_State *L, const void *bytes, size_t count, void *ud)
{
    dump *to = ud;
    (void)L;
    if (count > DUMP_MOST - to->count)
        return 1;
    memcpy(to->bytes + to->count, bytes, count);
    to->count += count;
    return 0;
}

/* Reads a number: groups of seven bits, the last one marked; -1: none. */
static int64_t number(dump *from)
{
    int64_t value = 0;
    while (from->at < from->count && value < INT32_MAX) {
        unsigned char byte = from->bytes[from->at++];
        value = value << 7 | (byte & 0x7f);
        if (byte & 0x80)
            return value;
    }
    return -1;
}

/* By the numbers of Lua 5.4's instructions (lopcodes.h). */
static bool loop_free_code(uint32_t instruction)
{
    enum { MOVE = 0, LOADK = 3, LOADFALSE = 5, GETUPVAL = 9, GETTABUP = 11, GETFIELD = 14 };
    enum { ADDI = 21, LEN = 52, JMP = 56, EQ = 57, TESTSET = 67, RETURN = 70, RETURN1 = 72 };
    uint32_t code = instruction & 0x7f;
    if (code == JMP) /* forwards only */
        return instruction >> 7 >= (1U << 24) - 1;
    return code <= LOADK || (code >= LOADFALSE && code <= GETUPVAL) ||
           (code >= GETTABUP && code <= GETFIELD) || (code >= ADDI && code <= LEN) ||
           (code >= EQ && code <= TESTSET) || (code >= RETURN && code <= RETURN1);
}

/* Moves to the instructions; returns their number, or -1. */
static int64_t find_code(dump *from)
{
    static const unsigned char beginning[] = "\x1bLua\x54\x00\x19\x93\r\n\x1a\n\x04\x08\x08";
    if (from->count < HEADER || memcmp(from->bytes, beginning, sizeof beginning - 1) != 0)
        return -1;
    from->at = HEADER;
    /* The source, which is stripped; the first and the last line. */
    if (number(from) != 0 || number(from) < 0 || number(from) < 0)
        return -1;
    from->at += 3; /* parameters, whether they vary, registers */
    int64_t codes = number(from);
    bool whole = codes > 0 && codes <= (int64_t)((from->count - from->at) / sizeof(uint32_t));
    return whole ? codes : -1;
}

bool allot__script_loop_free(lua_State *L)
{
    dump dump = {.count = 0};
    if (lua_dump(L, keep, &dump, 1) != 0)
        return false;
    int64_t codes = find_code(&dump);
    for (int64_t i = 0; i < codes; i++) {
        uint32_t instruction;
        memcpy(&instruction, dump.bytes + dump.at + (size_t)i * sizeof instruction,
               sizeof instruction);
        if (!loop_free_code(instruction))
            return false;
    }
    return codes > 0;
}
