/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* borrow.c: phase 3: borrowers, their lenders, and the order; phase 4: lenders call back what they
 * lent. */
#include <string.h>

#include "engine/fill/round.h"
#include "engine/ownership/peers.h"
#include "engine/rows/order.h"

/* ---- The order of borrowers */

static const allot__order *order_of(const allot__rules *rules)
{
    const allot__fill *loan = allot__policy_part(rules->policy, ALLOT__LOAN);
    return loan ? &loan->order : NULL;
}

/* Is the borrowers' order that of holders? */
static bool is_natural(const allot__ledger *ledger)
{
    bool natural = true;
    for (int32_t i = 0; i < ledger->work->rules_count && natural; i++) {
        const allot__order *order = order_of(&ledger->work->rules[i]);
        natural = order && allot__order_natural(order);
    }
    return natural;
}

/* Computes the functions among the keys of all holders. */
static int prepare_orders(allot__ledger *ledger)
{
    int status = ALLOT_OK;
    for (int32_t i = 0; i < ledger->work->rules_count && status == ALLOT_OK; i++) {
        allot__rules *rules = &ledger->work->rules[i];
        const allot__order *order = order_of(rules);
        status = order ? allot__order_prepare(ledger->work, rules, order) : ALLOT_OK;
    }
    return status;
}

/* Writes key `number` of every holder, 0 if its policy has no such key; false: no policy has. */
static bool write_keys(allot__ledger *ledger, int32_t number)
{
    bool any = false;
    for (int32_t k = 0; k < ledger->live_count; k++) {
        int32_t i = ledger->live[k], row = ledger->holders[i].row;
        const allot__rules *rules = allot__rules_at(ledger->work, row);
        const allot__order *order = order_of(rules);
        ledger->keys[i] = 0;
        if (order && number < order->count) {
            const allot_key *key = &order->keys[number];
            int64_t value = allot__order_key(ledger->work, rules, key, row);
            ledger->keys[i] = key->descending ? ~value : value;
            any = true;
        }
    }
    return any;
}

/* Sorts borrowers, each by its own policy's keys: stably, by the last key first. */
static int order_borrowers(allot__ledger *ledger, int32_t *out)
{
    bool natural = is_natural(ledger);
    int status = natural ? ALLOT_OK : prepare_orders(ledger);
    if (status != ALLOT_OK)
        return status;
    size_t size = (size_t)ledger->live_count * sizeof *out;
    memcpy(ledger->order, ledger->live, size);
    for (int32_t number = ALLOT_KEYS_MAX - 1; number >= 0 && !natural; number--)
        if (write_keys(ledger, number))
            allot__books_sort(ledger, ledger->live_count);
    memcpy(out, ledger->order, size);
    return ALLOT_OK;
}

/* ---- Loans */

void allot__lenders_list(allot__ledger *ledger)
{
    for (int32_t place = 0; place < ledger->places; place++) {
        const allot__holder *holder =
            ledger->at[place] >= 0 ? &ledger->holders[ledger->at[place]] : NULL;
        int32_t out = holder && !holder->recall_first ? holder->out : 0;
        if (holder && holder->own > (int64_t)allot__most(holder->used, holder->reserve) + out)
            ledger->lenders[ledger->lender_count++] = place;
    }
}

/* Slots that a lender can lend now. */
static int64_t can_lend(const allot__ledger *ledger, int32_t lender)
{
    const allot__holder *holder = &ledger->holders[lender];
    int64_t within = (int64_t)allot__holder_lend_most(holder) - holder->out;
    int64_t used = holder->used > holder->reserve ? holder->used : holder->reserve;
    int64_t idle = holder->own - used - holder->out;
    idle = allot__least(idle, within);
    return idle > 0 ? idle : 0;
}

static int64_t can_borrow(const allot__ledger *ledger, int32_t borrower)
{
    const allot__holder *holder = &ledger->holders[borrower];
    int64_t wants = allot__holder_wants(holder, holder->most);
    int64_t within = (int64_t)holder->borrow_most - holder->in;
    int64_t free = wants > 0 ? allot__books_free(ledger, borrower) : 0;
    wants = allot__least(wants, within);
    wants = allot__least(wants, free);
    return wants > 0 && free > allot__holder_leaving(holder) ? wants : 0;
}

