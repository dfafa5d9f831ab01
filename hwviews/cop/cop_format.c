/* Sentences about the co-processor: the reason why it waits, and the effect of its filters on an
 * instruction. */
#include <inttypes.h>
#include <stdio.h>

#include "core/prof/common/prof.h"
#include "hwviews/cop/cop_rows.h"

char *format_record(const struct session *s, const struct cop_record *r, char *buf, size_t n)
{
	const uint64_t values[RECORD_FIELD_COUNT] = {r->pc,     r->inst, r->rs1,   r->rs2,
	                                             r->result, r->addr, r->target};
	char value[160];
	size_t used = (size_t)snprintf(buf, n, "%s", inst_kind_name[r->kind]);
	for (unsigned i = 0; i < RECORD_FIELD_COUNT && used < n; i++) {
		if (!(r->fields >> i & 1))
			continue;
		if (i == RECORD_PC || i == RECORD_TARGET)
			format_addr(s, values[i], value, sizeof value);
		else
			format_micro_value(s, values[i], value, sizeof value);
		used += (size_t)snprintf(buf + used, n - used,
		                         i == RECORD_PC ? " at %.0s%s" : ", %s %s",
		                         record_field_name[i], value);
	}
	if (used < n)
		used += (size_t)snprintf(buf + used, n - used, ", %" PRIu32 " cycle%s", r->latency,
		                         r->latency == 1 ? "" : "s");
	for (unsigned i = 0; i < sizeof record_event_name / sizeof *record_event_name && used < n;
	     i++)
		if (r->events >> i & 1)
			used += (size_t)snprintf(buf + used, n - used, ", %s",
			                         record_event_name[i]);
	return buf;
}

/* ---- waiting ---- */
static bool cop_format_is_waiting(const struct prof *d)
{
	const struct micro_records r = cop_records(d);
	return micro_waits(&d->cop->micro, &r);
}

const char *cop_status_words(const struct session *s, enum role *role)
{
	const struct prof *d = machine_pipe(s->machine)->prof;
	const struct cop_state *st = d->cop->st;
	if (d->cop->micro.st->halted) {
		*role = d->cop->micro.st->fault ? ROLE_ERROR : ROLE_WAITING;
		return d->cop->micro.st->fault ? "halted by a fault" : "halted by its interrupt";
	}
	*role = ROLE_DIM;
	if (!(st->control & COP_RUN))
		return "off";
	if (cop_format_is_waiting(d))
		return !(st->control & COP_TAG) || !st->classes ? "nothing is tagged"
		                                                : "waits for a record";
	*role = ROLE_RUNNING;
	return "running";
}

static bool has_routine(const struct micro_state *st)
{
	for (unsigned i = 0; i < MICRO_CLASSES; i++)
		if (st->start[i] != MICRO_NO_ROUTINE)
			return true;
	return false;
}

/* Appends how many committed records have not arrived, and when the next one does. */
static int cop_format_print_records_in_transit(const struct prof *d, char *buf, size_t n)
{
	const struct cop_state *st = d->cop->st;
	if (!st->way_count)
		return snprintf(buf, n, "no tagged instruction has committed %s",
		                STAT(d->stats, cop_records) ? "since" : "yet");
	if (!st->sent)
		return snprintf(buf, n, "%" PRIu64 " on the way, %" PRIu64 " words to be sent",
		                st->way_count, st->words);
	const uint64_t arrived = cop_way_at(d, 0)->arrived;
	return snprintf(buf, n, "%" PRIu64 " on the way, the first arrives in cycle %s",
	                st->way_count, GROUPED(arrived + 1));
}

enum { MANY = 1000 }; /* microinstructions for one record, more than any program of ours takes */

static void say_halted(const struct session *s, const struct prof *d, char *buf, size_t n)
{
	const struct micro_state *m = d->cop->micro.st;
	char place[64], many[32] = "";
	const char *when =
		CONFIG(machine_config(s->machine), firmware)
			? "firmware writes `resume`"
			: "`resume` is written: there is no firmware to do it; `cop resume` does";
	if (m->fault == MICRO_FAULT_ENDLESS)
		snprintf(many, sizeof many, ", it seems: %s", GROUPED(d->cop->micro.watchdog));
	if (m->fault)
		snprintf(buf, n, "the co-processor has halted at %s, %s%s%s; it goes on when %s",
		         format_micro_at(s, m->fault_at, place, sizeof place),
		         micro_fault_name[m->fault], many,
		         *many ? " microinstructions for one record (cop.watchdog)" : "", when);
	else
		snprintf(buf, n,
		         "the co-processor has halted after the interrupt at %s; it goes on when "
		         "%s",
		         format_micro_at(s, m->last.at, place, sizeof place), when);
}

