/* The connection to an editor: messages of the Debug Adapter Protocol, a header with Content-Length
 * and a JSON object behind it.
 *
 * The peer may be anybody. A message has at most DAP_MESSAGE_MAX bytes; what is longer, or has a
 * header with other fields than Content-Length and Content-Type, closes the connection, for nobody
 * knows where the next would begin. What has
 * the right length and is no JSON object is told of, and passed over. */
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
	char *bytes; /* owned; [have], of which a message begins at 0 */
	size_t have, room;
	size_t body, length; /* of the message at the beginning, once its header is read; else 0 */
	int64_t seq;         /* of the last message sent */
};

enum dap_got {
	DAP_MESSAGE, /* *out, owned by the caller */
	DAP_NOTHING, /* not yet */
	DAP_DAMAGED, /* *err says what is wrong; the next one may be right */
	DAP_CLOSED   /* *err says why, "" if the peer has gone */
};

/* How a connection begins: with the line of a header. No line of HTTP does. */
extern const struct greeting_rule dap_wire_greeting;

void dap_wire_init(struct dap_wire *w, int in, int out, bool (*give_up)(void));
void dap_wire_deinit(struct dap_wire *w);
/* The next message; wait: however long it takes. */
enum dap_got dap_wire_get(struct dap_wire *w, bool wait, json_t **out, struct err *err);
/* Sends an object, which it takes over, with the next seq. False, and nothing is sent: memory is
 * out, as of a message that is NULL. */
bool dap_wire_put(struct dap_wire *w, json_t *message);
/* Refuses a request because memory is out; asks for none. */
void dap_wire_put_lack(struct dap_wire *w, int64_t request, const char *command);

#endif