static bool lend(allot__ledger *ledger, int32_t lender, int32_t borrower, int64_t slots)
{
    int32_t loan = allot__loan_between(ledger, lender, borrower);
    if (loan < 0)
        return false;
    allot__loan_more(ledger, loan, slots);
    ledger->loans[loan].why = ALLOT__WHY_BORROWED;
    allot__books_give(ledger, borrower, slots, ALLOT__BORROWED);
    return true;
}

/* A walk over lenders, while something is left to find. */
typedef struct walk {
    int64_t left; /* slots that the borrower may have */
    int64_t reach, all;
    int32_t *seen, mark;
} walk;
typedef bool visit(allot__ledger *ledger, int32_t lender, int32_t borrower, walk *it);

/* Visits the lenders of a borrower at the places [from, to). */
static bool visit_from(allot__ledger *ledger, allot__lenders *lenders, int32_t borrower,
                       int32_t from, int32_t to, visit *at_lender, walk *it)
{
    allot__lenders_begin(lenders, borrower, from);
    for (int32_t at = allot__lenders_place(lenders, borrower); at < to && it->left > 0;
         at = allot__lenders_place(lenders, borrower)) {
        int32_t lender = ledger->at[at];
        int64_t slots = can_lend(ledger, lender);
        if (slots > 0 && lender != borrower && !at_lender(ledger, lender, borrower, it))
            return false;
        allot__lenders_pass(lenders, borrower, at, slots == 0);
    }
    return true;
}

/* Visits the lenders of a borrower in its order. */
static bool visit_lenders(allot__ledger *ledger, allot__lenders *lenders, int32_t borrower,
                          visit *at_lender, walk *it)
{
    const allot__peers *peers = allot__peers_of(ledger, borrower, false);
    if (!peers)
        return true;
    if (peers->count < 0)
        return visit_from(ledger, lenders, borrower, 0, ledger->places, at_lender, it);
    bool fine = true;
    for (int32_t i = 0; i < peers->count && fine; i++) {
        int32_t row = allot__peer_row(ledger, peers, i);
        fine = visit_from(ledger, lenders, borrower, ledger->first[row], ledger->end[row],
                          at_lender, it);
    }
    return fine;
}

static bool borrow_of(allot__ledger *ledger, int32_t lender, int32_t borrower, walk *it)
{
    int64_t slots = can_lend(ledger, lender), wants = can_borrow(ledger, borrower);
    wants = allot__least(wants, it->left);
    slots = allot__least(slots, wants);
    it->left = wants > 0 ? it->left - slots : 0;
    return slots == 0 || lend(ledger, lender, borrower, slots);
}

/* Borrows at most so many slots. */
static bool borrow(allot__ledger *ledger, allot__lenders *lenders, int32_t borrower, int64_t most)
{
    walk it = {.left = most};
    return can_borrow(ledger, borrower) == 0 ||
           visit_lenders(ledger, lenders, borrower, borrow_of, &it);
}

/* ---- By weight ------------------------------------------------------------------------------- */

/* Do two borrowers share by weight? */
static bool ties(const allot__ledger *ledger, int32_t one, int32_t other)
{
    const allot__holder *a = &ledger->holders[one], *b = &ledger->holders[other];
    const allot__rules *rules = allot__rules_at(ledger->work, a->row);
    return a->borrow_weight >= 0 && allot__rules_at(ledger->work, b->row) == rules &&
           allot__order_tied(ledger->work, rules, order_of(rules), a->row, b->row);
}

/* Borrowers that tie, in their order; arrays of as many, but for `seen`, which is by holder. */
typedef struct party {
    int32_t *members, count;
    int32_t *level, *cap, *weight, *aim, *floor, *rest, *zeros, *served, *other, *seen;
    int64_t *reach; /* slots that their lenders could lend them */
} party;

