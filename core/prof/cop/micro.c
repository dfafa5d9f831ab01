/* The engine's state. */
#include "core/prof/cop/micro.h"

#include <string.h>

#include "core/base/arena.h"

const char *const record_field_name[RECORD_FIELD_COUNT] = {
#define F(id, name, help) [RECORD_##id] = name,
	RECORD_FIELDS(F)
#undef F
};

const char *const record_field_help[RECORD_FIELD_COUNT] = {
#define F(id, name, help) [RECORD_##id] = help,
	RECORD_FIELDS(F)
#undef F
};

const char *const record_event_name[RECORD_EVENT_COUNT] = {
#define E(id, name, help) [RECORD_EVENT_##id] = name,
	RECORD_EVENTS(E)
#undef E
};

const char *const record_event_help[RECORD_EVENT_COUNT] = {
#define E(id, name, help) [RECORD_EVENT_##id] = help,
	RECORD_EVENTS(E)
#undef E
};

const char *const micro_fault_name[MICRO_FAULT_COUNT] = {
#define F(id, name) [MICRO_FAULT_##id] = name,
	MICRO_FAULTS(F)
#undef F
};

void micro_place(struct micro *m, struct arena *a, const struct micro_sizes *sizes)
{
	assert(sizes->code && sizes->code <= MICRO_CODE_MAX && sizes->cam &&
	       sizes->cam <= MICRO_ARRAY_MAX && sizes->data && sizes->data <= MICRO_ARRAY_MAX);
	*m = (struct micro){.code_n = sizes->code,
	                    .cam_n = sizes->cam,
	                    .data_n = sizes->data,
	                    .watchdog = sizes->watchdog};
	m->st = arena_take(a, "cop engine", 1, sizeof *m->st);
	m->code = arena_take(a, "cop microcode", m->code_n, sizeof *m->code);
	m->cam = arena_take(a, "cop associative array", m->cam_n, sizeof *m->cam);
	m->valid = arena_take(a, "cop valid bits", micro_valid_words(m->cam_n), sizeof *m->valid);
	m->data = arena_take(a, "cop data array", m->data_n, sizeof *m->data);
}

void micro_reset(struct micro *m, uint32_t seed)
{
	for (unsigned i = 0; i < MICRO_CLASSES; i++)
		m->st->start[i] = MICRO_NO_ROUTINE;
	micro_set_lfsr(m, seed);
	micro_restart(m);
}

void micro_halt(struct micro *m)
{
	micro_restart(m);
	m->st->halted = 1;
}

void micro_resume(struct micro *m)
{
	m->st->halted = 0; /* the pipeline has been empty since */
}

void micro_restart(struct micro *m)
{
	m->st->ahead = m->st->worked = 0;
	m->st->fetch = (struct micro_next){.goal = MICRO_GOAL_RECORD};
	m->st->decode = m->st->execute = (struct micro_slot){0};
}

void micro_invalidate_cam(struct micro *m)
{
	memset(m->valid, 0, micro_valid_words(m->cam_n) * sizeof *m->valid);
}

void micro_clear_data(struct micro *m)
{
	memset(m->data, 0, m->data_n * sizeof *m->data);
}

/* A register of zeros would stay zero. */
void micro_set_lfsr(struct micro *m, uint32_t value)
{
	m->st->lfsr = value ? value : 1;
}
