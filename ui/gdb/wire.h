/* The connection to gdb: packets of its remote protocol, "$payload#checksum".
 *
 * The peer may be anybody. What it sends takes no more memory than the buffers here; what is not a
 * packet is passed over; one that is longer than WIRE_PAYLOAD or has a wrong checksum is reported
 * as bad and nothing of it is kept. */
#ifndef CYCLOPS_UI_GDB_WIRE_H
#define CYCLOPS_UI_GDB_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ui/remote/listen.h"
#include "ui/remote/stream.h"

enum {
	WIRE_PAYLOAD = 16384 /* bytes, the most that a packet may have either way, unescaped */
};

enum wire_got {
	WIRE_PACKET,    /* payload[0..length) */
	WIRE_BAD,       /* one that was too long or damaged, and should be answered by an error */
	WIRE_INTERRUPT, /* Ctrl-C, between packets */
	WIRE_CLOSED
};

struct wire {
	struct stream stream;
	bool acks;        /* packets are acknowledged, and damaged ones asked for again */
	uint8_t received[4096]; /* [have], of which `taken` have been looked at */
	size_t have, taken;
	char payload[WIRE_PAYLOAD + 1]; /* of the last packet, with a 0 behind it */
	size_t length;
	/* the last one sent, framed, for a peer that asks for it again; escapes may double it */
	uint8_t sent[2 * WIRE_PAYLOAD + 8];
	size_t sent_length;
};

/* How a connection begins: acknowledgements, then Ctrl-C or a packet. No line of HTTP does. */
extern const struct greeting_rule wire_greeting;

/* A new connection, with acknowledgements. */
void wire_init(struct wire *w, int in, int out, bool (*give_up)(void));
/* Waits for what comes next. */
enum wire_got wire_get(struct wire *w);
/* Sends payload[0..n), n at most WIRE_PAYLOAD, escaping what must be. */
void wire_put(struct wire *w, const void *payload, size_t n);
void wire_put_text(struct wire *w, const char *text);
/* While the machine runs, without waiting: whether Ctrl-C has come, which is taken, or the peer is
 * gone. */
bool wire_wants_stop(struct wire *w);
/* The same of who waits for an answer: whether it waits no more, and asks for something else. */
bool wire_has_packet(struct wire *w);

#endif
