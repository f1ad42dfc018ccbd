/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * books.h: the books of a ledger (C-11): what each leaf holds of its own, from pools and on loan,
 * and what one cycle changes about it.
 *
 * Holders are the leaves whose policy keeps a ledger, by (rank, plan order). What a holder has, or
 * is on its way to it, is used + shared + in; slots in flight from it are not in there. Every slot
 * that is taken is a recall: for a claimant, or without one (`loose`). A loose recall can be undone
 * as long as no holder claims it: then the slot stays where it is, as another class.
 */
#ifndef ALLOT_ENGINE_OWNERSHIP_BOOKS_H
#define ALLOT_ENGINE_OWNERSHIP_BOOKS_H

#include "base/least.h"
#include "engine/rows/order.h"

/* Why a loan is as it is, or a slot goes: its code, and what is so, for people. */
#define ALLOT__WHY_MAP(XX)                                                                         \
    XX(KEPT, "kept", "as before")                                                                  \
    XX(BORROWED, "borrowed", "their owner does not want them now")                                 \
    XX(ENDED, "ended", "the borrower no longer holds them")                                        \
    XX(RETURNED, "returned", "the borrower has slots of its own again")                            \
    XX(RECALLED, "recalled", "their owner wants them")                                             \
    XX(OWNERS_FIRST, "owners-first", "a limit first holds what owners below it want of their own") \
    XX(OVER_SHARE, "over-share", "others have a claim on their share of the pool")                 \
    XX(LEND_LIST, "lend-list", "their owner does not lend to it")                                  \
    XX(BORROW_LIST, "borrow-list", "it does not borrow from their owner")                          \
    XX(OWNERSHIP, "ownership", "their owner owns fewer now, without what it reserves")             \
    XX(LEND_LIMIT, "lend-limit", "their owner lends no more than its limit")                       \
    XX(BORROW_LIMIT, "borrow-limit", "it borrows no more than its limit")                          \
    XX(SHARE_LIMIT, "share-limit", "it uses no more of the pools than its limit")                  \
    XX(SHARE_POOL, "share-pool", "no pool holds them beyond its share")                            \
    XX(OVER_WINDOW, "over-window", "they may not stay at this switch of windows")                  \
    XX(OVER_ATTRIBUTE, "over-attribute", "an attribute is a limit that does not hold them")        \
    XX(OVER_LIMIT, "over-limit", "a limit does not hold them")                                     \
    XX(OVER_SIZE, "over-size", "the group has not so many")

typedef enum allot__why {
#define ALLOT__WHY_ENUM(name, code, text) ALLOT__WHY_##name,
    ALLOT__WHY_MAP(ALLOT__WHY_ENUM)
#undef ALLOT__WHY_ENUM
} allot__why;

/* Is a slot taken for that reason whatever the demand? */
static inline bool allot__why_forced(allot__why why)
{
    return why > ALLOT__WHY_OVER_SHARE;
}

typedef enum allot__class { ALLOT__OWN, ALLOT__SHARED, ALLOT__BORROWED } allot__class;

typedef struct allot__holder {
    int32_t row;
    int32_t place;  /* in plan order, among all leaves */
    int32_t family; /* that it is of */
    int32_t own, reserve, need;
    int32_t most;         /* min(demand, limit) */
    int32_t sure;         /* what parents' limits hold of its own before all else; 0: no limits */
    int32_t held, flying; /* of what is allocated: to stay, and in flight */
    int32_t coming;       /* in flight from others, for it */
    int32_t
        dropped; /* ... which may not stay: without a claimant, unless it can have them after all */
    int32_t used, shared, in;
    int32_t pooled;  /* of the shared ones: in a pool */
    int32_t asks;    /* shared slots that it asks for, */
    int32_t due;     /* ... and that it deserves */
    int32_t planned; /* what is planned for it in all pools that go by plan */
    int32_t out;     /* own slots lent */
    int32_t lend_most, borrow_most, share_most, weight;
    int32_t loans;             /* the newest of those that it borrows; -1: none */
    int32_t returned;          /* idle slots that came back for it, not given to it yet */
    int32_t granted, promised; /* by this cycle: idle slots, and others that come to it */
    int32_t replaced;          /* ... and those in the place of slots in flight from it */
    int32_t lost, loose;       /* taken by this cycle; of these without a claimant so far, */
    int32_t gone;              /* ... and for others, but for borrowed ones */
    int32_t forced;            /* ... and whatever the demand */
    int32_t kept;              /* ... and not taken after all */
    int32_t claimed;           /* recalled for it */
    int32_t recalls;           /* the newest of those from it; -1: none */
    int32_t owed;              /* ... of loose ones that it lent; -1: none */
    bool rebalance, keep, adjust, recall_first;
    bool hold_rounding, rounding; /* C-9: the option; a slot stays by it */
    int8_t cut;                   /* rounding of its shares of pools: 1 took a part, -1 added one */
} allot__holder;