static void say_running(const struct session *s, const struct prof *d, char *buf, size_t n)
{
	const struct micro_state *m = d->cop->micro.st;
	const uint64_t divider = (uint64_t)CONFIG(d->cfg, cop_divider);
	char place[64], text[MICRO_TEXT_MAX], clock[160] = "";
	size_t used = 0;
	if (divider > 1)
		used = (size_t)snprintf(clock, sizeof clock,
		                        ", in its next clock, one every %" PRIu64 " cycles",
		                        divider);
	if (m->worked >= MANY)
		snprintf(clock + used, sizeof clock - used,
		         "; %s microinstructions have been executed for this record: does the "
		         "routine end?",
		         GROUPED(m->worked));
	if (m->execute.kind == MICRO_SLOT_CODE)
		snprintf(buf, n, "the co-processor executes %s next: %s%s",
		         format_micro_at(s, m->execute.at, place, sizeof place),
		         format_micro(s, m->execute.word, m->execute.at, text, sizeof text), clock);
	else if (m->execute.kind == MICRO_SLOT_SKIP)
		snprintf(buf, n, "the co-processor skips a record next: its class has no routine%s",
		         clock);
	else if (m->execute.kind == MICRO_SLOT_FAULT)
		snprintf(buf, n, "the co-processor is about to fault: %u is beyond the microcode%s",
		         m->execute.at, clock);
	else if (m->decode.kind != MICRO_SLOT_EMPTY)
		snprintf(buf, n, "the co-processor has fetched %s and decodes it next%s",
		         format_micro_at(s, m->decode.at, place, sizeof place), clock);
	else
		snprintf(buf, n, "the co-processor fetches next%s%s",
		         m->last.wrong && cop_executed_now(s)
		                 ? ": a branch was mispredicted, instructions fetched after it are "
		                   "lost"
		                 : "",
		         clock);
}

char *why_cop(const struct session *s, char *buf, size_t n)
{
	const struct prof *d = machine_pipe(s->machine)->prof;
	const struct cop_state *st = d->cop->st;
	if (d->cop->micro.st->halted)
		say_halted(s, d, buf, n);
	else if (!(st->control & COP_RUN))
		snprintf(buf, n, "the co-processor is off: %s", has_routine(d->cop->micro.st)
		                 ? "bit 0 of its control register is 0"
		                 : "nothing has been loaded; `cop load FILE` does");
	else if (!cop_format_is_waiting(d))
		say_running(s, d, buf, n);
	else if (!(st->control & COP_TAG) || !st->classes)
		snprintf(buf, n, "the co-processor waits for a record, and none will come: %s",
		         st->classes ? "bit 1 of its control register is 0"
		                     : "no class of instructions is tagged");
	else {
		const size_t used =
			(size_t)snprintf(buf, n, "the co-processor waits for a record: ");
		if (used < n)
			cop_format_print_records_in_transit(d, buf + used, n - used);
	}
	return buf;
}

/* ---- filters ---- */
char *why_wanted(const struct session *s, unsigned kind, uint64_t pc, char *buf, size_t n)
{
	const struct prof *d = machine_pipe(s->machine)->prof;
	const struct cop_state *st = d->cop->st;
	const uint64_t hash = cop_region_hash(pc, st->shift) & st->mask;
	if (!(st->control & COP_TAG))
		snprintf(buf, n, "not tagged: bit 1 of the co-processor's control register is 0");
	else if (!(st->classes >> kind & 1))
		snprintf(buf, n, "not tagged: its class, %s, is not sampled", inst_kind_name[kind]);
	else if (hash != st->match)
		snprintf(buf, n,
		         "not tagged: it is in region 0x%" PRIx64 ", and 0x%" PRIx64 " is sampled",
		         hash, st->match);
	else if ((st->tables >> COP_TABLE_HIGH & 1) && cop_masks(d, COP_TABLE_HIGH, pc))
		snprintf(buf, n, "not tagged: table high masks it");
	else if ((st->tables >> COP_TABLE_LOW & 1) && cop_masks(d, COP_TABLE_LOW, pc))
		snprintf(buf, n, "not tagged: table low masks it");
	else
		snprintf(buf, n, "tagged: a %s that no table masks", inst_kind_name[kind]);
	return buf;
}

char *why_tagged(const struct session *s, const struct uop *u, char *buf, size_t n)
{
	const struct pipe *p = machine_pipe(s->machine);
	const struct cop *c = session_cop(s);
	*buf = '\0';
	if (!c || u->state == UOP_FREE || u->state == UOP_FETCHED || !(c->st->control & COP_TAG))
		return buf;
	const bool tagged = cop_tagged(p->prof, u);
	const unsigned kind = inst_kind(u->inst.op);
	const uint64_t pc = u->pc + u->prefix_len;
	if (u->flags & UF_MACHINE)
		snprintf(buf, n, "not tagged: it is firmware's");
	else if (tagged && !cop_wants(p->prof, kind, pc))
		snprintf(buf, n, "tagged, by filters that have changed since");
	else if (!tagged && cop_wants(p->prof, kind, pc))
		snprintf(buf, n, "not tagged, by filters that have changed since");
	else
		why_wanted(s, kind, pc, buf, n);
	return buf;
}
