/* Saving the kept output: a header, the bytes of each stream, and the turns. */
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/os/host_questions.h"
#include "core/os/os_priv.h"

struct output_file {
	char magic[8];
	struct {
		uint64_t high, first, n;
	} out[OUT_STREAMS];
	uint64_t turns;
};

static const char output_magic[8] = {'C', 'Y', 'C', 'O', 'U', 'T', '0', '4'};

void os_save_output(const struct os *os, void **bytes, size_t *n)
{
	struct output_file head = {0};
	memcpy(head.magic, output_magic, sizeof head.magic);
	const char *kept[OUT_STREAMS];
	for (int i = 0; i < OUT_STREAMS; i++) {
		size_t len;
		kept[i] = os_output(os, i + 1, &head.out[i].first, &len);
		head.out[i].n = len;
		head.out[i].high = os->st->out_bytes[i];
	}

	head.turns = out_turns_by_now(os);
	const size_t turn_bytes = head.turns * sizeof *os->turn;

	*n = sizeof head + head.out[0].n + head.out[1].n + head.out[2].n + turn_bytes;
	uint8_t *p = alloc_bytes(*n);
	*bytes = p;
	if (!p) {
		*n = 0;
		return;
	}
	memcpy(p, &head, sizeof head);
	p += sizeof head;
	for (int i = 0; i < OUT_STREAMS; i++) {
		if (head.out[i].n)
			memcpy(p, kept[i], head.out[i].n);
		p += head.out[i].n;
	}
	if (turn_bytes)
		memcpy(p, os->turn, turn_bytes);
}

static bool output_ok(const struct output_file *h, size_t n)
{
	if (memcmp(h->magic, output_magic, sizeof output_magic) != 0)
		return false;
	uint64_t total = sizeof *h;
	for (int i = 0; i < OUT_STREAMS; i++) {
		if (h->out[i].n > n || h->out[i].first > h->out[i].high ||
		    h->out[i].high - h->out[i].first != h->out[i].n)
			return false;
		total += h->out[i].n;
	}
	return h->turns <= OUT_TURNS && total + h->turns * sizeof(struct out_turn) == n;
}

/* True if no turn begins before the previous one or after the output's end. */
static bool turns_ok(const struct output_file *h, const struct out_turn *turn)
{
	for (uint64_t k = 0; k < h->turns; k++) {
		if (turn[k].stream >= OUT_STREAMS)
			return false;
		for (int i = 0; i < OUT_STREAMS; i++)
			if (turn[k].at[i] > h->out[i].high ||
			    (k && turn[k].at[i] < turn[k - 1].at[i]))
				return false;
	}
	return true;
}

bool os_load_output(struct os *os, const void *bytes, size_t n)
{
	struct output_file head;
	if (n < sizeof head)
		return false;
	memcpy(&head, bytes, sizeof head);
	if (!output_ok(&head, n))
		return false;
	const uint8_t *p = (const uint8_t *)bytes + sizeof head;

	struct out_stream out[OUT_STREAMS] = {0};
	bool ok = true;
	for (int i = 0; i < OUT_STREAMS; i++) {
		size_t len = head.out[i].n;
		out[i] = (struct out_stream){.n = len,
		                             .cap = len + 1,
		                             .first = head.out[i].first,
		                             .high = head.out[i].high,
		                             .bytes = alloc_bytes(len + 1)};
		ok = ok && out[i].bytes;
		if (ok)
			memcpy(out[i].bytes, p, len);
		p += len;
	}
	const size_t turn_bytes = head.turns * sizeof *os->turn;
	struct out_turn *turn = alloc_bytes(turn_bytes + 1);
	ok = ok && turn;
	if (ok)
		memcpy(turn, p, turn_bytes);
	if (!ok || !turns_ok(&head, turn)) {
		free(turn);
		for (int i = 0; i < OUT_STREAMS; i++)
			free(out[i].bytes);
		return false;
	}

	host_close_all(os);
	for (int i = 0; i < OUT_STREAMS; i++) {
		free(os->out[i].bytes);
		os->out[i] = out[i];
	}
	free(os->turn);
	os->turn = turn;
	os->turns = os->turn_room = head.turns;
	os->pending_n = 0;
	return true;
}
