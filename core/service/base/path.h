/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* path.h: a consumer's path as a JSON string. */
#ifndef ALLOT_SERVICE_BASE_PATH_H
#define ALLOT_SERVICE_BASE_PATH_H

#include <allot/allot.h>

#include "base/text.h"
#include "service/base/path.h"

void allot__path_json(allot__text *text, const allot_plan *plan, int32_t consumer);

#endif
