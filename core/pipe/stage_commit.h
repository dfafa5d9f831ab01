/* Commit: the oldest complete instructions leave in program order, and with them the machine's only
 * irrevocable effects: committed registers, stores on their way to the cache, system calls, faults, exit. */

static void count_commit(struct machine *m, struct uop *u, unsigned flags)
{
	struct stats *s = m->stats;
	s->insts++;
	if (flags & (OPF_LOAD | OPF_STORE)) {
		s->commit_loads += (flags & OPF_LOAD) != 0;
		s->commit_stores += (flags & OPF_STORE) != 0;
		s->forwards += u->level == LEVEL_FORWARD;
	} else if (flags & OPF_BRANCH) {
		s->commit_branches++;
		s->bpred_dir_hits += !(u->mark.flags & BPM_TAKEN) == !u->taken;
		s->bpred_mispredicts += (u->flags & UF_MISPREDICT) != 0;
	} else if (flags & OPF_JUMP) {
		bool hit = !(u->flags & UF_MISPREDICT);
		s->commit_jumps++;
		s->bpred_mispredicts += !hit;
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
	if (u->op_flags & OPF_SERIAL)
		p->st->cfcsr = p->hart->fcsr;
	else if (u->op_flags & OPF_FP)
		p->st->cfcsr |= u->raised;
	if (u->trap == TRAP_ECALL)
		commit_syscall(m, u);
	else if (u->inst.op == OP_FENCE_I)
		pipe_flush_fetch(m, u->next_pc);
	else if ((u->op_flags & (OPF_BRANCH | OPF_JUMP)) && m->cfg.bpred_update == 1)
		bpred_learn(&p->bpred, u->pc, &u->inst, u->taken || (u->op_flags & OPF_JUMP), u->next_pc, &u->mark);
}

/* Takes the head out of every structure it is in. */
static void retire(struct machine *m, struct uop *u, uint16_t slot)
{
	struct pipe *p = &m->pipe;
	struct pipe_state *st = p->st;
	if (u->inst.rd != REG_SINK) {
		st->creg[u->inst.rd] = u->result;
		if (st->rename[u->inst.rd] == slot)
			st->rename[u->inst.rd] = NO_SLOT;
	}
	if (u->lsq_pos != NO_SLOT) {
		filter_drop(p, u);
		st->lsq_head = (st->lsq_head + 1) & p->lsq_mask;
		st->lsq_count--;
	}
	if (st->serial_slot == slot)
		st->serial_slot = NO_SLOT;
	st->rob_head = (st->rob_head + 1) & p->rob_mask;
	st->rob_count--;
	st->commit_pc = u->next_pc;
	u->state = UOP_RETIRED;
	u->end_cycle = st->cycle;
	st->last_commit_cycle = st->cycle;
}

/* False if the head cannot commit in this cycle. */
static bool commit_head(struct machine *m)
{
	struct pipe *p = &m->pipe;
	struct pipe_state *st = p->st;
	uint64_t now = st->cycle;
	uint16_t slot = p->rob[st->rob_head];
	struct uop *u = pipe_uop(p, slot);
	unsigned flags = u->op_flags;

	if (u->state != UOP_DONE || now < pipe_commit_from(p, u))
		return false;
	if (u->trap != TRAP_NONE && !may_trap(m, u))
		return false;
	if (u->stored) {
		struct access a = hierarchy_store(&p->mem, u->addr, u->size, now);
		if (!a.accepted) {
			m->stats->wbuf_full++;
			return false;
		}
		EMIT(m, STORE, u, u->addr, u->size);
	}
	count_commit(m, u, flags);
	retire(m, u, slot);
	EMIT(m, COMMIT, u, u->result, 0);
	if (!(flags & p->commit_extra))
		return true;
	commit_extra(m, u);
	return st->status == MACHINE_RUNNING;
}

static void stage_commit(struct machine *m)
{
	struct pipe *p = &m->pipe;
	struct stats *s = m->stats;
	uint64_t before = s->insts;
	uint32_t most = p->st->rob_count < p->commit_width ? p->st->rob_count : p->commit_width;
	while (most && commit_head(m))
		most--;
	uint64_t done = s->insts - before;
	s->cpi_base += done;
	if (done < p->commit_width)
		pipe_charge(p, p->commit_width - done);
}
