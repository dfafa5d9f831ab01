/* Building an event: compiled to nothing where nobody can watch. WATCHED is 0 or 1, set by the including
 * cycle file; a watched stage tests one mask bit first. */
#ifndef WATCHED
#error "include from a cycle_*.c file"
#endif

#if WATCHED
#define EMIT(m, ID, u, a, b) \
	do { \
		if ((m)->event_mask & EV_BIT(ID)) \
			emit_event((m), EV_##ID, (u), (a), (b)); \
	} while (0)

static void emit_event(struct machine *m, enum event_id id, const struct uop *u, uint64_t a, uint64_t b)
{
	uint64_t pc = u ? u->pc : 0;
	if (pc - m->event_pc > m->event_span || m->event_count == EVENTS_PER_CYCLE_MAX)
		return;
	m->events[m->event_count++] = (struct event){
		.cycle = m->pipe.st->cycle,
		.seq = u ? u->seq : 0,
		.pc = pc,
		.a = a,
		.b = b,
		.slot = u ? (uint32_t)slot_of(&m->pipe, u) : EVENT_NO_SLOT,
		.id = id,
	};
}
#else
#define EMIT(m, ID, u, a, b) ((void)0)
#endif
