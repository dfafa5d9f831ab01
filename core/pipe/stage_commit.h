/* Commit: the oldest complete instructions leave in program order, and with them the machine's only
 * irrevocable effects: committed registers, stores on their way to the cache, system calls, faults, exit. */

static inline void count_commit(struct stats *s, const struct uop *u, unsigned flags)
{
	if (flags & OPF_MEMORY) {
		s->commit_loads += flags & OPF_LOAD ? 1 : 0;
		s->commit_stores += flags & OPF_STORE ? 1 : 0;
		s->forwards += u->level == LEVEL_FORWARD;
	} else if (flags & OPF_CONTROL) {
		bool hit = !(u->flags & UF_MISPREDICT);
		s->bpred_mispredicts += !hit;
		if (flags & OPF_BRANCH) {
			s->commit_branches++;
			s->bpred_dir_hits += !(u->mark.flags & BPM_TAKEN) == !u->taken;
			return;
		}
		s->commit_jumps++;
		if (!(flags & OPF_INDIRECT))
			return;
		s->commit_indirect++;
		s->bpred_ind_hits += hit;
		if (inst_pops_ras(&u->inst)) {
			s->commit_returns++;
			s->ras_hits += hit && (u->mark.flags & BPM_FROM_RAS);
		}
	}
}

static void raise_fault(struct machine *m, const struct uop *u)
{
	struct pipe_state *st = m->pipe.st;
	st->status = MACHINE_FAULTED;
	st->fault = (struct fault){
		.trap = (enum trap)u->trap, .pc = u->pc, .addr = u->addr, .inst = u->inst};
	st->exit_status = 128 + trap_signal((enum trap)u->trap);
	EMIT(m, FAULT, u, u->trap, u->addr);
}

/* The system call was served just before this cycle; its effects become committed state. */
static void commit_syscall(struct machine *m, struct uop *u)
{
	struct pipe_state *st = m->pipe.st;
	const struct os_state *os = os_state_const(m->os);
	m->stats->syscalls++;
	st->creg[REG_A0] = u->result;
	EMIT(m, SYSCALL, u, m->pipe.hart->r[REG_A7], u->result);
	if (os_syscall_fences(m->pipe.hart->r[REG_A7]))
		pipe_flush_fetch(m, u->next_pc);
	if (os->exited) {
		st->status = MACHINE_EXITED;
		st->exit_status = os->exit_status;
		EMIT(m, EXIT, u, (uint64_t)(uint32_t)os->exit_status, 0);
	} else if (os->killed_by) {
		st->status = MACHINE_KILLED;
		st->exit_status = 128 + os->killed_by;
		EMIT(m, EXIT, u, (uint64_t)(uint32_t)st->exit_status, 0);
	}
}

/* True if the head, which traps, may commit nevertheless: a system call that has been served. A fault ends the
 * program here. */
static bool may_trap(struct machine *m, const struct uop *u)
{
	if (u->trap == TRAP_ECALL)
		return u->flags & UF_SERVED;
	raise_fault(m, u);
	return false;
}

/* What only some instructions do when they commit. */
static void commit_extra(struct machine *m, struct uop *u)
{
	struct pipe *p = &m->pipe;
	if (u->op_flags & OPF_SERIAL) {
		p->st->cfcsr = p->hart->fcsr;
		p->st->serial_slot = NO_SLOT; /* it is the only one in the window */
	} else if (u->op_flags & OPF_FP) {
		p->st->cfcsr |= u->raised;
	}
	if (u->trap == TRAP_ECALL)
		commit_syscall(m, u);
	else if (u->inst.op == OP_FENCE_I)
		pipe_flush_fetch(m, u->next_pc);
	else if ((u->op_flags & OPF_CONTROL) && m->cfg.bpred_update == 1)
		bpred_learn(&p->bpred, u->pc, &u->inst, u->taken || (u->op_flags & OPF_JUMP), u->next_pc, &u->mark);
}

/* Takes the head out of every structure but the reorder buffer. */
static inline void retire(struct pipe *p, struct uop *u, uint16_t slot)
{
	struct pipe_state *st = p->st;
	unsigned rd = u->inst.rd;
	if (rd != REG_SINK) {
		st->creg[rd] = u->result;
		if (st->rename[rd] == slot)
			st->rename[rd] = NO_SLOT;
	}
	if (is_memory(u)) {
		filter_drop(p, u);
		st->lsq_head = (st->lsq_head + 1) & p->lsq_mask;
		st->lsq_count--;
	}
	u->state = UOP_RETIRED;
	u->end_cycle = st->cycle;
}

/* True if the head has to wait: for its result, for the write buffer, or for good if it faults. */
static inline bool head_waits(struct machine *m, const struct uop *u, uint64_t now)
{
	if (u->state != UOP_DONE || now < pipe_commit_from(&m->pipe, u))
		return true;
	if (u->trap != TRAP_NONE && !may_trap(m, u))
		return true;
	if (!u->stored)
		return false;
	struct access a = hierarchy_store(&m->pipe.mem, u->addr, u->size, now);
	if (!a.accepted) {
		m->stats->wbuf_full++;
		return true;
	}
	EMIT(m, STORE, u, u->addr, u->size);
	return false;
}

static void stage_commit(struct machine *m)
{
	struct pipe *p = &m->pipe;
	struct pipe_state *st = p->st;
	struct stats *s = m->stats;
	uint64_t now = st->cycle;
	uint32_t most = st->rob_count < p->commit_width ? st->rob_count : p->commit_width;
	uint32_t done = 0;
	while (done < most) {
		uint16_t slot = p->rob[st->rob_head];
		struct uop *u = pipe_uop(p, slot);
		unsigned flags = u->op_flags;
		if (head_waits(m, u, now))
			break;
		done++;
		count_commit(s, u, flags);
		retire(p, u, slot);
		st->rob_head = (st->rob_head + 1) & p->rob_mask;
		st->rob_count--;
		st->commit_pc = u->next_pc;
		EMIT(m, COMMIT, u, u->result, 0);
		if (!(flags & p->commit_extra))
			continue;
		commit_extra(m, u);
		if (st->status != MACHINE_RUNNING)
			break;
	}
	if (done)
		st->last_commit_cycle = now;
	s->insts += done;
	s->cpi_base += done;
	if (done < p->commit_width)
		pipe_charge(p, p->commit_width - done);
}
