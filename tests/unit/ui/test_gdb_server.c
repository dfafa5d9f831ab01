/* Ctrl-C at the server of gdb's protocol, sent at moments in which it could be lost. */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/cases.h"
#include "tests/unit/ui/console_fixture.h"
#include "ui/console/interrupt.h"
#include "ui/gdb/server.h"

enum { PATIENCE_S = 600 };

static const char endless[] = ".globl _start, turn, word\n"
			      "_start: la a0, word\n"
			      "turn: sd a1, 0(a0)\n"
			      "	addi a1, a1, 1\n"
			      "	j turn\n"
			      ".bss\n.align 3\n"
			      ".type word, @object\n.size word, 8\nword: .space 8\n";

struct bench {
	struct fixture f;
	struct server v;
	struct wire w;
	int peer;
};

/* The peer leaves: called when all requests have been answered. */
static bool gdb_server_peer_is_gone(void)
{
	return true;
}

static int gdb_server_setup_bench(void **state)
{
	static struct bench b;
	struct err err;
	memset(&b, 0, sizeof b);
	if (!cross_available())
		return 0;
	if (!cross_build(&b.f.cross, "S", endless, "-static -nostdlib -Wl,--no-relax"))
		return -1;
	b.f.s = fixture_session(b.f.cross.program, &err);
	if (!b.f.s || !console_init(&b.f.c, b.f.s, fixture_write, &b.f, &err)) {
		fprintf(stderr, "%s\n", err.msg);
		return -1;
	}
	int ends[2];
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
		return -1;
	b.peer = ends[1];
	wire_init(&b.w, ends[0], ends[0], gdb_server_peer_is_gone);
	b.w.acks = false;
	server_init(&b.v, b.f.s, &b.f.c);
	run_set_progress(b.f.s->run, server_progress, &b.v);
	interrupt_attach(b.f.s->run, b.f.c.exprs);
	alarm(PATIENCE_S); /* a lost Ctrl-C lets the program run for ever */
	*state = &b;
	return 0;
}

static int gdb_server_teardown_bench(void **state)
{
	struct bench *b = *state;
	if (!b)
		return 0;
	alarm(0);
	interrupt_attach(NULL, NULL);
	server_deinit(&b->v);
	close(b->w.stream.in);
	close(b->peer);
	console_deinit(&b->f.c);
	session_free(b->f.s);
	cross_remove(&b->f.cross);
	return 0;
}

/* Sends packets, serves them, and returns the answers. */
static const char *gdb_server_serve_packets(struct bench *b, const char *packets)
{
	static char answers[8192];
	assert_int_equal(write(b->peer, packets, strlen(packets)), strlen(packets));
	server_serve(&b->v, &b->w);
	const ssize_t n = recv(b->peer, answers, sizeof answers - 1, MSG_DONTWAIT);
	answers[n > 0 ? n : 0] = '\0';
	return answers;
}

static struct bench *bench_of(void **state)
{
	if (!*state)
		skip();
	return *state;
}

/* Ctrl-C after the packet was read, before the run begins: the beginning of a run must not drop it.
 */
TEST(before_a_run_begins)
{
	struct bench *b = bench_of(state);
	raise(SIGINT);
	assert_memory_equal(gdb_server_serve_packets(b, "$vCont;c#a8"), "$T02", 4);
	assert_false(interrupt_came());
}

/* No peer receives the stop of the run: the server ends nevertheless. */
TEST(whose_run_was_a_peer_that_went)
{
	struct bench *b = bench_of(state);
	raise(SIGINT);
	gdb_server_serve_packets(b, "$vCont;c#a8");
	assert_true(b->v.unheard);
}

TEST(that_the_peer_heard_of)
{
	struct bench *b = bench_of(state);
	raise(SIGINT);
	gdb_server_serve_packets(b, "$vCont;c#a8$?#3f");
	assert_false(b->v.unheard);
}

TEST(test_gdb_server_interrupt_once)
{
	bench_of(state);
	assert_false(interrupt_came());
	raise(SIGINT);
	raise(SIGINT);
	assert_true(interrupt_came());
	assert_true(interrupt_came());
	assert_true(interrupt_taken());
	assert_false(interrupt_came());
	assert_false(interrupt_taken());
}

/* ---- between two legs ----
 * A motion ends a leg at each point that may stop it, and begins the next where it does not. A new
 * run forgets earlier requests, and short legs call no peer on their way. */
enum { AT = 5, BEFORE = 2000 };
static unsigned asked;

/* Nothing stops: the leg is over; Ctrl-C comes at the fifth. */
static bool gdb_server_interrupt_fifth_stop(void *ctx, const struct point *p, bool forward)
{
	(void)ctx;
	(void)p;
	(void)forward;
	if (++asked == AT)
		raise(SIGINT);
	return false;
}

static void out_of_call(struct mover *v)
{
	motion_line(v, LINE_OUT, 0, NULL);
}

static void back_out_of_call(struct mover *v)
{
	motion_back_line(v, LINE_OUT, 0, NULL);
}

static void at_a_point(struct bench *b, void (*motion)(struct mover *v), unsigned type, bool back)
{
	struct mover *v = &b->v.m;
	struct point p = {.type = type, .conditional = true, .size = type == 2 ? 8 : 2};
	struct run_stop_info info;
	struct err err;
	const struct symbol *at =
		program_symbol_by_name(b->f.s->program, type == 2 ? "word" : "turn");
	assert_non_null(at);
	assert_true(!back || run_insts(b->f.s->run, BEFORE, false, &info, &err));
	p.addr = at->addr;
	assert_true(points_insert(v, &p, &err));
	v->stops = gdb_server_interrupt_fifth_stop;
	v->hi = UINT64_MAX;
	b->v.wire = &b->w;
	asked = 0;
	interrupt_taken();
	const uint64_t insts = machine_insts(b->f.s->machine);
	motion(v);
	b->v.wire = NULL;
	if (v->halt.kind != HALT_INTERRUPT)
		fail_msg("halt %d: %s", v->halt.kind, v->halt.why.msg);
	/* At once, not at the next poll on the way. */
	assert_in_range(asked, AT, AT + 2);
	assert_true(back || machine_insts(b->f.s->machine) - insts < 100);
	assert_true(interrupt_taken());
}

#define BETWEEN(motion, type, back)                                                                \
	TEST(between_legs_of_##motion##_##type)                                                    \
	{                                                                                          \
		at_a_point(bench_of(state), motion, type, back);                                   \
	}
BETWEEN(motion_continue, 0, false)
BETWEEN(motion_continue, 2, false)
BETWEEN(motion_range, 0, false)
BETWEEN(out_of_call, 0, false)
BETWEEN(out_of_call, 2, false)
BETWEEN(motion_back_continue, 0, true)
BETWEEN(motion_back_continue, 2, true)
BETWEEN(back_out_of_call, 0, true)
BETWEEN(back_out_of_call, 2, true)

TEST_EACH(gdb_server_setup_bench, gdb_server_teardown_bench)