static int take_party(allot__ledger *ledger, int32_t *members, int32_t count, party *out)
{
    size_t n = (size_t)count;
    *out = (party){.members = members, .count = count};
    return ALLOT__ZEROED_ALL(ledger->work->arena,
                             ALLOT__EACH(n, out->level, out->cap, out->weight, out->aim, out->floor,
                                         out->rest, out->zeros, out->served, out->other,
                                         out->reach),
                             ALLOT__WANTED(out->seen, (size_t)ledger->count));
}

/* Counts what a lender could lend, to this borrower and to all. */
static bool count_of(allot__ledger *ledger, int32_t lender, int32_t borrower, walk *it)
{
    int64_t slots = can_lend(ledger, lender);
    (void)borrower;
    it->reach += slots;
    it->all += it->seen[lender] != it->mark ? slots : 0;
    it->seen[lender] = it->mark;
    return true;
}

/* Writes what members have borrowed and could borrow; returns the slots to divide. */
static int64_t look(allot__ledger *ledger, allot__lenders *lenders, party *of, int32_t mark)
{
    walk it = {.seen = of->seen, .mark = mark};
    for (int32_t i = 0; i < of->count; i++) {
        const allot__holder *holder = &ledger->holders[of->members[i]];
        int64_t most = holder->borrow_weight > 0 ? can_borrow(ledger, of->members[i]) : 0;
        it.left = most; /* a walk that counts leaves it as it is */
        it.reach = 0;
        visit_lenders(ledger, lenders, of->members[i], count_of, &it);
        of->reach[i] = it.reach;
        of->level[i] = holder->in;
        of->cap[i] = holder->in + (int32_t)allot__least(most, it.reach);
        of->weight[i] = holder->borrow_weight;
        of->served[i] = i;
    }
    int64_t idle = ledger->idle + ledger->returned;
    return idle > 0 && idle < it.all ? idle : it.all;
}

/* Raises totals in proportion to weights; writes them to `aim`. */
static void raise_totals(party *of, int64_t slots)
{
    allot__pour rows = {.count = of->count,
                        .unit = 1,
                        .left = slots,
                        .level = of->level,
                        .level_part = of->zeros,
                        .need = of->cap,
                        .cap = of->cap,
                        .cap_part = of->zeros,
                        .weight = of->weight,
                        .aim = of->aim,
                        .floor = of->floor,
                        .rest = of->rest};
    int64_t whole = slots;
    for (int32_t i = 0; i < of->count; i++)
        whole += of->level[i];
    allot__pour_aims(&rows);
    if (allot__pour_level(&rows, of->zeros, of->other))
        allot__round(ALLOT_ROUND_RANK, &(allot__shares){.count = of->count,
                                                        .whole = whole,
                                                        .floor = of->floor,
                                                        .rest = of->rest,
                                                        .quota = of->aim});
}

/* Divides once; those with the fewest slots in reach borrow first. True: some borrowed. */
static bool divide(allot__ledger *ledger, allot__lenders *lenders, party *of, int32_t mark,
                   int *status)
{
    bool moved = false;
    raise_totals(of, look(ledger, lenders, of, mark));
    allot__sort_rows(of->served, of->other, of->reach, 0, of->count);
    for (int32_t k = 0; k < of->count && *status == ALLOT_OK; k++) {
        int32_t i = of->served[k], member = of->members[i];
        if (!borrow(ledger, lenders, member, of->aim[i] - of->level[i]))
            *status = ALLOT_ENOMEM;
        moved = moved || ledger->holders[member].in > of->level[i];
    }
    return moved;
}

/* What lists or limits keep from one goes to the others, in further turns. */
static int borrow_by_weight(allot__ledger *ledger, allot__lenders *lenders, int32_t *members,
                            int32_t count)
{
    party of;
    int status = take_party(ledger, members, count, &of);
    for (int32_t turn = 1; turn <= count + 1 && status == ALLOT_OK; turn++)
        if (!divide(ledger, lenders, &of, turn, &status))
            return status;
    for (int32_t i = 0; i < count && status == ALLOT_OK; i++)
        if (of.weight[i] > 0 && !borrow(ledger, lenders, members[i], ALLOT_AMOUNT_MAX))
            status = ALLOT_ENOMEM;
    return status;
}