/* Loans number by age. */
typedef struct allot__lent {
    int32_t lender, borrower; /* holders */
    int32_t slots, before;
    int32_t older; /* of the same borrower; -1: none */
    allot__why why;
} allot__lent;

typedef struct allot__recall {
    int32_t from, to; /* holders; to -1: no claimant */
    int32_t slots;
    int32_t cut;        /* of these: not taken after all, since damping or guards keep them */
    int32_t loan;       /* of which they are; -1: of none */
    int32_t older;      /* from the same holder; -1: none */
    int32_t older_owed; /* of the same owner, while loose; -1: none */
    bool firm;          /* it cannot be undone */
    bool drains;        /* its holder keeps the slots unless another claims them */
    allot__why why;
} allot__recall;

/* What a holder uses of a pool, and what the ratio gives it among all members, wanting or not. */
typedef struct allot__share {
    int32_t holder, used, planned;
} allot__share;

typedef struct allot__share_pool {
    int64_t slots, used;
    int64_t weight;       /* of all members */
    int32_t first, count; /* its shares, in the order of holders */
    bool by_plan;         /* it is shared by what is planned (E-21) */
    int32_t blocked;      /* the round in which limits kept slots from those of this family */
} allot__share_pool;

/* Columns over the members of a pool, in ledger->column. */
enum {
    ALLOT__POOL_LEVEL,
    ALLOT__POOL_CAP,
    ALLOT__POOL_WEIGHT,
    ALLOT__POOL_AIM,
    ALLOT__POOL_FLOOR,
    ALLOT__POOL_REST,
    ALLOT__POOL_HELD,
    ALLOT__POOL_RANK,
    ALLOT__POOL_UP_TO,
    ALLOT__POOL_COLUMNS
};

/* What was so before the cycle, by holder, for monitors. */
typedef struct allot__held {
    int32_t own, shared, in, out;
} allot__held;

typedef struct allot__ledger {
    allot__work *work;
    bool all;      /* every branch goes by a ledger policy */
    bool planning; /* as if no slots were held and every holder wanted all that it may have */
    int64_t slots; /* what they may hold together; set before the cycle when not all */

    allot__holder *holders;
    int32_t count;
    int32_t *holder_of;   /* by row; -1: none */
    allot__held *before;  /* by holder */
    int64_t room;         /* slots that no holder has or is promised */
    int64_t idle;         /* of these: idle now */
    int64_t loose;        /* of these: taken, without a claimant so far */
    int64_t draining;     /* of these: their holders keep them while no other claims them */
    int64_t returned;     /* of these: came back for holders */
    int32_t *first, *end; /* by row: places of the leaves below, or of the leaf */
    int32_t *at;          /* by place: the holder, -1: none */
    int32_t places;

    allot__lent *loans;
    int32_t loan_count, loan_room;
    int32_t *pairs;     /* by hash of lender and borrower, 2 * loan_room: a loan + 1, or 0 */
    int32_t *by_lender; /* those of the state: by lender, worst-ranked borrower, newest */
    int32_t known;      /* how many these are */
    int32_t *lender_at; /* by holder, count + 1 entries: where in by_lender */

    allot__recall *recalls;
    int32_t recall_count, recall_room;
    int32_t loose_from;    /* of recalls before this none is loose, */
    int32_t draining_from; /* ... and before this none drains */

    allot__share_pool *pools; /* by family; those of no slots have no shares */
    int32_t round;            /* of serving members of a pool (return.c) */
    allot__share *shares;

    bool limited;     /* a parent has a limit */
    int32_t *above;   /* by family: the family that its parent is of; then by family: */
    int64_t *inside;  /* ... what holders below have, promises kept, */
    int64_t *outside; /* ... what leaves below hold until then, */
    int64_t *aside;   /* ... and what holders below lack of what they are sure of */

    int64_t *keys; /* room to sort and to pour in, by holder or loan */
    int32_t *order, *other;
    int32_t *column[ALLOT__POOL_COLUMNS];
    bool rounding; /* a policy has the option `hold_rounding` */
    bool cut;      /* what is not to be carried out has been taken back (reclaim/cut.h) */
    int status;    /* ENOMEM: there was no room for a recall or a list */
    struct allot__books_kept *kept; /* NULL: books are opened for each run */
} allot__ledger;

