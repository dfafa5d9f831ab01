/* Framing, checksums, escapes and acknowledgements of gdb's remote protocol. */
#include "ui/gdb/wire.h"

#include <ctype.h>
#include <string.h>

enum { ESCAPE = '}', ESCAPED = 0x20, RUN = '*', RUN_BASE = 29, CTRL_C = 3 };

void wire_init(struct wire *w, int in, int out, bool (*give_up)(void))
{
	memset(w, 0, sizeof *w);
	w->stream = (struct stream){.in = in, .out = out, .give_up = give_up};
	w->acks = true;
}

/* ---- greeting ---- */
static int hex_digit(int c)
{
	return c >= '0' && c <= '9'   ? c - '0'
	       : c >= 'a' && c <= 'f' ? c - 'a' + 10
	       : c >= 'A' && c <= 'F' ? c - 'A' + 10
	                              : -1;
}

/* True if the method of an HTTP request may have this byte: a web page may choose the method, for
 * example `$k#6b`. */
static bool wire_is_of_method(char byte)
{
	return isalnum((unsigned char)byte) || (byte && strchr("!#$%&'*+-.^_`|~", byte));
}

/* A packet with a byte that no HTTP method has, such as gdb's first, is no HTTP request. A packet
 * without such a byte is accepted only if no data follows it. */
static enum greeting wire_greets(const char *bytes, size_t n)
{
	bool packet = false;
	for (size_t at = 0; at < n; at++) {
		if (bytes[at] == '+' || bytes[at] == '-' || bytes[at] == CTRL_C)
			continue;
		if (bytes[at] != '$')
			return GREETING_WRONG;
		for (at++; at < n && bytes[at] != '#'; at++)
			if (!wire_is_of_method(bytes[at]))
				return strchr(" \t\r\n", bytes[at]) && bytes[at] ? GREETING_WRONG
				                                                 : GREETING_RIGHT;
		if (n - at < 3)
			return GREETING_PART;
		if (hex_digit(bytes[at + 1]) < 0 || hex_digit(bytes[at + 2]) < 0)
			return GREETING_WRONG;
		at += 2;
		packet = true;
	}
	return packet ? GREETING_ALONE : GREETING_PART;
}

const struct greeting_rule wire_greeting = {wire_greets, "expected a packet of gdb's"};

/* ---- sending ---- */
static void send_bytes(struct wire *w, const uint8_t *bytes, size_t n)
{
	stream_send(&w->stream, bytes, n);
}

static void send_byte(struct wire *w, char byte)
{
	send_bytes(w, (const uint8_t *)&byte, 1);
}

/* Number of repetitions of from[0] that a run may encode: at least 3, else 0, as one printable
 * character other than '#' and '$'. */
static size_t run_length(const uint8_t *from, size_t n)
{
	enum { LEAST = 3, MOST = 126 - RUN_BASE };
	size_t more = 0;
	while (more + 1 < n && more < MOST && from[more + 1] == from[0])
		more++;
	while (more + RUN_BASE == '#' || more + RUN_BASE == '$')
		more--;
	return more < LEAST ? 0 : more;
}

void wire_put(struct wire *w, const void *payload, size_t n)
{
	static const char hex[] = "0123456789abcdef";
	const uint8_t *from = payload;
	uint8_t *to = w->sent, sum = 0;
	if (n > WIRE_PAYLOAD)
		n = WIRE_PAYLOAD;
	*to++ = '$';
	for (size_t i = 0; i < n; i++) {
		const uint8_t byte = from[i];
		const bool special =
			byte == '$' || byte == '#' || byte == ESCAPE || byte == RUN;
		const size_t more = special ? 0 : run_length(from + i, n - i);
		if (special)
			*to++ = ESCAPE;
		*to++ = special ? byte ^ ESCAPED : byte;
		if (more) {
			*to++ = RUN;
			*to++ = (uint8_t)(more + RUN_BASE);
			i += more;
		}
	}
	for (const uint8_t *b = w->sent + 1; b < to; b++)
		sum = (uint8_t)(sum + *b);
	*to++ = '#';
	*to++ = (uint8_t)hex[sum >> 4];
	*to++ = (uint8_t)hex[sum & 15];
	w->sent_length = (size_t)(to - w->sent);
	send_bytes(w, w->sent, w->sent_length);
}

void wire_put_text(struct wire *w, const char *text)
{
	wire_put(w, text, strlen(text));
}

/* ---- receiving ---- */
/* Removes consumed bytes from the buffer. */
static void wire_discard_consumed(struct wire *w)
{
	if (!w->taken)
		return;
	w->have -= w->taken;
	memmove(w->received, w->received + w->taken, w->have);
	w->taken = 0;
}

/* Receives available bytes, without waiting. */
static void wire_receive_bytes(struct wire *w)
{
	wire_discard_consumed(w);
	w->have += stream_receive(&w->stream, w->received + w->have,
	                          sizeof w->received - w->have, 0);
}

/* Returns the next byte, or -1 if the connection is closed. */
static int wire_next_byte(struct wire *w)
{
	if (w->taken == w->have) {
		wire_discard_consumed(w);
		w->have = stream_wait(&w->stream, w->received, sizeof w->received);
	}
	return w->taken < w->have ? w->received[w->taken++] : -1;
}

/* Reads a packet after its '$'; a '$' within restarts the packet. -1: damaged, and requested again.
 */
static int take_packet(struct wire *w)
{
	uint8_t sum = 0;
	bool whole = true;
	int c;
	w->length = 0;
	while ((c = wire_next_byte(w)) != '#') {
		if (c < 0)
			return WIRE_CLOSED;
		if (c == '$') {
			sum = 0;
			whole = true;
			w->length = 0;
			continue;
		}
		sum = (uint8_t)(sum + c);
		if (c == ESCAPE) {
			c = wire_next_byte(w);
			if (c < 0)
				return WIRE_CLOSED;
			sum = (uint8_t)(sum + c);
			c ^= ESCAPED;
		}
		if (w->length < WIRE_PAYLOAD)
			w->payload[w->length++] = (char)c;
		else
			whole = false;
	}
	const int high = wire_next_byte(w), low = wire_next_byte(w);
	if (high < 0 || low < 0)
		return WIRE_CLOSED;
	const bool right = hex_digit(high) >= 0 && hex_digit(low) >= 0 &&
	                   (hex_digit(high) << 4 | hex_digit(low)) == sum;
	if (w->acks)
		send_byte(w, right ? '+' : '-');
	w->payload[right && whole ? w->length : 0] = '\0';
	if (right && whole)
		return WIRE_PACKET;
	w->length = 0;
	return w->acks && !right ? -1 : WIRE_BAD;
}

enum wire_got wire_get(struct wire *w)
{
	for (;;) {
		const int c = wire_next_byte(w);
		if (c < 0)
			return WIRE_CLOSED;
		if (c == CTRL_C)
			return WIRE_INTERRUPT;
		if (c == '-' && w->acks)
			send_bytes(w, w->sent, w->sent_length);
		if (c != '$')
			continue;
		const int got = take_packet(w);
		if (got >= 0)
			return (enum wire_got)got;
	}
}

bool wire_wants_stop(struct wire *w)
{
	wire_receive_bytes(w);
	while (w->taken < w->have && w->received[w->taken] == '+')
		w->taken++;
	if (w->taken < w->have && w->received[w->taken] == CTRL_C) {
		w->taken++;
		return true;
	}
	return w->stream.closed;
}

bool wire_has_packet(struct wire *w)
{
	wire_receive_bytes(w);
	return memchr(w->received + w->taken, '$', w->have - w->taken) != NULL;
}
