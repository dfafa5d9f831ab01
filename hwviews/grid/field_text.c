#include "hwviews/grid/field_text.h"

#include <inttypes.h>
#include <stdio.h>

#include "core/isa/op.h"
#include "core/os/os.h"
#include "core/pipe/xprof/bdt.h"
#include "core/prof/cop/cop.h"
#include "core/prof/sampler/compressor.h"
#include "core/prof/sampler/sampler.h"
#include "core/prof/values/vsample.h"
#include "hwviews/session/place_text.h"
#include "hwviews/why/why_text.h"

static const char *const level_words[LEVEL_COUNT] = {
	[LEVEL_NONE] = "none", [LEVEL_FORWARD] = "forward", [LEVEL_BUFFER] = "buffer",
	[LEVEL_L1] = "l1",     [LEVEL_L2] = "l2",           [LEVEL_MEMORY] = "memory"};

/* The name of a word of this type; NULL: print the number itself. */
static const char *field_text_word_name(enum field_type type, uint64_t word)
{
	switch (type) {
	case FIELD_OP:
		return word < OP_ALL ? op_info[word].mnemonic : NULL;
	case FIELD_REG:
		return word < REG_COUNT ? reg_name((unsigned)word) : NULL;
	case FIELD_STATE:
		return word < UOP_STATE_COUNT ? uop_state_info[word].name : NULL;
	case FIELD_LEVEL:
		return word < LEVEL_COUNT ? level_words[word] : NULL;
	case FIELD_POOL:
		return word < FU_POOL_COUNT ? fu_pool_name[word] : "none";
	case FIELD_TRAP:
		return word == TRAP_NONE ? "none" : trap_name((enum trap)word);
	case FIELD_BDT_ACTION:
		return word < BDT_ACTION_COUNT ? bdt_action_name[word] : NULL;
	case FIELD_TUPLE_KIND:
		return word < TUPLE_KIND_COUNT ? tuple_kind_name[word] : NULL;
	case FIELD_COMPRESS_ACT:
		return word < ACT_COUNT ? component_act_name[word] : NULL;
	case FIELD_INST_KIND:
		return word < INST_KIND_COUNT ? inst_kind_name[word] : NULL;
	case FIELD_COP_STEP:
		return word < COP_STEP_COUNT ? cop_step_name[word] : NULL;
	case FIELD_MICRO_FAULT:
		return word < MICRO_FAULT_COUNT ? micro_fault_name[word] : NULL;
	case FIELD_VSAMPLE_STOP:
		return word < VSAMPLE_STOP_COUNT ? vsample_stop_name[word] : NULL;
	case FIELD_REPLAY:
		return word < REPLAY_COUNT ? replay_name[word] : NULL;
	case FIELD_SYSCALL:
		return os_syscall_name(word);
	case FIELD_SIGNAL:
		return word ? os_signal_name(word) : "none";
	case FIELD_WHY:
		return word < WHY_COUNT ? why_words((enum why_id)word) : NULL;
	default:
		return NULL;
	}
}

struct field_value field_value(enum field_type type, uint64_t word)
{
	const char *name = field_text_word_name(type, word);
	if (name)
		return (struct field_value){FIELD_IS_TEXT, word, name};
	if (type == FIELD_FLAG)
		return (struct field_value){FIELD_IS_BOOL, word != 0, NULL};
	return (struct field_value){FIELD_IS_INT, word, NULL};
}

char *field_text(const struct session *s, enum field_type type, uint64_t word, char *buf, size_t n)
{
	struct field_value v = field_value(type, word);
	char place[128];
	if (v.kind == FIELD_IS_TEXT) {
		snprintf(buf, n, "%s", v.text);
	} else if (v.kind == FIELD_IS_BOOL) {
		snprintf(buf, n, "%s", v.word ? "true" : "false");
	} else if (type == FIELD_PC) {
		format_addr(s, word, buf, n);
	} else if (type == FIELD_ADDRESS) {
		format_place(s, word, place, sizeof place);
		snprintf(buf, n, *place ? "0x%" PRIx64 " (%s)" : "0x%" PRIx64, word, place);
	} else if (type == FIELD_VALUE) {
		snprintf(buf, n, "0x%" PRIx64, word);
	} else if (type == FIELD_SEQ) {
		snprintf(buf, n, "#%" PRIu64, word);
	} else if ((int64_t)word < 0) {
		snprintf(buf, n, "%" PRId64, (int64_t)word);
	} else {
		snprintf(buf, n, "%s", GROUPED(word));
	}
	return buf;
}

char *field_text_of_event(const struct session *s, const struct event *ev, char *buf, size_t n)
{
	const struct event_info *info = &event_info[ev->id];
	char text[160];
	size_t used = 0;
	buf[0] = '\0';
	for (unsigned i = 0; i < info->field_count && used < n; i++) {
		field_text(s, info->fields[i].type, ev->word[i], text, sizeof text);
		int k = snprintf(buf + used, n - used, "%s%s %s", i ? ", " : "",
		                 info->fields[i].name, text);
		used += k > 0 ? (size_t)k : 0;
	}
	return buf;
}
