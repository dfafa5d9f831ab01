/* ProfileMe in the past: motions restore the followed instruction, the held record, and all counts.
 */
#include "tests/reverse/rig.h"

#include "core/prof/common/prof.h"
#include "core/prof/profileme/profileme.h"

#define FOLLOWED "profileme.enable=1 profileme.interval_max=70 lsq.speculate=1 "
#define SAMPLED                                                                                    \
	"vsample.enable=1 vsample.interval_min=60 vsample.interval_max=120 "                       \
	"vsample.interrupt_cycles=20 vsample.inst_cycles=5 "

static uint64_t seen[PROFILEME_HOLDS + 1];

static uint64_t machine_and_counts(const struct rig *g)
{
	const struct prof *d = machine_pipe(g->s->machine)->prof;
	assert_null(prof_check(d));
	assert_null(profileme_check(d->profileme->table));
	seen[d->profileme->st->phase]++;
	return rig_hash(g) * 31 + oracle_store_hash(&d->profileme->table->store);
}

TEST(profileme_past_is_as_it_was)
{
	static const char *const settings[] = {FOLLOWED, FOLLOWED SAMPLED};
	for (unsigned i = 0; i < 2; i++) {
		const struct subject how = {.program = "build/tests/reverse/guest",
		                            .stdin_fd = -1,
		                            .settings = settings[i],
		                            .history = {.history = true}};
		rig_assert_past(&how, rig_small() ? 40 : 150, machine_and_counts);
	}
	for (unsigned phase = 0; phase <= PROFILEME_HOLDS; phase++)
		assert_true(seen[phase]);
}

TEST_GROUP(rig_enter, rig_leave)
