/* The connection to an editor: messages of the Debug Adapter Protocol, a header with Content-Length
 * followed by a JSON object.
 *
 * The peer is not trusted. A message has at most DAP_MESSAGE_MAX bytes. A longer message, or a
 * header with fields other than Content-Length and Content-Type, closes the connection, because the
 * start of the next message is unknown. Other invalid bodies get an answer, even if not a JSON
 * object: their seq and command are returned if readable. */
#ifndef CYCLOPS_UI_DAP_WIRE_H
#define CYCLOPS_UI_DAP_WIRE_H

#include <jansson.h>
#include <stdint.h>

#include "core/base/err.h"
#include "ui/remote/listen.h"
#include "ui/remote/stream.h"

enum { DAP_MESSAGE_MAX = 4 << 20, DAP_HEADER_MAX = 1024 };

struct dap_wire {
	struct stream stream;
	char *bytes; /* owned; [have]; the current message begins at 0 */
	size_t have, room;
	/* body of the first message and its length, once its header is read; else 0 */
	size_t body, length;
	int64_t seq; /* of the last message sent */
};

enum dap_got {
	DAP_MESSAGE, /* *out, owned by the caller */
	DAP_NOTHING, /* not yet */
	/* *err has the reason, *out (owned by the caller) the readable ones of seq and command; the
	 * next message may be valid */
	DAP_DAMAGED,
	DAP_CLOSED   /* *err has the reason, "" if the peer has disconnected */
};

/* Valid beginning of a connection: a header line. HTTP requests do not match. */
extern const struct greeting_rule dap_wire_greeting;

void dap_wire_init(struct dap_wire *w, int in, int out, bool (*give_up)(void));
void dap_wire_deinit(struct dap_wire *w);
/* Reads the next message; wait: blocks until there is one. */
enum dap_got dap_wire_get(struct dap_wire *w, bool wait, json_t **out, struct err *err);
/* Sends an object with the next seq, and takes it over. False, sending nothing, if memory is out or
 * message is NULL. */
bool dap_wire_put(struct dap_wire *w, json_t *message);
/* Refuses a request because memory is out; allocates nothing. */
void dap_wire_put_lack(struct dap_wire *w, int64_t request, const char *command);

#endif
