/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* sha256_test.c: the vectors of FIPS 180-4, and lengths around a block's end. */
#include <stdlib.h>

#include <allot/script.h>
#include "test/support/check.h"

static void vectors(void)
{
    char hex[65];
    allot_sha256("", 0, hex);
    CHECK_STR(hex, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    allot_sha256("abc", 3, hex);
    CHECK_STR(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    allot_sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56, hex);
    CHECK_STR(hex, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    allot_sha256("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopq"
                 "klmnopqrlmnopqrsmnopqrstnopqrstu",
                 112, hex);
    CHECK_STR(hex, "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
}

static void a_million_letters(void)
{
    char hex[65], *text = malloc(1000000);
    if (!CHECK(text))
        return;
    memset(text, 'a', 1000000);
    allot_sha256(text, 1000000, hex);
    CHECK_STR(hex, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    free(text);
}

/* 55 bytes are the most that leave room for the length in one block. */
static void around_a_blocks_end(void)
{
    static const struct {
        size_t len;
        const char *hex;
    } rows[] = {{55, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318"},
                {56, "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a"},
                {64, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"}};
    char text[64], hex[65];
    memset(text, 'a', sizeof text);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        allot_sha256(text, rows[i].len, hex);
        CHECK_STR(hex, rows[i].hex);
    }
}

int main(void)
{
    RUN(vectors);
    RUN(a_million_letters);
    RUN(around_a_blocks_end);
    return check_done();
}
