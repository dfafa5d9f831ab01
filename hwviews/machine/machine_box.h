/* State of each part of the machine: a box of `view machine`. */
#ifndef CYCLOPS_HWVIEWS_MACHINE_MACHINE_BOX_H
#define CYCLOPS_HWVIEWS_MACHINE_MACHINE_BOX_H

#include "hwviews/session/view_text.h"

/*  id, name, the view that the box opens, kind */
#define MACHINE_BOXES(B) \
	B(FETCH, "fetch", "source", STAGE) \
	B(L1I, "L1I", "l1i", STORE) \
	B(ITLB, "ITLB", "tlb", STORE) \
	B(BPRED, "predictor", "bpred", OTHER) \
	B(BTB, "BTB", "btb", STORE) \
	B(RAS, "return stack", "ras", STORE) \
	B(FETCHQ, "fetch queue", "fetchq", QUEUE) \
	B(DECODE, "decode", "rename", STAGE) \
	B(ROB, "reorder buffer", "rob", QUEUE) \
	B(IQ, "issue queue", "iq", QUEUE) \
	B(IF, "IF", "fetchq", TEXTBOOK) \
	B(ID, "ID", "iq", TEXTBOOK) \
	B(EX, "EX", "fu", TEXTBOOK) \
	B(MEM, "MEM", "lsq", TEXTBOOK) \
	B(WB, "WB", "regs", TEXTBOOK) \
	B(MEM_EX, "MEM to EX", "pipe", PATH) \
	B(WB_EX, "WB to EX", "pipe", PATH) \
	B(WB_MEM, "WB to MEM", "pipe", PATH) \
	B(INT, "int", "fu", UNITS) \
	B(IMULDIV, "imuldiv", "fu", UNITS) \
	B(FADD, "fadd", "fu", UNITS) \
	B(FMULDIV, "fmuldiv", "fu", UNITS) \
	B(MEMPORT, "mem", "fu", UNITS) \
	B(DIV, "div", "fu", UNITS) \
	B(LSQ, "load/store queue", "lsq", QUEUE) \
	B(WBUF, "write buffer", "mshr", QUEUE) \
	B(DTLB, "DTLB", "tlb", STORE) \
	B(L1D, "L1D", "l1d", STORE) \
	B(MSHR, "miss registers", "mshr", QUEUE) \
	B(L2, "L2", "l2", STORE) \
	B(BUS, "bus", "mshr", QUEUE) \
	B(MEMORY, "memory", "mshr", OTHER) \
	B(PFLAG, "profile flags", "pflag", STORE) \
	B(BDT, "block table", "bdt", STORE) \
	B(FIRMWARE, "firmware", "firmware", DEVICE) \
	B(SAMPLER, "sampler", "compressor", DEVICE) \
	B(COP, "co-processor", "cop", DEVICE) \
	B(VSAMPLE, "value sampler", "vsample", DEVICE) \
	B(PROFILEME, "ProfileMe", "profile", DEVICE) \
	B(ORACLE, "oracle", "oracle", DEVICE)

enum machine_box_id {
#define B(id, name, view, kind) BOX_##id,
	MACHINE_BOXES(B)
#undef B
	BOX_COUNT
};

enum box_kind {
	BOX_STAGE,    /* holds instructions that passed in the cycle just done */
	BOX_QUEUE,    /* full is bad */
	BOX_STORE,    /* full is usual */
	BOX_UNITS,
	/* a stage of a five-stage pipeline: holds its instructions of the cycle just done */
	BOX_TEXTBOOK,
	BOX_PATH,     /* forwarding path: holds the operands forwarded in the cycle just done */
	BOX_DEVICE,
	BOX_OTHER
};

struct machine_box {
	bool there;             /* this machine has it */
	const char *name, *view;
	enum box_kind kind;
	bool counted;           /* held is valid */
	uint64_t held, size;    /* size 0: no limit */
	uint64_t busy;          /* active entries of those held */
	int64_t latency;        /* cycles; -1: none */
	char about[40];         /* "64 KB, 2-way"; a device's purpose */
	char stalled[96];       /* why the oldest, or the box itself, stalls; "": it doesn't */
	bool waits;             /* the stall costs time, or may */
	uint64_t lost;          /* dispatch slots lost to it in the cycle just done */
	const struct uop *oldest; /* borrowed; NULL: none */
	unsigned operand;       /* of a path: the register forwarded to the oldest */
};

struct machine_boxes {
	struct machine_box box[BOX_COUNT];
	/* five stages of one instruction each: has boxes IF to WB, but no queues */
	bool textbook;
	/* dispatch slots of the cycle just done; `lost`: slots lost to the box `blamed` */
	uint64_t slots, lost;
	enum machine_box_id blamed; /* BOX_COUNT: none lost */
	/* Instructions that moved in the cycle just done. */
	unsigned fetched, dispatched, issued, asked_memory;
	unsigned entered[BOX_WB - BOX_IF + 1]; /* for a five-stage pipeline */
};

void machine_boxes_read(const struct session *s, struct machine_boxes *m);

/* The i-th oldest instruction of a queue; NULL if there is none. */
const struct uop *machine_box_inst(const struct pipe *p, enum machine_box_id id, unsigned i);

/* The oldest instruction executing on a unit, and the number after it in the unit's pipeline. */
struct unit_tenants {
	const struct uop *first;
	unsigned others;
};

struct unit_tenants unit_tenants(const struct pipe *p, unsigned pool, unsigned unit);
void machine_units_read(struct machine_boxes *m, const struct pipe *p);
/* The mark of a unit: full, executing with room, or idle. */
const char *machine_unit_mark(const struct pipe *p, enum machine_box_id id, unsigned unit);

/* A reason of waiting in `room` cells: "reorder buffer full" is "ROB full" where the whole would
 * lose its last word. Returns the reason, or buf (n bytes). */
const char *machine_brief_reason(const char *reason, unsigned room, char *buf, size_t n);

bool machine_is_textbook(const struct pipe *p);
/* Replaces fetch, queues and decode by the five stages. Call after reading all other boxes. */
void machine_textbook_read(struct machine_boxes *m, const struct pipe *p);

#endif
