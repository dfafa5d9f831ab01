/* Call stack monitoring by whole chains with the co-processor: the handler of demos/microcode/contexts.mic. Counts mispredictions by calling
 * context; the table is a tree, each entry has its parent's key. Each thread and handler has a stack, which is exchanged when the program
 * goes on with another.
 *
 *     build/cyclops run --firmware build/demos/firmware/cop_contexts.elf -o cop.enable=true --stats - build/demos/lisp */
#include "cop_counts.h"
#include "microcode/contexts.h"

enum { ARRAYS = 4 }; /* of frames, and of slots */
static unsigned slots;

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

/* The context's entry, counted or not; all entries of its chain exist. */
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

/* ---- a stack for each thread, and for each handler of a signal ---- */
enum { STACKS = 16 };
struct call_stack {
	uint32_t order; /* the one that was left last has the highest; 0: not in use */
	uint32_t thread, depth, beyond;
	uint32_t words[ARRAYS][CONTEXTS_FRAMES];
};
static struct call_stack parked[STACKS];
static uint32_t running = 1, left; /* the thread, and stacks that were left so far */

/* The stack of the thread that was left last; 0: the longest unused one of all, or a free one. */
static struct call_stack *find_stack(bool of_running)
{
	struct call_stack *found = NULL;
	for (struct call_stack *s = parked; s < parked + STACKS; s++)
		if (!of_running ? !found || s->order < found->order
		                : s->order && s->thread == running && (!found || s->order > found->order))
			found = s;
	return found;
}

static void park_stack(void)
{
	struct call_stack *s = find_stack(false);
	s->order = ++left;
	s->thread = running;
	s->depth = (uint32_t)DEVICE_REGISTER(COP_X(0));
	s->beyond = (uint32_t)DEVICE_REGISTER(COP_V(4));
	for (unsigned i = 0; i < ARRAYS; i++)
		read_words(s->words[i], COP_DATA, i * CONTEXTS_FRAMES, s->depth + 1);
}

/* Makes `depth` the top frame, of a stack whose words are there. */
static void set_depth(uint32_t depth, uint32_t beyond)
{
	DEVICE_REGISTER(COP_X(0)) = depth;
	DEVICE_REGISTER(COP_V(4)) = beyond;
}

/* Writes words of two frames, `at` an even one. */
static void write_words(unsigned i, uint32_t at, const uint32_t *words)
{
	DEVICE_REGISTER(COP_DATA + 4 * (i * CONTEXTS_FRAMES + at)) = words[0] | (uint64_t)words[1] << 32;
}

/* Goes on with the frames of a stack, up to `depth`. */
static void resume_stack(struct call_stack *s, uint32_t depth, uint32_t beyond)
{
	for (unsigned i = 0; i < ARRAYS; i++)
		for (unsigned at = 0; at <= depth; at += 2)
			write_words(i, at, &s->words[i][at]);
	set_depth(depth, beyond);
	s->order = 0;
}

/* An empty stack, with a root of its own. */
static void begin_stack(uint32_t signal, uint32_t pc)
{
	const uint32_t root[ARRAYS][2] = {{((running << 8 | signal) + 1) * 0x9e3779b1}, {pc}};
	for (unsigned i = 0; i < ARRAYS; i++)
		write_words(i, 0, root[i]);
	set_depth(0, 0);
}

/* Leaves the running thread's handlers, up to the stack with a frame that returns to `target`. */
static void leave_handlers(uint32_t target)
{
	for (struct call_stack *s = parked; s < parked + STACKS; s++)
		for (uint32_t d = s->depth; s->order && s->thread == running && d; d--)
			if (s->words[2][d] == target) {
				const uint32_t order = s->order;
				resume_stack(s, d - 1, 0);
				for (s = parked; s < parked + STACKS; s++)
					if (s->thread == running && s->order > order)
						s->order = 0;
				return;
			}
	DEVICE_REGISTER(COP_V(6)) = DEVICE_REGISTER(COP_V(6)) + 1;
}

/* The program goes on with another stream. */
static void switch_stack(uint32_t to, uint32_t signal, uint32_t pc, uint64_t how)
{
	enum { HANDLER_ENDED = 1, THREAD_ENDED = 2 };
	if (signal) {
		park_stack();
		begin_stack(signal, pc);
		return;
	}
	if (how == HANDLER_ENDED && !find_stack(true))
		return;
	if (how != HANDLER_ENDED) {
		if (how == THREAD_ENDED)
			for (struct call_stack *s; (s = find_stack(true));)
				s->order = 0;
		else if (to != running)
			park_stack();
		else
			return;
		running = to;
	}
	struct call_stack *s = find_stack(true);
	if (s)
		resume_stack(s, s->depth, s->beyond);
	else
		begin_stack(0, pc);
}

static void count_nested(void)
{
	unsigned n = 0;
	for (const struct call_stack *s = parked; s < parked + STACKS; s++)
		n += s->order && s->thread == running;
	DEVICE_REGISTER(COP_V(15)) = n;
}

/* The frame that found no slot, and those below it. */
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
	enum { NO_SLOT = 1, STREAM, NO_FRAME };
	const uint64_t missed = DEVICE_REGISTER(COP_V(8));
	DEVICE_REGISTER(COP_V(8)) = 0;
	if (missed == STREAM || missed == NO_FRAME) {
		const uint64_t how = DEVICE_REGISTER(COP_V(10));
		if (missed == STREAM)
			switch_stack((uint32_t)DEVICE_REGISTER(COP_V(3)), (uint32_t)DEVICE_REGISTER(COP_V(2)),
			             (uint32_t)DEVICE_REGISTER(COP_V(9)), how);
		else
			leave_handlers((uint32_t)how);
		count_nested();
		return;
	}
	const unsigned used = valid_entries(slots);
	read_words(cam, COP_CAM, 0, used);
	for (unsigned i = 0; i < ARRAYS; i++)
		read_words(words[i], COP_DATA, array_of(i), used);
	for (unsigned i = 0; i < used; i++)
		add_node(cam[i], words[3][i], words[0][i], words[2][i], words[1][i]);
	if (missed == NO_SLOT)
		add_chain();
	DEVICE_REGISTER(COP_INVALIDATE) = 1;
}

void firmware_init(void)
{
	const struct cop_program program = COP_PROGRAM(contexts, CONTEXTS);
	start(&program, CONTEXTS_CLASSES);
}
