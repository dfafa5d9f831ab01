#include "tests/reverse/hostile.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "ui/checkpoint/checkpoint.h"

void hostile_open(struct hostile *h, const struct subject *how)
{
	size_t n;
	*h = (struct hostile){.g = rig_open(how), .other = rig_open(how)};
	h->arena = machine_arena(h->g->s->machine, &n);
}

void hostile_save_again(struct hostile *h)
{
	struct err err;
	damage_free(&h->saved);
	if (!checkpoint_save(h->g->s, "point", &err))
		fail_msg("%s", err.msg);
	damage_read(&h->saved, "point");
	size_t n;
	h->arena = machine_arena(h->g->s->machine, &n); /* a change by hand may have rebuilt it */
}

void hostile_save(struct hostile *h, const char *settings, uint64_t cycle)
{
	struct subject how = guest;
	how.settings = settings;
	hostile_open(h, &how);
	rig_goto(h->g, cycle);
	hostile_save_again(h);
}

void hostile_drop(struct hostile *h)
{
	rig_close(h->g);
	rig_close(h->other);
	damage_free(&h->saved);
	unlink("point");
}

void *hostile_copy(const struct hostile *h, const void *word)
{
	return h->f.section[SECTION_ARENA].bytes + ((const uint8_t *)word - h->arena);
}

struct machine *hostile_load(struct hostile *h, struct err *err)
{
	damage_repair(&h->f, h->g->s->machine);
	FILE *out = fopen("point", "wb");
	assert_non_null(out);
	damage_write(&h->f, out);
	fclose(out);
	return checkpoint_load(h->other->s, "point", err);
}

void hostile_expect(struct hostile *h, const char *what)
{
	struct err err = {""};
	struct machine *m = hostile_load(h, &err);
	if (m)
		fail_msg("it was restored, and should say '%s'", what);
	if (!strstr(err.msg, what))
		fail_msg("'%s' does not say '%s'", err.msg, what);
	h->tried++;
}

void hostile_break_rules(struct hostile *h, const struct rule *rules, size_t n)
{
	enum { CYCLES = 1000 };
	bool *done = calloc(n, sizeof *done);
	size_t left = n;
	assert_non_null(done);
	for (unsigned tries = 0; left; tries++) {
		hostile_save_again(h);
		damage_copy(&h->f, &h->saved); /* intact until a value is broken */
		for (size_t i = 0; i < n; i++) {
			if (done[i])
				continue;
			if (rules[i].damage(h)) {
				hostile_expect(h, rules[i].what);
				done[i] = true;
				left--;
				damage_free(&h->f);
				damage_copy(&h->f, &h->saved);
			} else if (tries == CYCLES) {
				fail_msg("nothing to break so that it says '%s' in %u cycles",
				         rules[i].what, tries);
			}
		}
		damage_free(&h->f);
		rig_cycles(h->g, tries < 80 ? 1 : 6);
	}
	free(done);
}

void hostile_turn(const struct hostile *h, const uint64_t *bits, unsigned at)
{
	uint64_t *word = hostile_copy(h, &bits[at >> 6]);
	*word ^= UINT64_C(1) << (at & 63);
}