/* Books as they are open, before anything depends on what holders need. */
typedef struct allot__books_kept {
    allot__ledger ledger;
    int32_t parts; /* arrays that change */
    struct {
        void *at, *copy;
        size_t size;
    } part[8];
} allot__books_kept;

/* books.c */

/* Opens the books: holders, what they hold, loans as far as they still are, pools. ENOMEM, or what
 * a policy's function failed with. */
int allot__books_open(allot__ledger *ledger);
/* Keeps them as they are, for runs that differ in what holders need alone. ENOMEM. */
int allot__books_keep(allot__ledger *ledger);
/* Puts them back, for what holders need now. */
void allot__books_again(allot__ledger *ledger);
/* Returns loans of borrowers that could have own slots instead: no slot moves. */
void allot__books_settle(allot__ledger *ledger);
/* Tells own slots from shared ones. */
void allot__books_class(allot__ledger *ledger);
/* Sorts the first `count` of ledger->order, whose keys are keys[item]; stable. */
static inline void allot__books_sort(allot__ledger *ledger, int32_t count)
{
    allot__sort_rows(ledger->order, ledger->other, ledger->keys, 0, count);
}

static inline int32_t allot__holder_has(const allot__holder *holder)
{
    return holder->used + holder->shared + holder->in;
}
/* What it lacks to have `target`, where slots in flight to it count as there. Slots that it loses
 * count as lacking, as once they are in flight: those without a claimant, unless they drain, and
 * those for others, unless it borrowed them. */
static inline int64_t allot__holder_lacks(const allot__holder *holder, int32_t target)
{
    int64_t lacks = (int64_t)target - holder->held - holder->coming - holder->granted -
                    holder->promised - holder->replaced + holder->gone +
                    (holder->rebalance ? holder->loose : 0);
    return lacks > 0 ? lacks : 0;
}
/* The same; and at least what it could keep for that of slots that it loses without a claimant. */
static inline int64_t allot__holder_wants(const allot__holder *holder, int32_t target)
{
    int64_t wants = allot__holder_lacks(holder, target);
    int64_t keeps = (int64_t)target - allot__holder_has(holder);
    keeps = allot__least(keeps, holder->loose);
    return wants > keeps ? wants : keeps;
}
/* Of its own and of its shared slots, those that are there already: of what comes from others the
 * shared ones come last. */
static inline int32_t allot__holder_there(const allot__holder *holder, allot__class as)
{
    int32_t rest = holder->held - holder->lost - holder->in;
    rest -= as == ALLOT__SHARED ? holder->used : 0;
    int32_t of = as == ALLOT__OWN ? holder->used : holder->shared;
    rest = allot__least(rest, of);
    return rest > 0 ? rest : 0;
}
/* Slots in flight from it that nothing has replaced: as long as there are some it can have no more
 * than what replaces them, since it has them until they are back. */
