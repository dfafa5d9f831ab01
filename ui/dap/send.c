/* Messages to an editor: answers, events, text; and the arguments of its requests. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "hwviews/grid/utf8.h"
#include "ui/dap/dap.h"
#include "ui/render/safe_print.h"

enum { OUTPUT_ROOM = 4096, SAID_MAX = 1 << 20 };

/* request_seq is 0 if the request has none. */
static json_t *answer_to(const json_t *request, bool success)
{
	const char *command = asked_text(request, "command");
	return json_pack("{s:s, s:I, s:b, s:s}", "type", "response", "request_seq",
	                 json_integer_value(json_object_get(request, "seq")), "success", success,
	                 "command", command ? command : "");
}

/* Sends an answer; refuses the request if a failed allocation has left the answer incomplete. */
static void dap_send_response(struct dap *d, const json_t *request, json_t *answer)
{
	if (alloc_failed())
		json_decref(answer);
	else if (dap_wire_put(d->wire, answer))
		return;
	/* dap_event() closed it: the end of the connection reports the lack */
	if (d->wire->stream.closed)
		return;
	alloc_settle(false, NULL);
	dap_wire_put_lack(d->wire, json_integer_value(json_object_get(request, "seq")),
	                  asked_text(request, "command"));
}

void dap_answer(struct dap *d, const json_t *request, json_t *body)
{
	json_t *answer = answer_to(request, true);
	if (body)
		json_object_set_new(answer, "body", body);
	dap_send_response(d, request, answer);
}

void dap_refuse(struct dap *d, const json_t *request, const char *fmt, ...)
{
	char text[1024];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	json_t *answer = answer_to(request, false);
	json_object_set_new(answer, "message", dap_text(text, strlen(text)));
	json_object_set_new(answer, "body",
	                    json_pack("{s:{s:i, s:o, s:b}}", "error", "id", 1, "format",
	                              dap_text(text, strlen(text)), "showUser", 1));
	dap_send_response(d, request, answer);
}

void dap_event(struct dap *d, const char *event, json_t *body)
{
	json_t *message = json_pack("{s:s, s:s}", "type", "event", "event", event);
	if (body)
		json_object_set_new(message, "body", body);
	if (!d->wire)
		json_decref(message);
	else if (!dap_wire_put(d->wire, message))
		d->wire->stream.closed = true; /* an editor must not miss one */
}

json_t *dap_text(const char *text, size_t n)
{
	json_t *whole = json_stringn(text, n);
	if (whole)
		return whole;
	/* Invalid UTF-8 becomes U+FFFD, three bytes for one. */
	char *clean = alloc_bytes(3 * n + 1);
	size_t used = 0;
	for (size_t i = 0; clean && i < n;) {
		uint32_t code;
		const size_t took = utf8_decode(text + i, n - i, &code);
		if (code == 0xfffd && took == 1)
			memcpy(clean + used, "\xef\xbf\xbd", 3);
		else
			memcpy(clean + used, text + i, took);
		used += code == 0xfffd && took == 1 ? 3 : took;
		i += took;
	}
	whole = clean ? json_stringn(clean, used) : NULL;
	free(clean);
	return whole ? whole : json_string("");
}

json_t *dap_address(uint64_t addr)
{
	return json_sprintf("0x%" PRIx64, addr);
}

void dap_say(struct dap *d, const char *category, const char *text, size_t n)
{
	dap_flush(d, true);
	if (d->wire)
		dap_event(
			d, "output",
			json_pack("{s:s, s:o}", "category", category, "output", dap_text(text, n)));
	else
		say_text(stderr, text, n);
}

/* ---- the program's output ---- */
/* Number of last bytes that are an incomplete character. */
static size_t cut_short(const char *text, size_t n)
{
	for (size_t back = 1; back <= 3 && back <= n; back++) {
		const unsigned char c = (unsigned char)text[n - back];
		if (c < 0x80)
			return 0;
		if (c >= 0xc0)
			return back < (c >= 0xf0 ? 4U : c >= 0xe0 ? 3U : 2U) ? back : 0;
	}
	return 0;
}

void dap_flush(struct dap *d, bool all)
{
	for (int fd = 1; fd <= 2; fd++) {
		const size_t rest = all ? 0 : cut_short(d->output[fd], d->output_n[fd]);
		const size_t n = d->output_n[fd] - rest;
		if (!n)
			continue;
		dap_event(d, "output",
		          json_pack("{s:s, s:o}", "category", fd == 2 ? "stderr" : "stdout",
		                    "output", dap_text(d->output[fd], n)));
		memmove(d->output[fd], d->output[fd] + n, rest);
		d->output_n[fd] = rest;
	}
}

void dap_output(void *ctx, int fd, const void *bytes, size_t n)
{
	struct dap *d = ctx;
	const int to = fd == 2 ? 2 : 1;
	const char *from = bytes;
	if (!d->wire) {
		say_output(stderr, bytes, n);
		return;
	}
	/* Keep the order: the other stream's pending output came first. */
	if (d->output_n[3 - to])
		dap_flush(d, false);
	while (n) {
		const size_t room = OUTPUT_ROOM - d->output_n[to], piece = n < room ? n : room;
		memcpy(d->output[to] + d->output_n[to], from, piece);
		d->output_n[to] += piece;
		from += piece;
		n -= piece;
		if (d->output_n[to] == OUTPUT_ROOM)
			dap_flush(d, false);
	}
}

void dap_console(void *ctx, const char *text, size_t n)
{
	struct dap *d = ctx;
	if (d->m.quiet)
		return;
	if (!d->listens) {
		dap_say(d, "console", text, n);
		return;
	}
	if (d->said_n + n > SAID_MAX)
		n = SAID_MAX - d->said_n;
	if (d->said_n + n > d->said_room) {
		const size_t room = 2 * (d->said_n + n) + 4096;
		char *more = alloc_resize(d->said, room);
		if (!more)
			return;
		d->said = more;
		d->said_room = room;
	}
	memcpy(d->said + d->said_n, text, n);
	d->said_n += n;
}

/* ---- arguments ---- */
const char *asked_text(const json_t *args, const char *name)
{
	return json_string_value(json_object_get(args, name));
}

bool asked_number(const json_t *args, const char *name, int64_t *out)
{
	const json_t *v = json_object_get(args, name);
	if (!json_is_integer(v))
		return false;
	*out = json_integer_value(v);
	return true;
}

bool asked_flag(const json_t *args, const char *name)
{
	return json_is_true(json_object_get(args, name));
}

bool dap_parse_address(const char *text, uint64_t *out)
{
	char *end;
	if (!text || !*text || strspn(text, "0123456789abcdefABCDEFxX") != strlen(text))
		return false;
	errno = 0;
	*out = strtoull(text, &end, 0);
	return !*end && !errno;
}
