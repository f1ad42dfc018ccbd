/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * books.h: the books of a ledger (C-11): own, shared and borrowed slots of each leaf, and the
 * changes that one cycle makes.
 *
 * Holders are the leaves whose policy keeps a ledger, by (rank, plan order). A holder has used +
 * shared + in slots, including slots in flight to it and excluding those in flight from it. Every
 * slot that is taken is part of a recall: for a claimant, or without one (`loose`). A loose recall
 * can be undone as long as no holder claims it: the slot then stays, as another class.
 */
#ifndef ALLOT_ENGINE_OWNERSHIP_BOOKS_H
#define ALLOT_ENGINE_OWNERSHIP_BOOKS_H

#include "base/least.h"
#include "engine/rows/order.h"

/* Why a loan is as it is, or why a slot is taken: name, code, and words for people. */
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

/* Does the reason take slots whatever the demand? */
static inline bool allot__why_forced(allot__why why)
{
    return why > ALLOT__WHY_OVER_SHARE;
}

typedef enum allot__class { ALLOT__OWN, ALLOT__SHARED, ALLOT__BORROWED } allot__class;

typedef struct allot__holder {
    int32_t row;
    int32_t place;  /* in plan order, among all leaves */
    int32_t family; /* of which it is a member */
    int32_t own, reserve, need;
    int32_t most;         /* min(demand, limit) */
    int32_t sure;         /* own slots that parents' limits hold before all others; 0: no limits */
    int32_t held, flying; /* allocated slots: to stay, and in flight */
    int32_t coming;       /* in flight from others to it */
    int32_t
        dropped; /* ... which may not stay: without a claimant, unless it can have them after all */
    int32_t used, shared, in;
    int32_t pooled;  /* shared slots that are in a pool */
    int32_t asks;    /* shared slots that it asks for, */
    int32_t due;     /* ... and that it deserves */
    int32_t planned; /* its planned slots in all pools that go by plan */
    int32_t out;     /* own slots lent */
    int32_t lend_most, borrow_most, share_most, weight;
    int32_t borrow_weight;     /* among borrowers that tie; -1: one after another */
    int32_t loans;             /* the newest loan that it borrows; -1: none */
    int32_t returned;          /* idle slots that came back for it, not given to it yet */
    int32_t granted, promised; /* by this cycle: idle slots, and others that come to it */
    int32_t replaced;          /* ... of these, those that replace slots in flight from it */
    int32_t lost, loose;       /* taken by this cycle; of these, without a claimant so far, */
    int32_t gone;              /* ... for other holders, borrowed slots aside, */
    int32_t forced;            /* ... whatever the demand, */
    int32_t kept;              /* ... and not taken after all */
    int32_t claimed;           /* recalled for it */
    int32_t recalled;          /* own slots that phase 4 calls back */
    int32_t least;             /* pools share idle slots alike while `most` is at least this */
    int32_t recalls;           /* the newest recall from it; -1: none */
    int32_t owed;              /* the newest loose recall of slots that it lent; -1: none */
    bool rebalance, keep, adjust, recall_first;
    bool live;                    /* a run looks at it, */
    bool touched;                 /* ... or changed it all the same */
    bool hold_rounding, rounding; /* C-9: the option; it keeps a slot by that option */
    int8_t cut;                   /* rounding of its pool shares: 1 took a part, -1 added one */
} allot__holder;

/* A loan. Loans are numbered from the oldest to the newest. */
typedef struct allot__lent {
    int32_t lender, borrower; /* holders */
    int32_t slots, before;
    int32_t older; /* of the same borrower; -1: none */
    allot__why why;
} allot__lent;

typedef struct allot__recall {
    int32_t from, to; /* holders; to -1: no claimant */
    int32_t slots;
    int32_t cut;        /* slots not taken after all: damping or guards keep them */
    int32_t loan;       /* the loan that the slots are of; -1: none */
    int32_t older;      /* from the same holder; -1: none */
    int32_t older_owed; /* of the same owner, while loose; -1: none */
    bool firm;          /* the recall cannot be undone */
    bool drains;        /* its holder keeps the slots unless another claims them */
    allot__why why;
} allot__recall;

