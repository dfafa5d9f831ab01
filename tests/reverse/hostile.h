/* A machine's checkpoint, to be damaged, with correct sums, and restored: for the tests of
 * hostile checkpoints. */
#ifndef TESTS_REVERSE_HOSTILE_H
#define TESTS_REVERSE_HOSTILE_H

#include "tests/reverse/rig.h"

#include "tests/fuzz/damage.h"

/* Tables so small that saving and restoring takes no time. */
#define HOSTILE_SMALL                                                                              \
	"l1i.size=1K l1d.size=1K l2.size=4K bpred.bimodal_size=64 bpred.l2_size=64 "               \
	"bpred.meta_size=64 btb.sets=8 "

struct hostile {
	struct rig *g;
	struct rig *other;   /* restores; its machine changes */
	struct damaged saved, f;
	const uint8_t *arena; /* of g's machine */
	unsigned tried;
};

/* guest in a machine like this, saved in this cycle. */
void hostile_save(struct hostile *h, const char *settings, uint64_t cycle);
/* The same of any subject; then again where h->g stands now. */
void hostile_open(struct hostile *h, const struct subject *how);
void hostile_save_again(struct hostile *h);
void hostile_drop(struct hostile *h);

/* The place of this word of g's machine in the copy h->f. */
void *hostile_copy(const struct hostile *h, const void *word);
/* Turns a bit of a bitmap of g's over. */
void hostile_turn(const struct hostile *h, const uint64_t *bits, unsigned at);
/* Restores h->f with correct sums; NULL with *err. */
struct machine *hostile_load(struct hostile *h, struct err *err);
/* Expects that the checkpoint is rejected, with this text in the message. */
void hostile_expect(struct hostile *h, const char *what);

/* ---- rules ---- */
struct rule {
	bool (*damage)(struct hostile *h); /* false: nothing to damage in this cycle */
	const char *what;                  /* in its message */
};

/* A damage possible in each cycle, and one possible if `holds`. */
#define DAMAGE(name, how) DAMAGE_IF(name, true, how)
#define DAMAGE_IF(name, holds, how) \
	static bool name(struct hostile *h) \
	{ \
		if (!(holds)) \
			return false; \
		how; \
		return true; \
	}

/* Breaks each rule in the first possible cycle; after the first cycles tries only some rules. */
void hostile_break_rules(struct hostile *h, const struct rule *rules, size_t n);

#define RULES(h, rules) hostile_break_rules(h, rules, sizeof(rules) / sizeof *(rules))

#endif
