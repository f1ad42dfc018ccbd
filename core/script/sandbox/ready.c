/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* ready.c: the ready-made policies that are built in. */
#include <string.h>

#include <allot/script.h>

#include "script/sandbox/embedded.h"

int32_t allot_ready_policies(void)
{
    return allot__embedded_policies_count;
}

const char *allot_ready_policy_name(int32_t i)
{
    return i >= 0 && i < allot__embedded_policies_count ? allot__embedded_policies[i].name : NULL;
}

const char *allot_ready_policy_text(const char *name, size_t *len)
{
    for (int32_t i = 0; name && i < allot__embedded_policies_count; i++) {
        if (strcmp(allot__embedded_policies[i].name, name) != 0)
            continue;
        if (len)
            *len = allot__embedded_policies[i].len;
        return allot__embedded_policies[i].text;
    }
    return NULL;
}
