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

/* The leaf that a value names; ALLOT_ROOT: a fault, which is said, or it is not there. */
static int32_t read_leaf(allot__state_reader *reader, const allot__value *value)
{
    return value->kind == ALLOT__STRING ? allot__leaf_read(&reader->doc, reader->plan,
                                                           allot__at(value->number), value->string)
                                        : ALLOT_ROOT;
}

static int add_loan(allot__state_reader *reader, uint32_t object, const allot__value *values)
{
    allot__doc *doc = &reader->doc;
    int64_t faults = doc->faults;
    char quote[ALLOT__QUOTE_MAX + 4];
    allot_loan loan = {.lender = read_leaf(reader, &values[LENDER]),
                       .borrower = read_leaf(reader, &values[BORROWER]),
                       .group = allot__group_read(doc, reader->plan, object, &values[GROUP]),
                       .slots = values[SLOTS].integer};
    allot__spot spot = allot__at(values[BORROWER].number);
    if (doc->faults == faults && loan.lender == loan.borrower)
        allot__doc_fault(doc, spot, "E-loan", NULL,
                         "found %s, the lender itself, allowed another consumer",
                         allot__doc_quote(doc, spot, quote));
    return doc->faults == faults ? allot_state_loan(reader->state, &loan) : ALLOT_OK;
}

static int read_loan(allot__state_reader *reader, uint32_t object)
{
    allot__value values[LOAN_FIELDS];
    cJSON *node;
    int64_t faults = reader->doc.faults;
    int status = allot__object_read(&reader->doc, object, &loan_shape, values, &node);
    if (status != ALLOT_OK)
        return status;
    if (reader->doc.faults == faults)
        status = add_loan(reader, object, values);
    cJSON_Delete(node);
    return status;
}

int allot__loans_read(allot__state_reader *reader)
{
    const allot__value *loans = &reader->top[ALLOT__STATE_LOANS];
    allot__doc *doc = &reader->doc;
    int status = ALLOT_OK;
    if (loans->kind == 0)
        return ALLOT_OK;
    uint32_t end = allot__doc_end(doc, loans->number);
    for (uint32_t item = loans->number + 1; item < end && status == ALLOT_OK;
         item = allot__doc_next(doc, item))
        if (allot__kind_check(doc, item, ALLOT__OBJECT))
            status = read_loan(reader, item);
    return status;
}