/* Idle slots that leaves under other policies need for their quotas: not to be borrowed. */
static int64_t others_lack(const allot__ledger *ledger)
{
    const allot__work *work = ledger->work;
    int64_t lack = 0;
    for (int32_t row = 0; !ledger->all && row < work->tree->rows; row++) {
        bool other = allot__family_of(work, row) == 0 && ledger->holder_of[row] < 0;
        int64_t slots = other ? (int64_t)work->quota[row] - work->allocated[row] : 0;
        lack += slots > 0 ? slots : 0;
    }
    return lack;
}

int allot__loans_borrow(allot__ledger *ledger)
{
    int32_t *lends = ledger->column[0], *order = ledger->column[1], count = 0;
    allot__lenders lenders;
    bool any = ledger->work->group->lend_at != NULL && ledger->work->group->borrow_at;
    for (int32_t i = 0; any && allot__books_any(ledger) && i < ledger->lender_count; i++)
        if (can_lend(ledger, ledger->at[ledger->lenders[i]]) > 0)
            lends[count++] = ledger->lenders[i];
    if (count == 0)
        return ALLOT_OK;
    int64_t apart = others_lack(ledger);
    ledger->idle -= apart;
    int status = allot__lenders_init(&lenders, ledger, lends, count);
    if (status == ALLOT_OK)
        status = order_borrowers(ledger, order);
    for (int32_t k = 0; k < ledger->live_count && status == ALLOT_OK && allot__books_any(ledger);) {
        int32_t from = k;
        do
            k++;
        while (k < ledger->live_count && ties(ledger, order[from], order[k]));
        if (ledger->holders[order[from]].borrow_weight >= 0)
            status = borrow_by_weight(ledger, &lenders, order + from, k - from);
        else if (!borrow(ledger, &lenders, order[from], ALLOT_AMOUNT_MAX))
            status = ALLOT_ENOMEM;
    }
    ledger->idle += apart;
    return status;
}

/* ---- Phase 4 --------------------------------------------------------------------------------- */

/* Calls back up to `most` slots of a loan; returns how many. */
static int64_t recall(allot__ledger *ledger, int32_t lender, int32_t loan, int64_t most)
{
    const allot__holder *holder = &ledger->holders[lender];
    int32_t borrower = ledger->loans[loan].borrower;
    int64_t slots = allot__holder_lacks(holder, holder->most);
    int64_t within = allot__books_within(ledger, lender, borrower);
    slots = allot__least(slots, most);
    slots = allot__least(slots, ledger->loans[loan].slots);
    slots = allot__least(slots, within);
    slots = allot__least(slots, ledger->holders[borrower].in);
    int64_t leaving = allot__holder_leaving(holder);
    leaving = allot__least(leaving, slots);
    if (slots <= 0 || leaving > ledger->room)
        return 0;
    if (slots > leaving)
        allot__loan_take(ledger, loan, slots - leaving, lender, ALLOT__WHY_RECALLED);
    allot__books_promise(ledger, lender, slots, ALLOT__OWN);
    ledger->holders[lender].recalled += (int32_t)slots;
    return slots;
}

void allot__loans_recall(allot__ledger *ledger, bool first)
{
    for (int32_t at = 0; at < ledger->live_count; at++) {
        int32_t i = ledger->live[at];
        const allot__holder *holder = &ledger->holders[i];
        if (holder->recall_first != first || holder->out == 0 ||
            allot__holder_lacks(holder, holder->most) == 0)
            continue;
        int64_t left = (int64_t)holder->out - holder->dropped;
        for (int32_t k = ledger->lender_at[i]; k < ledger->lender_at[i + 1] && left > 0; k++)
            left -= recall(ledger, i, ledger->by_lender[k], left);
    }
}
