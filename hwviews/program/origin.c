#include "hwviews/program/origin.h"

#include <inttypes.h>
#include <stdio.h>

#include "loader/flow.h"
#include "loader/instrument/instrument.h"

enum { WALK_MOST = 256 };

static bool origin_read_memory(const void *ctx, uint64_t addr, void *buf, size_t n)
{
	const struct session *s = ctx;
	return machine_peek(s->machine, addr, buf, n);
}

uint64_t origin_next(const struct session *s, const struct moved_code *m, uint64_t now)
{
	const struct flow_code code = {
		.read = origin_read_memory, .ctx = s, .isa = machine_isa(s->machine)};
	struct inst in;
	for (unsigned i = 0; i < WALK_MOST && moved_code_covers(m, now); i++) {
		const uint64_t was = moved_code_from(m, now);
		if (was || !flow_decode(&code, now, &in))
			return was;
		if ((inst_flags(&in) & OPF_JUMP) && in.rd == REG_SINK &&
		    (inst_flags(&in) & OPF_INDIRECT))
			return 0;
		now += (inst_flags(&in) & OPF_JUMP) && in.rd == REG_SINK ? (uint64_t)(int64_t)in.imm
		                                                         : in.len;
	}
	return 0;
}

struct origin origin_of(const struct session *s, uint64_t now)
{
	struct moved_code m;
	if (!program_moved_code(s->program, &m) || !moved_code_covers(&m, now))
		return (struct origin){ORIGIN_ITSELF, now};
	const uint64_t was = moved_code_from(&m, now);
	return was ? (struct origin){ORIGIN_MOVED, was}
	           : (struct origin){ORIGIN_PUT_IN, origin_next(s, &m, now)};
}

char *origin_kinds(const struct session *s, char *buf, size_t n)
{
	struct counters c;
	size_t used = 0;
	buf[0] = '\0';
	for (unsigned i = 0; program_counters(s->program, i, &c) && used < n; i++)
		if (c.kind != INSTRUMENT_NOTHING)
			used += (size_t)snprintf(buf + used, n - used, "%s%s", used ? ", " : "",
			                         instrument_name[c.kind]);
	return buf;
}

char *origin_text(const struct session *s, uint64_t now, char *buf, size_t n)
{
	const struct origin o = origin_of(s, now);
	char kinds[96];
	buf[0] = '\0';
	if (o.kind == ORIGIN_MOVED)
		snprintf(buf, n, " (was 0x%" PRIx64 ")", o.was);
	if (o.kind != ORIGIN_PUT_IN)
		return buf;
	origin_kinds(s, kinds, sizeof kinds);
	size_t used = (size_t)snprintf(buf, n, " (put in by %s", *kinds ? kinds : "the editor");
	if (o.was && used < n)
		used += (size_t)snprintf(buf + used, n - used, ", before 0x%" PRIx64, o.was);
	if (used < n)
		snprintf(buf + used, n - used, ")");
	return buf;
}
