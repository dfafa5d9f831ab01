/* Software for the stream sampler (Sastry, Bodik and Smith, 5.3.2): an interrupt handler that reads
 * messages and folds them into a profile in memory.
 *
 * When sampler.threshold messages wait, interrupt 17 calls the handler. A register read waits until
 * it is the oldest instruction, and later instructions wait for the read. A message takes three
 * reads, one after the other, before it is folded.
 *
 *     build/cyclops run --firmware build/demos/firmware/sampler.elf -o sampler.enable=true -o sampler.reader=interrupt \
 *         --stats - build/demos/hash demos/programs/input/words.txt
 *
 * With QUEUE (sampler_thread.elf) the interrupt only moves messages to a queue in memory. Every
 * PERIOD cycles a service thread (2.2) has the processor until it has folded BATCH messages. Both
 * are executed, and charged.
 *
 * sampler.model_overhead is the cost by the paper's model, 214 cycles an interrupt and 30 a
 * message; firmware.share the real cost. */
#include <stdbool.h>

#include "firmware.h"

#ifndef CAPACITY_LOG2
#define CAPACITY_LOG2 12
#endif
#ifndef PROBES_MAX
#define PROBES_MAX 16
#endif
enum { CAPACITY = 1 << CAPACITY_LOG2 };

static struct tuple_count table[CAPACITY] __attribute__((aligned(32)));

struct sampler_profile sampler_profile = {.magic = SAMPLER_PROFILE_MAGIC, .capacity = CAPACITY};

/* Two products side by side, not one after the other. */
static struct tuple_count *sampler_first_of(uint64_t pc, uint64_t value)
{
	return &table[(pc * UINT64_C(0xff51afd7ed558ccd) + value * UINT64_C(0x9e3779b97f4a7c15)) >> (64 - CAPACITY_LOG2)];
}

static void count(struct tuple_count *c, uint64_t pc, uint64_t value, uint64_t n)
{
	for (unsigned probe = 0; probe < PROBES_MAX; probe++) {
		if (c->pc == pc && c->value == value) {
			c->count += n;
			return;
		}
		if (!c->pc) {
			*c = (struct tuple_count){pc, value, n, 0};
			sampler_profile.entries++;
			return;
		}
		if (++c == table + CAPACITY)
			c = table;
	}
	sampler_profile.dropped_messages++;
	sampler_profile.dropped_tuples += n;
}

#ifndef BEFORE
#define BEFORE /* first action of a test */
#endif

#ifdef QUEUE
#ifndef PERIOD
#define PERIOD 20000
#endif
#ifndef BATCH
#define BATCH 256
#endif
static struct tuple_count queue[QUEUE] __attribute__((aligned(32)));
volatile struct {
	uint64_t written, read; /* messages so far; the waiting ones lie between the two */
	uint64_t most;          /* that ever waited */
	uint64_t turns;         /* of the thread */
	uint64_t cycles;        /* that it took */
} sampler_queue;

static void begin_service(void)
{
	DEVICE_REGISTER(TIMER_MTIMECMP) = DEVICE_REGISTER(TIMER_MTIME) + PERIOD;
	csr_write(mie, UINT64_C(1) << IRQ_SAMPLER | UINT64_C(1) << IRQ_TIMER);
}

/* The service thread's turn. */
static void serve_messages(void)
{
	const uint64_t from = DEVICE_REGISTER(TIMER_MTIME), first = sampler_queue.read;
	uint64_t n = sampler_queue.written - first;
	if (n > sampler_queue.most)
		sampler_queue.most = n;
	n = n < BATCH ? n : BATCH;
	for (uint64_t i = 0; i < n; i++) {
		const struct tuple_count *m = &queue[(first + i) % QUEUE];
		count(sampler_first_of(m->pc, m->value), m->pc, m->value, m->count);
	}
	sampler_queue.read = first + n;
	sampler_queue.turns++;
	const uint64_t now = DEVICE_REGISTER(TIMER_MTIME);
	sampler_queue.cycles += now - from;
	DEVICE_REGISTER(TIMER_MTIMECMP) = now + PERIOD;
}

static void take_message(uint64_t pc, uint64_t value, uint64_t taken)
{
	if (sampler_queue.written - sampler_queue.read == QUEUE) {
		sampler_profile.dropped_messages++;
		sampler_profile.dropped_tuples += taken;
		return;
	}
	queue[sampler_queue.written % QUEUE] = (struct tuple_count){pc, value, taken, 0};
	sampler_queue.written++;
}
#else
static void begin_service(void)
{
	csr_write(mie, UINT64_C(1) << IRQ_SAMPLER);
}

static void serve_messages(void)
{
}

static void take_message(uint64_t pc, uint64_t value, uint64_t taken)
{
	count(sampler_first_of(pc, value), pc, value, taken);
}
#endif

void firmware_init(void)
{
	BEFORE;
	sampler_profile.table = (uintptr_t)table;
	begin_service();
}

void firmware_interrupt(uint64_t cause)
{
	if (cause == IRQ_TIMER)
		serve_messages();
	if (cause != IRQ_SAMPLER)
		return;
	const uint64_t n = DEVICE_REGISTER(SAMPLER_WAITING);
	uint64_t tuples = 0;
	for (uint64_t left = n; left; left--) {
		uint64_t pc = DEVICE_REGISTER(SAMPLER_TAGGED_PC), value = DEVICE_REGISTER(SAMPLER_VALUE);
		const uint64_t taken = DEVICE_REGISTER(SAMPLER_TAKE);
		__asm__("" : "+r"(pc), "+r"(value) : "r"(taken)); /* no computation between the reads: the next read would wait for it */
		tuples += taken;
		take_message(pc, value, taken);
	}
	sampler_profile.interrupts++;
	sampler_profile.messages += n;
	sampler_profile.tuples += tuples;
}
