/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* objects.c: the object of each consumer in the document, and which are faulty. */
#include "json/plan/plan.h"

/* Set in a consumer's object number. */
#define FAULTY UINT32_C(0x80000000)

/* Sums go up, so what is above a faulty consumer is in doubt too. */
void allot__consumer_mark(allot__plan_reader *reader, int32_t consumer)
{
    reader->doubtful = true;
    for (; consumer >= 0 && (reader->objects[consumer] & FAULTY) == 0;
         consumer = allot_plan_parent(reader->plan, consumer))
        reader->objects[consumer] |= FAULTY;
}

uint32_t allot__consumer_object(const allot__plan_reader *reader, int32_t consumer, bool *faulty)
{
    *faulty = (reader->objects[consumer] & FAULTY) != 0;
    return reader->objects[consumer] & ~FAULTY;
}

void allot__consumer_remember(allot__plan_reader *reader, int32_t consumer, uint32_t object)
{
    size_t size = sizeof *reader->objects;
    if ((size_t)consumer >= reader->object_capacity) {
        size_t more = reader->object_capacity + reader->object_capacity / 2 + 64;
        void *grown = allot_engine_alloc(reader->doc.engine, reader->objects,
                                         reader->object_capacity * size, more * size);
        if (!grown) {
            allot__doc_keep(&reader->doc, ALLOT_ENOMEM);
            return;
        }
        reader->objects = grown;
        reader->object_capacity = more;
    }
    reader->objects[consumer] = object;
}
