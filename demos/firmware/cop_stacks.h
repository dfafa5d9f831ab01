/* A call stack for each thread and each signal handler: when the program switches to another stack,
 * the frames in the co-processor are exchanged. For microprograms that use the registers of
 * contexts.mic, and begin the data array with frames: keys, callees, returns, then other arrays.
 *
 * The including file defines STACK_ARRAYS and STACK_FRAMES, their numbers, and root_key(), the key
 * of a stack's lowest frame. */
#ifndef CYCLOPS_FIRMWARE_COP_STACKS_H
#define CYCLOPS_FIRMWARE_COP_STACKS_H

#include "cop_counts.h"

enum { STACKS = 16 };
struct call_stack {
	uint32_t order; /* highest for the stack left last; 0: not in use */
	uint32_t thread, depth, beyond;
	uint32_t words[STACK_ARRAYS][STACK_FRAMES];
};
static struct call_stack parked[STACKS];
static uint32_t running = 1, left; /* the running thread, and the number of stacks left so far */

/* of_running: the stack of the running thread that was left last, NULL if none. Else a free stack, or the stack left longest ago. */
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
	for (unsigned i = 0; i < STACK_ARRAYS; i++)
		read_words(s->words[i], COP_DATA, i * STACK_FRAMES, s->depth + 1);
}

/* Makes `depth` the top frame of a stack with its words in the data array. */
static void set_depth(uint32_t depth, uint32_t beyond)
{
	DEVICE_REGISTER(COP_X(0)) = depth;
	DEVICE_REGISTER(COP_V(4)) = beyond;
}

/* Writes words of two frames, `at` an even one. */
static void write_words(unsigned i, uint32_t at, const uint32_t *words)
{
	DEVICE_REGISTER(COP_DATA + 4 * (i * STACK_FRAMES + at)) = words[0] | (uint64_t)words[1] << 32;
}

/* Loads the frames of a stack, up to `depth`. */
static void resume_stack(struct call_stack *s, uint32_t depth, uint32_t beyond)
{
	for (unsigned i = 0; i < STACK_ARRAYS; i++)
		for (unsigned at = 0; at <= depth; at += 2)
			write_words(i, at, &s->words[i][at]);
	set_depth(depth, beyond);
	s->order = 0;
}

/* An empty stack, with a root of its own. */
static void begin_stack(uint32_t signal, uint32_t pc)
{
	const uint32_t root[STACK_ARRAYS][2] = {{root_key(running, signal, pc)}, {pc}};
	for (unsigned i = 0; i < STACK_ARRAYS; i++)
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

/* The program continues with another stream. */
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

/* Handles the halt if its cause, `missed`, concerns stacks; else returns false. */
static bool exchange_stacks(void)
{
	enum { STREAM = 2, NO_FRAME };
	const uint64_t missed = DEVICE_REGISTER(COP_V(8)), how = DEVICE_REGISTER(COP_V(10));
	if (missed != STREAM && missed != NO_FRAME)
		return false;
	DEVICE_REGISTER(COP_V(8)) = 0;
	if (missed == STREAM)
		switch_stack((uint32_t)DEVICE_REGISTER(COP_V(3)), (uint32_t)DEVICE_REGISTER(COP_V(2)),
		             (uint32_t)DEVICE_REGISTER(COP_V(9)), how);
	else
		leave_handlers((uint32_t)how);
	count_nested();
	return true;
}
#endif
