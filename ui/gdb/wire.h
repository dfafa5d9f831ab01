/* The connection to gdb: packets of its remote protocol, "$payload#checksum".
 *
 * The peer is not trusted. Its data takes no more memory than the buffers here; bytes outside
 * packets are skipped; a packet that is longer than WIRE_PAYLOAD or has a wrong checksum is
 * reported as bad and dropped. */
#ifndef CYCLOPS_UI_GDB_WIRE_H
#define CYCLOPS_UI_GDB_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ui/remote/listen.h"
#include "ui/remote/stream.h"

enum {
	WIRE_PAYLOAD = 16384 /* most bytes of a packet in either direction, unescaped */
};

enum wire_got {
	WIRE_PACKET,    /* payload[0..length) */
	WIRE_BAD,       /* too long or damaged: answer by an error */
	WIRE_INTERRUPT, /* Ctrl-C, between packets */
	WIRE_CLOSED
};

struct wire {
	struct stream stream;
	bool acks;        /* packets are acknowledged, and damaged ones requested again */
	uint8_t received[4096]; /* [have], of which `taken` have been consumed */
	size_t have, taken;
	char payload[WIRE_PAYLOAD + 1]; /* of the last packet, NUL-terminated */
	size_t length;
	/* the last packet sent, framed, for a peer that requests it again; escapes may double its
	 * size */
	uint8_t sent[2 * WIRE_PAYLOAD + 8];
	size_t sent_length;
};

/* Valid beginnings of a connection: acknowledgements, then Ctrl-C or a packet. HTTP requests do not
 * match. */
extern const struct greeting_rule wire_greeting;

/* Initializes a connection with acknowledgements on. */
void wire_init(struct wire *w, int in, int out, bool (*give_up)(void));
/* Waits for the next packet or Ctrl-C. */
enum wire_got wire_get(struct wire *w);
/* Sends payload[0..n), n at most WIRE_PAYLOAD, escaping what must be. */
void wire_put(struct wire *w, const void *payload, size_t n);
void wire_put_text(struct wire *w, const char *text);
/* Checks without waiting, while the machine runs: true if Ctrl-C has come, which is consumed, or
 * the peer is gone. */
bool wire_wants_stop(struct wire *w);
/* True if a packet has come while the peer should wait for an answer: it has given up waiting. */
bool wire_has_packet(struct wire *w);

#endif
