/* Ctrl-C at the server of gdb's protocol, sent at the moments in which it could be lost. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <cmocka.h>

#include "tests/unit/ui/console_fixture.h"
#include "ui/console/interrupt.h"
#include "ui/gdb/server.h"

enum { PATIENCE_S = 60 };

static const char endless[] = ".globl _start\n_start: j _start\n";

struct bench {
	struct fixture f;
	struct server v;
	struct wire w;
	int peer;
};

/* The peer says no more, and goes: asked when all it sent has been answered. */
static bool goes(void)
{
	return true;
}

static int up(void **state)
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
	wire_init(&b.w, ends[0], ends[0], goes);
	b.w.acks = false;
	server_init(&b.v, b.f.s, &b.f.c);
	run_set_progress(b.f.s->run, server_progress, &b.v);
	interrupt_attach(b.f.s->run, b.f.c.exprs);
	alarm(PATIENCE_S); /* one that is lost leaves the program running for ever */
	*state = &b;
	return 0;
}

static int down(void **state)
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

/* The packets that lie there, served; what was answered. */
static const char *served(struct bench *b, const char *packets)
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

/* The packet has been read, and the run not begun: beginning, a run forgets what came before. */
static void before_a_run_begins(void **state)
{
	struct bench *b = bench_of(state);
	raise(SIGINT);
	assert_memory_equal(served(b, "$vCont;c#a8"), "$T02", 4);
	assert_false(interrupt_came());
}

/* Nobody has heard that the run was stopped: the server ends all the same. */
static void whose_run_was_a_peer_that_went(void **state)
{
	struct bench *b = bench_of(state);
	raise(SIGINT);
	served(b, "$vCont;c#a8");
	assert_true(b->v.unheard);
}

static void that_the_peer_heard_of(void **state)
{
	struct bench *b = bench_of(state);
	raise(SIGINT);
	served(b, "$vCont;c#a8$?#3f");
	assert_false(b->v.unheard);
}

static void once(void **state)
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(before_a_run_begins, up, down),
		cmocka_unit_test_setup_teardown(whose_run_was_a_peer_that_went, up, down),
		cmocka_unit_test_setup_teardown(that_the_peer_heard_of, up, down),
		cmocka_unit_test_setup_teardown(once, up, down),
	};
	return cmocka_run_group_tests_name("Ctrl-C", tests, NULL, NULL);
}