static inline int32_t allot__holder_leaving(const allot__holder *holder)
{
    return holder->flying - holder->replaced;
}
/* Own slots that it neither has nor has lent. */
static inline int32_t allot__holder_own_idle(const allot__holder *holder)
{
    int32_t idle = holder->own - holder->used - holder->out;
    return idle > 0 ? idle : 0;
}

/* The most that it may have lent. */
static inline int32_t allot__holder_lend_most(const allot__holder *holder)
{
    int32_t most = holder->own > holder->reserve ? holder->own - holder->reserve : 0;
    return (int32_t)allot__least(most, holder->lend_most);
}

static inline bool allot__holder_below(const allot__ledger *ledger, int32_t holder, int32_t parent)
{
    int32_t place = ledger->holders[holder].place;
    return place >= ledger->first[parent] && place < ledger->end[parent];
}

/* move.c */

/* A holder has more slots, or fewer, of which so many were idle: so have its parents. */
void allot__books_has(allot__ledger *ledger, int32_t holder, int64_t slots, int64_t outside);
/* What the limits of a holder's parents still hold for it: beyond what it is sure of itself no more
 * than they do not set aside for others. Of slots that come from `from` (-1: of none) limits above
 * both hold all, but for what that one is sure of and the holder is not. */
int64_t allot__books_within(const allot__ledger *ledger, int32_t holder, int32_t from);
/* What they hold of idle slots: until promised ones are back, their holders still have them. */
int64_t allot__books_outside(const allot__ledger *ledger, int32_t holder);
/* What a holder can have at once: idle slots, slots that it loses without a claimant, and what
 * replaces slots in flight from it. */
int64_t allot__books_free(const allot__ledger *ledger, int32_t holder);
/* Of what a holder is sure of, so much it lacks when it has `has`. */
static inline int64_t allot__holder_missing(const allot__holder *holder, int64_t has)
{
    return holder->sure > 0 && holder->sure > has ? holder->sure - has : 0;
}
/* Can anybody have any? */
static inline bool allot__books_any(const allot__ledger *ledger)
{
    return ledger->idle + ledger->returned > 0 || ledger->loose > 0 || ledger->draining > 0;
}
/* Gives a holder slots that can be had at once, as that class; in the place of those in flight from
 * it first, which it has until they are back. */
void allot__books_give(allot__ledger *ledger, int32_t holder, int64_t slots, allot__class as);
/* Promises it slots as that class, again in the place of those in flight from it first: others are
 * recalled for it, or come from outside. */
void allot__books_promise(allot__ledger *ledger, int32_t holder, int64_t slots, allot__class as);
/* Promises it slots that no holder has: slots taken without a claimant are for it then, and slots
 * that drain. */
void allot__books_claim(allot__ledger *ledger, int32_t holder, int64_t slots, allot__class as);
/* It is to have slots of that class that no holder gives in this cycle. */
void allot__books_await(allot__ledger *ledger, int32_t holder, int64_t slots, allot__class as);
/* Slots of a class in flight to a holder lose their claimant: they may not stay. */
void allot__books_drop(allot__ledger *ledger, int32_t holder, int64_t slots, allot__class as);
/* It can have so many slots that no holder has, as that class: slots that it had to drop come
 * first, before others are claimed for it. Returns the number of those that it had dropped. */
int64_t allot__books_adopt(allot__ledger *ledger, int32_t holder, int64_t slots, allot__class as);
/* Takes slots of a class, own or shared, for a holder or (to -1) without a claimant, from a holder
 * that has them. What a switch of windows or an attribute takes cannot be kept after all, unless it
 * drains. */
void allot__books_take(allot__ledger *ledger, int32_t from, int64_t slots, allot__class as,
                       int32_t to, allot__why why);
/* The same of a loan's. */
void allot__loan_take(allot__ledger *ledger, int32_t loan, int64_t slots, int32_t to,
                      allot__why why);
/* Adds a recall, as the newest of its holder's. False: no memory, which is ledger->status then. */
bool allot__recall_add(allot__ledger *ledger, allot__recall made);
/* Gives slots that are taken without a claimant, and do not drain, to a holder; those that it lent
 * first. */
