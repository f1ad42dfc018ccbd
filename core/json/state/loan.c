/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* loan.c: the loans of a state. Those of a decision can be written back as they are. */
#include "json/text/names.h"
#include "json/state/state.h"

enum { LENDER, BORROWER, SLOTS, GROUP, BEFORE, WHY, LOAN_FIELDS };
static const allot__field loan_fields[LOAN_FIELDS] = {
    [LENDER] = {"lender", ALLOT__STRING, 0, 0, true, false},
    [BORROWER] = {"borrower", ALLOT__STRING, 0, 0, true, false},
    [SLOTS] = {"slots", ALLOT__AMOUNT, true, false},
    [GROUP] = {"group", ALLOT__STRING, 0, 0, false, false},
    [BEFORE] = {"before", ALLOT__AMOUNT, false, false},
    [WHY] = {"why", ALLOT__OBJECT, 0, 0, false, false},
};
static const allot__shape loan_shape = {loan_fields, LOAN_FIELDS, 0};

static void add_loan(allot__state_reader *reader, uint32_t object, const allot__value *values)
{
    allot__doc *doc = &reader->doc;
    int64_t faults = doc->faults;
    char quote[ALLOT__QUOTE_MAX + 4];
    allot_loan loan = {.lender = allot__leaf_value(reader, &values[LENDER]),
                       .borrower = allot__leaf_value(reader, &values[BORROWER]),
                       .group = allot__group_read(doc, reader->plan, object, &values[GROUP]),
                       .slots = values[SLOTS].integer};
    allot__spot spot = allot__at(values[BORROWER].number);
    if (doc->faults == faults && loan.lender == loan.borrower)
        allot__doc_fault(doc, spot, "E-loan", NULL,
                         "found %s, the lender itself, allowed another consumer",
                         allot__doc_quote(doc, spot, quote));
    if (doc->faults == faults)
        allot__doc_keep(doc, allot_state_loan(reader->state, &loan));
}

static void read_loan(allot__state_reader *reader, uint32_t object)
{
    allot__value values[LOAN_FIELDS];
    cJSON *node;
    int64_t faults = reader->doc.faults;
    if (allot__object_read(&reader->doc, object, &loan_shape, values, &node))
        return;
    if (reader->doc.faults == faults)
        add_loan(reader, object, values);
    cJSON_Delete(node);
}

void allot__loans_read(allot__state_reader *reader)
{
    const allot__value *loans = &reader->top[ALLOT__STATE_LOANS];
    allot__doc *doc = &reader->doc;
    uint32_t end = loans->kind != 0 ? allot__doc_end(doc, loans->number) : 0;
    for (uint32_t item = loans->number + 1; item < end; item = allot__doc_next(doc, item))
        if (allot__kind_check(doc, item, ALLOT__OBJECT))
            read_loan(reader, item);
}
