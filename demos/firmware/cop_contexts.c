/* Call stack monitoring by whole chains with the co-processor: the handler of demos/microcode/contexts.mic. Counts mispredictions by calling
 * context; the table is a tree, each entry has its parent's key. Each thread and handler has a stack, which is exchanged when the program
 * goes on with another.
 *
 *     build/cyclops run --firmware build/demos/firmware/cop_contexts.elf -o cop.enable=true --stats - build/demos/lisp */
#include "cop_counts.h"
#include "microcode/contexts.h"

enum { ARRAYS = 4 }; /* of frames, and of slots */
static unsigned slots;

enum { STACK_ARRAYS = ARRAYS, STACK_FRAMES = CONTEXTS_FRAMES };
static uint32_t root_key(uint32_t thread, uint32_t signal, uint32_t pc)
{
	(void)pc;
	return ((thread << 8 | signal) + 1) * 0x9e3779b1;
}
#include "cop_stacks.h"

/* Words of an array of slots. */
static unsigned array_of(unsigned i)
{
	return ARRAYS * CONTEXTS_FRAMES + i * slots;
}

static void handler_init(uint64_t sizes)
{
	slots = entries_of(sizes, ARRAYS, ARRAYS * CONTEXTS_FRAMES);
	DEVICE_REGISTER(COP_K(1)) = slots;
	for (unsigned i = 1; i < ARRAYS; i++)
		DEVICE_REGISTER(COP_B(4 + i)) = array_of(i);
}

static void handler_added(struct count_entry *e)
{
	(void)e;
}

/* Adds n (which may be 0) to the context's entry, and creates the entry if there is none. */
static void add_node(uint32_t key, uint32_t parent, uint32_t callee, uint32_t site, uint32_t n)
{
	struct count_entry *e = entry_of(COUNT_NODE, key, parent);
	cop_profile.samples += n;
	if (!e) {
		cop_profile.dropped += n;
		return;
	}
	e->n[0] += n;
	e->n[1] = callee;
	e->n[2] = site;
}

/* Adds the frame that found no slot, and the frames below it. */
static void add_chain(void)
{
	static uint32_t keys[CONTEXTS_FRAMES], callees[CONTEXTS_FRAMES], calls[CONTEXTS_FRAMES];
	const unsigned n = (unsigned)DEVICE_REGISTER(COP_X(3)) + 1;
	uint32_t amount = (uint32_t)DEVICE_REGISTER(COP_V(13));
	read_words(keys, COP_DATA, 0, n);
	read_words(callees, COP_DATA, CONTEXTS_FRAMES, n);
	read_words(calls, COP_DATA, 3 * CONTEXTS_FRAMES, n);
	for (unsigned i = n; i--; amount = 0)
		add_node(keys[i], i ? keys[i - 1] : 0, callees[i], calls[i], amount);
}

static void handler_fold(void)
{
	static uint32_t cam[ENTRIES_MAX], words[ARRAYS][ENTRIES_MAX];
	if (exchange_stacks())
		return;
	const unsigned used = valid_entries(slots);
	read_words(cam, COP_CAM, 0, used);
	for (unsigned i = 0; i < ARRAYS; i++)
		read_words(words[i], COP_DATA, array_of(i), used);
	for (unsigned i = 0; i < used; i++)
		add_node(cam[i], words[3][i], words[0][i], words[2][i], words[1][i]);
	if (DEVICE_REGISTER(COP_V(8)))
		add_chain();
	DEVICE_REGISTER(COP_V(8)) = 0;
	DEVICE_REGISTER(COP_INVALIDATE) = 1;
}

void firmware_init(void)
{
	const struct cop_program program = COP_PROGRAM(contexts, CONTEXTS);
	start(&program, CONTEXTS_CLASSES);
}
