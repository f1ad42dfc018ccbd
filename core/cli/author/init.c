/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* init.c: the verb `init`: a policy, its spec and a plan, to begin with. */
#include "cli/term/cli.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The command's path, from which `.busted` gets the module's path. */
static int make(allot__cli *cli)
{
    char program[4096];
    char *words[] = {cli->operands[0], program, NULL};
    ssize_t len = readlink("/proc/self/exe", program, sizeof program - 1);
    program[len > 0 ? len : 0] = '\0';
    cli->operands = words;
    cli->operand_count = 2;
    int code = allot__cli_tool(cli, "reference.scaffold", "init");
    cli->operands = NULL;
    cli->operand_count = 0;
    return code;
}

int allot__cli_init(allot__cli *cli)
{
    const char *folder = cli->options.to;
    char words[128] = "";
    if (folder && mkdir(folder, 0777) != 0 && errno != EEXIST) {
        if (strerror_r(errno, words, sizeof words) != 0)
            words[0] = '\0';
        return allot__cli_fail(cli, CLI_IO, "E-io", NULL, "%.200s cannot be made: %s", folder,
                               words);
    }
    return make(cli);
}
