/* Wait table (Alpha 21264): a bit for each load, by address; a load whose bit is set waits until
 * all older stores have addresses. */
#include "core/pipe/memdep.h"

static bool wait_table_load_waits(struct memdep *d, uint64_t pc, uint64_t now)
{
	return *memdep_entry(d, pc, now);
}

static void wait_table_learn(struct memdep *d, uint64_t load_pc, uint64_t store_pc, uint64_t now)
{
	(void)store_pc;
	*memdep_entry(d, load_pc, now) = 1;
}

const struct memdep_kind memdep_wait_table = {
	.load_waits = wait_table_load_waits,
	.learn = wait_table_learn,
};
