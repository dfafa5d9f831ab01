/* Framing of the Debug Adapter Protocol. */
#include "ui/dap/wire.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/base/alloc.h"

void dap_wire_init(struct dap_wire *w, int in, int out, bool (*give_up)(void))
{
	*w = (struct dap_wire){.stream = {.in = in, .out = out, .give_up = give_up}};
}

void dap_wire_deinit(struct dap_wire *w)
{
	free(w->bytes);
	*w = (struct dap_wire){.stream.closed = true};
}

static enum dap_got dap_wire_close_with_error(struct dap_wire *w, struct err *err, const char *why)
{
	w->stream.closed = true;
	err_set(err, "%s", why);
	return DAP_CLOSED;
}

/* Receives more bytes, if there is room. */
static bool dap_wire_receive_bytes(struct dap_wire *w, bool wait)
{
	enum { PIECE = 16384 };
	if (w->room - w->have < PIECE) {
		char *more = alloc_resize(w->bytes, w->have + 2 * (size_t)PIECE);
		if (!more) {
			w->stream.closed = true;
			return false;
		}
		w->bytes = more;
		w->room = w->have + 2 * (size_t)PIECE;
	}
	const size_t n = wait ? stream_wait(&w->stream, w->bytes + w->have, PIECE)
	                      : stream_receive(&w->stream, w->bytes + w->have, PIECE, 0);
	w->have += n;
	return n;
}

static const char length_field[] = "Content-Length:", type_field[] = "Content-Type:";

static bool dap_wire_is_field(const char *at, const char *end, const char *name)
{
	const size_t n = strlen(name);
	return (size_t)(end - at) >= n && strncasecmp(at, name, n) == 0;
}

