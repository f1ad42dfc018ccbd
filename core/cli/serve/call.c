/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* call.c: the verb `call`: one request to a running service, and its answer. */
#include <string.h>

#include "cli/term/client.h"

/* A request is a line, so line ends, which JSON has only between tokens, become blanks. */
static int read_params(allot__cli *cli, const char *word, allot__text *out)
{
    *out = (allot__text){.engine = cli->engine};
    if (strcmp(word, "-") == 0) {
        int code = allot__cli_read(cli, word, out);
        if (code != CLI_DONE)
            return code;
    } else {
        allot__text_puts(out, word);
    }
    allot_json *json;
    allot_json_event event = {0};
    int status = allot_json_open(cli->engine, out->bytes ? out->bytes : "", out->len, "PARAMS", 1,
                                 0, cli->report, &json);
    if (status != ALLOT_OK)
        return allot__cli_status(cli, status);
    allot_json_next(json, &event);
    allot_json_close(json);
    if (event.kind != ALLOT_JSON_OBJECT)
        return allot__cli_fail(cli, CLI_USAGE, "E-usage", NULL,
                               "PARAMS is a JSON object, as in {\"consumer\": \"/a\"}");
    for (size_t i = 0; i < out->len; i++)
        if (out->bytes[i] == '\n' || out->bytes[i] == '\r')
            out->bytes[i] = ' ';
    return CLI_DONE;
}

int allot__cli_call(allot__cli *cli)
{
    allot__client client = {.fd = -1};
    allot__text params = {0};
    const char *result;
    size_t len;
    int code = CLI_DONE;
    if (cli->operand_count > 1)
        code = read_params(cli, cli->operands[1], &params);
    if (code == CLI_DONE) {
        code = allot__client_open(cli, &client);
        if (code == CLI_DONE)
            code = allot__client_ask(&client, cli->operands[0], params.bytes, params.len, &result,
                                     &len);
        if (code == CLI_DONE) {
            allot__text_add(&cli->out, result, len);
            allot__text_puts(&cli->out, "\n");
        }
        allot__client_close(&client);
    }
    allot__text_free(&params);
    return code;
}
