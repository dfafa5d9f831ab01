/* A machine's checkpoint, to be damaged behind the back of its sums and restored: for the tests of
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

/* Where in the copy h->f this word of g's machine lies. */
void *hostile_copy(const struct hostile *h, const void *word);
/* What is restored of h->f, its sums made right; NULL with *err. */
struct machine *hostile_load(struct hostile *h, struct err *err);
/* It is refused, and this is in what is said. */
void hostile_expect(struct hostile *h, const char *what);

#endif