/* Parses a header line [at, end) with Content-Length; false: another header, or an invalid one. */
static bool dap_wire_parse_content_length(const char *at, const char *end, size_t *length)
{
	char digits[12];
	if (!dap_wire_is_field(at, end, length_field))
		return false;
	for (at += strlen(length_field); at < end && (*at == ' ' || *at == '\t'); at++)
		;
	while (end > at && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	if (at == end || (size_t)(end - at) >= sizeof digits)
		return false;
	snprintf(digits, sizeof digits, "%.*s", (int)(end - at), at);
	if (strspn(digits, "0123456789") != (size_t)(end - at))
		return false;
	*length = strtoul(digits, NULL, 10);
	return true;
}

static enum greeting dap_wire_greets(const char *bytes, size_t n)
{
	const size_t name = strlen(length_field);
	size_t length;
	if (strncasecmp(bytes, length_field, n < name ? n : name) != 0)
		return GREETING_WRONG;
	const char *end = memmem(bytes, n, "\r\n", 2);
	if (!end)
		return n < 64 ? GREETING_PART : GREETING_WRONG;
	return dap_wire_parse_content_length(bytes, end, &length) ? GREETING_RIGHT : GREETING_WRONG;
}

const struct greeting_rule dap_wire_greeting = {dap_wire_greets,
                                                "expected 'Content-Length: N' and a line's end"};

/* Reads the header at the beginning, if it is complete. False with *why: it is invalid. */
static bool dap_wire_parse_header(struct dap_wire *w, const char **why)
{
	const char *end = w->have ? memmem(w->bytes, w->have, "\r\n\r\n", 4) : NULL;
	if (!end) {
		*why = "a message begins with 'Content-Length: N' and an empty line";
		return w->have <= DAP_HEADER_MAX;
	}
	bool found = false;
	for (const char *line = w->bytes; line < end;) {
		const char *stop = memmem(line, (size_t)(end + 2 - line), "\r\n", 2);
		const bool length = !found && dap_wire_parse_content_length(line, stop, &w->length);
		*why = "a header has one field Content-Length, a number, and no other but "
		       "Content-Type";
		if (!length && !dap_wire_is_field(line, stop, type_field))
			return false;
		found |= length;
		line = stop + 2;
	}
	*why = found ? "a message has at most 4 MiB" : "no Content-Length in the header";
	if (!found || w->length > DAP_MESSAGE_MAX)
		return false;
	w->body = (size_t)(end + 4 - w->bytes);
	return true;
}

/* The end of a text that begins at `at`: its closing quote, or the end of the message. */
static const char *dap_wire_text_end(const char *at, const char *end)
{
	while (at < end && *at != '"')
		at += *at == '\\' && at + 1 < end ? 2 : 1;
	return at;
}

static const char *dap_wire_after_blanks(const char *at, const char *end)
{
	while (at < end && strchr(" \t\r\n", *at))
		at++;
	return at;
}

/* The value of a member "seq" or "command" at `at`; NULL: another type, or not readable. */
static json_t *dap_wire_salvage_value(const char *at, const char *end, bool text)
{
	char digits[24];
	if (text) {
		const char *stop = *at == '"' ? dap_wire_text_end(at + 1, end) : at;
		return stop > at ? json_stringn(at + 1, (size_t)(stop - at - 1)) : NULL;
	}
	const size_t n = strspn(at, "-0123456789");
	if (!n || n >= 20 || strchr(".eE", at[n]))
		return NULL;
	snprintf(digits, sizeof digits, "%.*s", (int)n, at);
	return json_integer(strtoll(digits, NULL, 10));
}

/* The first seq and command of a message that is no valid JSON, so that it can be answered. */
static json_t *dap_wire_salvage(const char *message, size_t n)
{
	json_t *out = json_object();
	char *copy = alloc_text_n(message, n);
	const char *at = copy ? copy : "", *end = at + strlen(at);
	for (unsigned depth = 0; at < end; at++) {
		depth += *at == '{' || *at == '[';
		depth -= *at == '}' || *at == ']';
		if (*at != '"')
			continue;
		const char *name = at + 1;
		at = dap_wire_text_end(name, end);
		const bool seq = at - name == 3 && !memcmp(name, "seq", 3);
		const bool command = at - name == 7 && !memcmp(name, "command", 7);
		if (at == end || depth != 1 || (!seq && !command))
			continue;
		const char *value = dap_wire_after_blanks(at + 1, end);
		const char *key = seq ? "seq" : "command";
		if (*value == ':' && !json_object_get(out, key))
			json_object_set_new(
				out, key,
				dap_wire_salvage_value(dap_wire_after_blanks(value + 1, end), end,
			                               command));
	}
	free(copy);
	return out;
}

enum dap_got dap_wire_get(struct dap_wire *w, bool wait, json_t **out, struct err *err)
{
	const char *why;
	err_set(err, "%s", "");
	do {
		if (!w->body && !dap_wire_parse_header(w, &why))
			return dap_wire_close_with_error(w, err, why);
		if (w->body && w->have >= w->body + w->length)
			break;
		if (!dap_wire_receive_bytes(w, wait) && !w->stream.closed)
			return DAP_NOTHING;
	} while (!w->stream.closed);
	if (!w->body || w->have < w->body + w->length)
		return DAP_CLOSED;
	json_error_t wrong;
	const char *body = w->bytes + w->body;
	const size_t n = w->length;
	*out = json_loadb(body, n, JSON_REJECT_DUPLICATES, &wrong);
	const bool whole = json_is_object(*out);
	if (!whole) {
		if (*out)
			err_set(err, "expected a message that is a JSON object");
		else if (json_error_code(&wrong) == json_error_null_character)
			err_set(err, "unreadable message: expected texts without \\u0000");
		else
			err_set(err, "unreadable message: %s", wrong.text);
		json_decref(*out);
		*out = dap_wire_salvage(body, n);
	}
	w->have -= w->body + n;
	memmove(w->bytes, body + n, w->have);
	w->body = w->length = 0;
	return whole ? DAP_MESSAGE : DAP_DAMAGED;
}

bool dap_wire_put(struct dap_wire *w, json_t *message)
{
	char *text = NULL, *whole = NULL;
	if (message && json_object_set_new(message, "seq", json_integer(w->seq + 1)) == 0)
		text = json_dumps(message, JSON_COMPACT);
	json_decref(message);
	if (text)
		whole = alloc_format("Content-Length: %zu\r\n\r\n%s", strlen(text), text);
	if (whole) {
		w->seq++;
		stream_send(&w->stream, whole, strlen(whole));
	}
	free(text);
	free(whole);
	return whole;
}

void dap_wire_put_lack(struct dap_wire *w, int64_t request, const char *command)
{
	char text[320], whole[sizeof text + 32];
	const int n = snprintf(text, sizeof text,
	                       "{\"seq\":%" PRId64 ",\"type\":\"response\",\"request_seq\":%" PRId64
	                       ",\"success\":false,\"command\":\"%.*s\",\"message\":\"out of "
	                       "memory: the answer is incomplete\"}",
	                       ++w->seq, request,
	                       command ? (int)strspn(command, "abcdefghijklmnopqrstuvwxyz"
	                                                      "ABCDEFGHIJKLMNOPQRSTUVWXYZ") %
	                                         80
	                               : 0,
	                       command ? command : "");
	snprintf(whole, sizeof whole, "Content-Length: %d\r\n\r\n%s", n, text);
	stream_send(&w->stream, whole, strlen(whole));
}