/* Slots of a pool that a holder uses, and those that the ratio gives it among all members. */
typedef struct allot__share {
    int32_t holder, used, planned;
} allot__share;

typedef struct allot__share_pool {
    int64_t slots, used;
    int64_t weight;       /* of all members */
    int32_t first, count; /* its shares, in the order of holders */
    int32_t nearest;      /* the nearest family from this one up with a pool; -1: none */
    bool by_plan;         /* planned shares divide it (E-21) */
    int32_t blocked;      /* the round in which limits kept slots from members of this family */
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

/* A holder's slots before the cycle, for monitors. */
typedef struct allot__held {
    int32_t own, shared, in, out;
} allot__held;

typedef struct allot__ledger {
    allot__work *work;
    allot__arena *arena; /* of books that are kept; others, and growth, are in that of the work */
    bool all;            /* every branch goes by a ledger policy */
    bool planning;       /* as if no slots were held and every holder wanted all that it may have */
    int64_t slots; /* the most that holders may have together; set before the cycle unless `all` */

    allot__holder *holders;
    int32_t count;
    int32_t *holder_of;    /* by row; -1: none */
    allot__held *before;   /* by holder */
    int32_t *live;         /* holders that a run looks at, in order: the others want nothing, */
    int32_t live_count;    /* ... and use no pool slots; */
    int32_t touched_count; /* behind them those of the others that it changed */
    int32_t *lenders; /* places, rising, of holders with own slots that they may come to lend */
    int32_t lender_count;
    int64_t room;         /* slots that no holder has or is promised; of these: */
    int64_t idle;         /* idle now */
    int64_t loose;        /* taken, without a claimant so far */
    int64_t draining;     /* kept by their holders while no other claims them */
    int64_t returned;     /* came back for holders */
    int32_t *first, *end; /* by row: range of places of the leaves below, or of the leaf */
    int32_t *at;          /* by place: the holder; -1: none */
    int32_t places;

    allot__lent *loans;
    int32_t loan_count, loan_room;
    int32_t *pairs;     /* by hash of lender and borrower, 2 * loan_room: a loan + 1, or 0 */
    int32_t *by_lender; /* the state's loans, sorted by lender, worst-ranked borrower, newest */
    int32_t known;      /* number of loans of the state */
    int32_t *lender_at; /* by holder, count + 1 entries: its first loan in by_lender */

    allot__recall *recalls;
    int32_t recall_count, recall_room;
    int32_t moves;      /* counts recalls, listed or not: a draft does not list those for holders */
    int32_t loose_from; /* no recall before this one is loose, */
    int32_t draining_from; /* ... and no recall before this one drains */

    allot__share_pool *pools; /* by family; pools without slots have no shares */
    int32_t round;            /* of serving members of a pool (return.c) */
    allot__share *shares;

    bool weighed;     /* a policy weighs borrowers */
    bool limited;     /* a parent has a limit */
    int32_t *above;   /* by family: the family of its parent; sums over leaves below: */
    int64_t *inside;  /* ... slots that holders have once promises are kept, */
    int64_t *outside; /* ... slots that leaves hold until then, */
    int64_t *aside;   /* ... and slots that holders are sure of but lack */

    int64_t *keys; /* scratch space to sort and to pour, by holder or loan */
    int32_t *order, *other;
    int32_t *column[ALLOT__POOL_COLUMNS];
    bool rounding;                  /* a policy has the option `hold_rounding` */
    bool drains;                    /* some holder does (rebalance 0) */
    bool cut;                       /* its recalls have been cut (reclaim/reclaim.c) */
    int status;                     /* ENOMEM: no memory for a recall or a list */
    bool keep;                      /* keep the books once they are open */
    bool draft;                     /* only quotas are wanted */
    bool used;                      /* a run has changed the kept books; */
    bool stands;                    /* ... they are as after phase 4 (lower.c) */
    struct allot__books_kept *kept; /* NULL: each run opens the books */
} allot__ledger;

/* A copy of the books, before anything depends on needs of holders. */
typedef struct allot__books_kept {
    allot__ledger ledger;
    allot__holder *holders; /* with the needs of the last run */
    int32_t *need, *demand; /* of the last run, by row */
    int32_t parts;          /* number of arrays that change */
    struct {
        void *at, *copy;
        size_t size;
    } part[8];
} allot__books_kept;

/* The first of these parts; a run that makes no loan leaves `pairs` as they are. */
enum { ALLOT__KEPT_HOLDERS, ALLOT__KEPT_PAIRS, ALLOT__KEPT_LOANS };

/* books.c */

/* Opens the books: holders and their slots, loans that have not ended, pools. ENOMEM, or what a
 * policy's function failed with. */
int allot__books_open(allot__ledger *ledger);
/* Sets idle slots that came back for a leaf aside for it, up to its need. */
void allot__books_claimed(allot__ledger *ledger);
/* Lists the holders that a run concerns, in `live` and in pools. */
void allot__books_narrow(allot__ledger *ledger);
/* Copies the open books, for further runs in which only needs of holders differ. ENOMEM. */
int allot__books_keep(allot__ledger *ledger);
/* Restores the copied books. */
void allot__books_restore(allot__ledger *ledger);
/* The same after a run; reads the present needs, and lists the holders that they concern. False:
 * the books must be opened anew. */
bool allot__books_again(allot__ledger *ledger);
/* The first row of a holder from `row` on whose need or demand changed since the last run; the
 * number of rows: none. */
int32_t allot__books_changed(const allot__ledger *ledger, int32_t row);
/* Reads the present need of such a row. False: slots in flight lose a claimant. */
bool allot__books_read_need(allot__ledger *ledger, int32_t row);
/* Do needs matter only from rule 1 on? Then slots that may not stay are the same in each run. */
static inline bool allot__books_settled(const allot__ledger *ledger)
{
    return !ledger->limited && !ledger->drains;
}
/* Returns loans of borrowers that could have own slots instead: no slot moves. */
void allot__books_settle(allot__ledger *ledger);
/* Divides the slots that holders have into own and shared ones. */
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
/* Slots that count towards its need: also those in flight to it. Slots that it loses do not, as
 * they will not once in flight: those without a claimant, unless they drain, and those for others,
 * unless it borrowed them. */
static inline int64_t allot__holder_counts(const allot__holder *holder)
{
    return (int64_t)holder->held + holder->coming + holder->granted + holder->promised +
           holder->replaced - holder->gone - (holder->rebalance ? holder->loose : 0);
}
/* Slots that it lacks to have `target`. */
static inline int64_t allot__holder_lacks(const allot__holder *holder, int32_t target)
{
    return allot__most(target - allot__holder_counts(holder), 0);
}
/* The same; at least the slots without a claimant that it could keep towards `target`. */
static inline int64_t allot__holder_wants(const allot__holder *holder, int32_t target)
{
    int64_t wants = allot__holder_lacks(holder, target);
    int64_t keeps = (int64_t)target - allot__holder_has(holder);
    keeps = allot__least(keeps, holder->loose);
    return wants > keeps ? wants : keeps;
}
/* Its own slots, or shared ones, that have arrived already: of slots still to come from others,
 * shared ones come last. */
static inline int32_t allot__holder_there(const allot__holder *holder, allot__class as)
{
    int32_t rest = holder->held - holder->lost - holder->in;
    rest -= as == ALLOT__SHARED ? holder->used : 0;
    int32_t of = as == ALLOT__OWN ? holder->used : holder->shared;
    rest = allot__least(rest, of);
    return rest > 0 ? rest : 0;
}
/* Slots in flight from it that nothing has replaced. While there are some, it can have only slots
 * that replace them, since it has them until they are back. */
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

/* The most slots that it may have lent. */
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

/* Adds slots, or takes them off (< 0), that a holder and its parents have: `outside` were idle. */
void allot__books_has(allot__ledger *ledger, int32_t holder, int64_t slots, int64_t outside);
/* Slots that the limits of a holder's parents still hold for it: those it is sure of, and those not
 * set aside for others. Slots that come from `from` (-1: from none) take no room at limits above
 * both, unless `from` is sure of them and the holder is not. */
int64_t allot__books_within(const allot__ledger *ledger, int32_t holder, int32_t from);
/* Idle slots that these limits hold: until promised slots are back, their holders have them. */
int64_t allot__books_outside(const allot__ledger *ledger, int32_t holder);
/* Slots that a holder can have at once: idle ones, those that it loses without a claimant, and
 * those that replace slots in flight from it. */
int64_t allot__books_free(const allot__ledger *ledger, int32_t holder);
/* Slots that a holder is sure of and lacks if it has `has`. */
static inline int64_t allot__holder_missing(const allot__holder *holder, int64_t has)
{
    return holder->sure > 0 && holder->sure > has ? holder->sure - has : 0;
}
/* Are there slots that some holder could have? */
static inline bool allot__books_any(const allot__ledger *ledger)
{
    return ledger->idle + ledger->returned > 0 || ledger->loose > 0 || ledger->draining > 0;
}
/* Gives a holder slots that it can have at once, as that class; they first replace slots in flight
 * from it, which it has until they are back. */
void allot__books_give(allot__ledger *ledger, int32_t holder, int64_t slots, allot__class as);
/* Promises it slots as that class, which also first replace those in flight from it: they are
 * recalled for it, or come from outside. */
void allot__books_promise(allot__ledger *ledger, int32_t holder, int64_t slots, allot__class as);
/* Promises it slots that no holder has: it becomes the claimant of slots taken without one, and of
 * slots that drain. */
void allot__books_claim(allot__ledger *ledger, int32_t holder, int64_t slots, allot__class as);
/* Promises it slots of that class that no holder gives in this cycle. */
void allot__books_await(allot__ledger *ledger, int32_t holder, int64_t slots, allot__class as);
/* Slots of a class in flight to a holder lose their claimant: they may not stay. */
void allot__books_drop(allot__ledger *ledger, int32_t holder, int64_t slots, allot__class as);
/* Lets it have slots that no holder has, as that class: first slots that it had to drop, then
 * others, which are claimed for it. Returns the number of slots that it had dropped. */
int64_t allot__books_adopt(allot__ledger *ledger, int32_t holder, int64_t slots, allot__class as);
/* Takes own or shared slots from a holder that has them, for another holder or (to -1) without a
 * claimant. Slots taken by a switch of windows or an attribute cannot be kept after all, unless
 * they drain. */
void allot__books_take(allot__ledger *ledger, int32_t from, int64_t slots, allot__class as,
                       int32_t to, allot__why why);
/* The same for slots of a loan. */
void allot__loan_take(allot__ledger *ledger, int32_t loan, int64_t slots, int32_t to,
                      allot__why why);
/* Notes that a run changed a holder that it need not look at. */
static inline void allot__books_touch(allot__ledger *ledger, int32_t index)
{
    allot__holder *holder = &ledger->holders[index];
    if (!holder->live && !holder->touched) {
        holder->touched = true;
        ledger->live[ledger->live_count + ledger->touched_count++] = index;
    }
}
/* Adds a recall, the newest of its holder. False: no memory; ledger->status says so. */
bool allot__recall_add(allot__ledger *ledger, allot__recall made);
/* Gives a holder slots that are taken without a claimant and do not drain; first those that it
 * lent. */
void allot__books_hand(allot__ledger *ledger, int32_t holder, int64_t slots);
/* The same for one recall, whether it drains or not; returns the number of slots. */
int64_t allot__books_claim_one(allot__ledger *ledger, int32_t recall, int32_t holder,
                               int64_t slots);
/* aside.c */

/* Lists the holders below a parent in ledger->order, by number; returns their number. */
int32_t allot__books_below(allot__ledger *ledger, int32_t parent);
/* Computes what parents' limits set aside for owners (rule 0b), once classes are known. */
void allot__books_set_aside(allot__ledger *ledger);
/* Lets slots stay that made way for owners in vain; nothing is set aside any more. */
void allot__books_unset_aside(allot__ledger *ledger);

/* drain.c */

/* Draining holders keep slots that no other has claimed; but not slots above a limit or the group's
 * size, once slots are claimed for a holder there: else those could not come. */
void allot__books_spare(allot__ledger *ledger);

/* net.c */

/* Slots are alike: a holder that would both give and get slots keeps its own, and those that it
 * would get go straight to its claimants. */
void allot__books_net(allot__ledger *ledger);

/* loan.c */

/* Reads the state's loans, cut to the slots that borrowers still hold. ENOMEM. */
int allot__loans_open(allot__ledger *ledger);
/* Finds or makes the loan between two holders; -1: no memory. */
int32_t allot__loan_between(allot__ledger *ledger, int32_t lender, int32_t borrower);
/* Adds lent slots to a loan; the borrower gets the slots separately. */
void allot__loan_more(allot__ledger *ledger, int32_t loan, int64_t slots);
/* Lowers a loan for lender and borrower; no slot moves. */
void allot__loan_less(allot__ledger *ledger, int32_t loan, int64_t slots, allot__why why);

/* lower.c */

/* If a draft can continue the run before it: leaves the books as they are after phase 4. */
bool allot__books_lower(allot__ledger *ledger);
/* After phase 4 of a draft: does phase 5 just give each holder its share (`due`)? If so, the books
 * may stand as they are. `again`: they stood until one need fell. */
bool allot__pools_stand(allot__ledger *ledger, bool again);

/* borrow.c */

/* Lists the lenders, once slots that may not stay are gone. */
void allot__lenders_list(allot__ledger *ledger);
/* Phase 3. ENOMEM, or what a policy's function failed with. */
int allot__loans_borrow(allot__ledger *ledger);
/* Phase 4: `first`: for lenders that call back before borrowing; else for the others. */
void allot__loans_recall(allot__ledger *ledger, bool first);

/* pool.c */

/* Finds the pools and their members. ENOMEM. */
int allot__pools_open(allot__ledger *ledger);
/* Assigns shared slots to pools, nearest first; a crowded pool is divided by share. */
void allot__pools_attribute(allot__ledger *ledger);
/* Takes off shared slots of a holder: first those in no pool, then those in the farthest. */
void allot__pools_less(allot__ledger *ledger, int32_t holder, int64_t slots);
/* Computes what each member deserves, in FLOOR: from LEVEL on, up to CAP, by WEIGHT. False: all
 * have their CAP. True: AIM has the floors before rounding, and REST > 0 marks a fraction. With
 * `planned` (E-21): first up to UP_TO, planned shares; then up to HELD, by RANK; then the rest.
 * LEVEL changes. */
bool allot__pool_deserve(allot__ledger *ledger, const allot__share_pool *pool, bool planned);
/* Adds slots of a pool to those that a member uses; < 0: takes off. */
void allot__pool_use(allot__ledger *ledger, allot__share_pool *pool, int32_t member, int64_t slots);

/* Idle slots in the pools of a holder; and assigns shared slots to its pools, nearest first. */
int64_t allot__pools_idle(const allot__ledger *ledger, int32_t holder);
void allot__pools_put(allot__ledger *ledger, int32_t holder, int64_t slots);
/* Gives a holder shared slots, up to what its pools and the holder can have at once. */
void allot__pools_give(allot__ledger *ledger, int32_t holder, int64_t slots);

/* Phase 2 (share.c), and phase 5 (return.c). */
void allot__pools_share(allot__ledger *ledger);
void allot__pools_reclaim(allot__ledger *ledger);

/* force.c */

/* Take slots that may not stay, whatever the demand: loans; then, once classes are known, slots
 * above limits; then slots that are in no pool, and slots above the group's size. */
void allot__force_loans(allot__ledger *ledger);
void allot__force_holders(allot__ledger *ledger);
void allot__force_pools(allot__ledger *ledger);

#endif
