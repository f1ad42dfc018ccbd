/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* run.c: the verb `run`: one cycle, printed. */
#include "cli/term/cli.h"

#include <unistd.h>

int allot__cli_run(allot__cli *cli)
{
    allot__look look = {
        .color = allot__cli_colored(cli->options.color, STDOUT_FILENO),
        .columns = cli->options.columns,
        .all = cli->options.all,
        .width = allot__cli_width(STDOUT_FILENO),
    };
    allot__documents docs;
    int code = allot__cli_decide(cli, cli->operands[0], cli->operands[1], &docs);
    if (code == CLI_DONE && cli->options.json)
        code = allot__cli_status(
            cli, allot_decision_write(docs.decision, cli->report, allot__text_sink, &cli->out));
    else if (code == CLI_DONE)
        allot__cli_decision(docs.decision, &cli->out, &look);
    allot__cli_close(cli, &docs);
    return code;
}
