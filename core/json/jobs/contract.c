/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* contract.c: a contract that was read is added to the plan. */
#include "json/jobs/queues.h"
#include "json/text/names.h"

void allot__lease_add(allot__plan_reader *reader, uint32_t object, const allot_lease *lease)
{
    allot__doc *doc = &reader->doc;
    uint32_t name = allot__doc_member(doc, object, "name");
    int status = allot_plan_lease(reader->plan, lease);
    reader->queues_lost = reader->queues_lost || status != ALLOT_OK;
    if (status == ALLOT_OK)
        allot__objects_add(doc, &reader->leases, object);
    else if (status == ALLOT_EEXIST)
        allot__doc_fault(doc, allot__at(name), "E-duplicate-id", NULL,
                         "found the contract \"%.80s\" again, allowed once", lease->name);
    else if (status == ALLOT_ENAME)
        allot__doc_fault(
            doc, allot__at(object), "E-name", NULL,
            "found \"%.60s\" between \"%.60s\" and \"%.60s\", allowed names of " ALLOT__LABEL_RULE,
            lease->name, lease->provider, lease->consumer);
    else if (status == ALLOT_ERANGE)
        allot__doc_fault(doc, allot__at(object), "E-range", NULL,
                         "found %lld slots beside hosts that say otherwise, or slots of hosts "
                         "above %d in all",
                         (long long)lease->slots, ALLOT_AMOUNT_MAX);
    else
        allot__doc_keep(doc, status);
}