void allot__books_hand(allot__ledger *ledger, int32_t holder, int64_t slots);
/* The same of one recall, whether it drains or not; returns how many there were. */
int64_t allot__books_claim_one(allot__ledger *ledger, int32_t recall, int32_t holder,
                               int64_t slots);
/* aside.c */

/* Lists the holders below a parent in ledger->order, in their order; returns how many. */
int32_t allot__books_below(allot__ledger *ledger, int32_t parent);
/* What limits of parents set aside for owners below them (rule 0b), once classes are known. */
void allot__books_set_aside(allot__ledger *ledger);
/* What was to make way for owners that came by nothing stays; nothing is set aside any more. */
void allot__books_unset_aside(allot__ledger *ledger);

/* drain.c */

/* A draining holder keeps slots that no other has claimed; but not slots above a limit or the
 * group's size, once slots are claimed for a holder there: those would not come. */
void allot__books_spare(allot__ledger *ledger);

/* net.c */

/* Slots are alike: a holder that would give some and get others keeps its own, and the others go
 * straight on. */
void allot__books_net(allot__ledger *ledger);

/* loan.c */

/* Reads the state's loans, as far as borrowers still hold so many. ENOMEM. */
int allot__loans_open(allot__ledger *ledger);
/* The loan between two holders, which is made if there is none; -1: no memory. */
int32_t allot__loan_between(allot__ledger *ledger, int32_t lender, int32_t borrower);
/* A lender has lent more; the borrower gets the slots separately. */
void allot__loan_more(allot__ledger *ledger, int32_t loan, int64_t slots);
/* Fewer are lent, and borrowed; nothing moves. */
void allot__loan_less(allot__ledger *ledger, int32_t loan, int64_t slots, allot__why why);

/* recall.c */

/* Phase 4, for lenders that call back first, before borrowing, or for the others. */
void allot__loans_recall(allot__ledger *ledger, bool first);

/* borrow.c */

/* Phase 3. ENOMEM, or what a policy's function failed with. */
int allot__loans_borrow(allot__ledger *ledger);

/* pool.c */

/* Finds the pools and their members. ENOMEM. */
int allot__pools_open(allot__ledger *ledger);
/* Puts shared slots to pools, nearest first; where a pool is crowded by share. */
void allot__pools_attribute(allot__ledger *ledger);
/* A holder's shared slots are going: those that no pool holds first, then the farthest. */
void allot__pools_less(allot__ledger *ledger, int32_t holder, int64_t slots);
/* What each member deserves: from LEVEL on, up to CAP, by WEIGHT; in FLOOR. False: all have their
 * CAP; else AIM has that rounded down, and REST is more than 0 where there was a part. `planned`
 * (E-21): first up to UP_TO, planned shares; then, by RANK, up to HELD; then the rest. LEVEL
 * changes. */
bool allot__pool_deserve(allot__ledger *ledger, const allot__share_pool *pool, bool planned);
/* A member uses more of a pool, or less. */
void allot__pool_use(allot__ledger *ledger, allot__share_pool *pool, int32_t member, int64_t slots);

/* What is idle in the pools of a holder; and puts so many of its slots there, nearest first. */
int64_t allot__pools_idle(const allot__ledger *ledger, int32_t holder);
void allot__pools_put(allot__ledger *ledger, int32_t holder, int64_t slots);
/* Gives a holder shared slots, as many of these as its pools and it can have at once. */
void allot__pools_give(allot__ledger *ledger, int32_t holder, int64_t slots);

/* Phase 2 (share.c), and phase 5 (return.c). */
void allot__pools_share(allot__ledger *ledger);
void allot__pools_reclaim(allot__ledger *ledger);

/* force.c */

/* Takes what may not stay, whatever the demand: loans; then, once classes are known, slots above
 * limits; then slots that are in no pool, and slots above the group's size. */
void allot__force_loans(allot__ledger *ledger);
void allot__force_holders(allot__ledger *ledger);
void allot__force_pools(allot__ledger *ledger);

#endif
