/* Breakpoints that an editor sets on data: on writes, reads or both. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "ui/dap/breakpoints.h"

/* "0x10440/8" */
static bool parse_data(const char *text, uint64_t *addr, uint64_t *size)
{
	char place[32];
	const char *slash = text ? strchr(text, '/') : NULL;
	if (!slash || (size_t)(slash - text) >= sizeof place)
		return false;
	snprintf(place, sizeof place, "%.*s", (int)(slash - text), text);
	return dap_parse_address(place, addr) && dap_parse_address(slash + 1, size) && *size &&
	       *size <= WATCH_BYTES_MAX && *addr + *size >= *addr;
}

static void data_info(struct dap *d, const json_t *request, const json_t *args)
{
	const char *name = asked_text(args, "name");
	int64_t reference = 0, frame = 0, bytes = 0;
	struct expr_place at = {0};
	struct err err;
	char *text = NULL;
	asked_number(args, "variablesReference", &reference);
	asked_number(args, "frameId", &frame);
	asked_number(args, "bytes", &bytes);
	const struct handle *h = dap_handle_of(d, reference);
	if (!name || (reference && !h) || frame < 0 || frame > INT32_MAX) {
		dap_refuse(d, request,
		           "dataBreakpointInfo: expected a name, and a reference or a "
		           "frame");
		return;
	}
	if (h)
		frame = h->frame;
	text = h && h->kind == HANDLE_PARTS
	               ? alloc_format(*name == '[' ? "(%s)%s" : "(%s).%s", h->text, name)
	               : alloc_text(name);
	bool ok = text && (!h || h->kind <= HANDLE_LOCALS || h->kind == HANDLE_PARTS);
	if (!ok)
		err_set(&err, "%s is not in memory", name);
	if (ok && asked_flag(args, "asAddress")) {
		ok = dap_parse_address(name, &at.addr) ||
		     err_set(&err, "%.40s is no address", name);
		at.size = bytes > 0 ? (uint64_t)bytes : 8;
	} else if (ok && dap_look_at(d, (int)frame, &err)) {
		struct expr *e = expr_compile(d->console->exprs, text, &err);
		ok = e && expr_c_place(e, &at, &err);
		expr_free(e);
		dap_look_away(d);
		if (bytes > 0)
			at.size = (uint64_t)bytes;
	}
	if (ok && (!at.size || at.size > WATCH_BYTES_MAX))
		ok = err_set(&err, "a data breakpoint has 1 to %d bytes", WATCH_BYTES_MAX);
	free(text);
	if (!ok)
		dap_answer(d, request,
		           json_pack("{s:n, s:o}", "dataId", "description",
		                     dap_text(err.msg, strlen(err.msg))));
	else
		dap_answer(d, request,
		           json_pack("{s:o, s:o, s:[sss], s:b}", "dataId",
		                     json_sprintf("0x%" PRIx64 "/%" PRIu64, at.addr, at.size),
		                     "description",
		                     json_sprintf("%s, %" PRIu64 " bytes at 0x%" PRIx64, name,
		                                  at.size, at.addr),
		                     "accessTypes", "write", "read", "readWrite", "canPersist", 0));
}

static void set_data_breakpoints(struct dap *d, const json_t *request, const json_t *args)
{
	const json_t *asked = json_object_get(args, "breakpoints"), *one;
	struct breakpoints old = breakpoints_take(d, BREAKPOINT_DATA, NULL);
	json_t *list = json_array();
	size_t i;
	json_array_foreach(asked, i, one)
	{
		const char *how = asked_text(one, "accessType");
		struct breakpoint b = {.kind = BREAKPOINT_DATA,
		                       .type = !how || !strcmp(how, "write") ? 2
		                               : !strcmp(how, "read")        ? 3
		                                                             : 4};
		struct err err;
		if (parse_data(asked_text(one, "dataId"), &b.addr, &b.size))
			json_array_append_new(list, breakpoints_set(d, &b, one, &old));
		else
			json_array_append_new(
				list, (err_set(&err, "dataId: expected one of dataBreakpointInfo"),
			               breakpoints_refuse(&b, &err)));
	}
	breakpoints_answer(d, request, list, &old);
}

const struct request breakpoints_data_requests[] = {
	{"dataBreakpointInfo", data_info, ANY_TIME, false},
	{"setDataBreakpoints", set_data_breakpoints, ANY_TIME, false},
	{0},
};
