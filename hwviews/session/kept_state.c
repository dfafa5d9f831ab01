#include "hwviews/session/kept_state.h"

#include <stdlib.h>
#include <string.h>

#include "core/os/journal.h"
#include "core/os/os.h"
#include "core/prof/common/attachment.h"
#include "core/run/trial.h"

void kept_state_drop(struct kept_state *k)
{
	snapshot_free(k->state);
	free(k->journal);
	free(k->output);
	free(k->files);
	*k = (struct kept_state){.state = NULL};
}

bool kept_state_take(struct kept_state *k, const struct session *s, struct err *err)
{
	struct machine *m = s->machine;
	const struct os *os = machine_os_const(m);
	struct run_history h;
	run_history(s->run, &h);
	*k = (struct kept_state){
		.of = m, .cfg = *machine_config(m), .cycle = machine_cycle(m), .cuts = h.cuts};
	k->state = machine_snapshot(m);
	os_save_journal(os, false, &k->journal, &k->journal_n);
	os_save_output(os, &k->output, &k->output_n);
	os_save_files(os, &k->files, &k->files_n);
	if (k->state && k->journal && k->output && k->files)
		return true;
	kept_state_drop(k);
	os_save_failed(os, "a snapshot", err);
	return false;
}

bool kept_state_serves(const struct kept_state *k, const struct session *s)
{
	return k->of == s->machine && !memcmp(&k->cfg, machine_config(s->machine), sizeof k->cfg) &&
	       snapshot_serves(k->state, s->machine);
}

static enum kept_way kept_state_way(const struct kept_state *k, const struct session *s)
{
	struct run_history h;
	run_history(s->run, &h);
	const uint64_t cut = trial_first_cut(s->run, k->cuts);
	if (!s->history.history || k->cycle < h.first_cycle || cut < h.first_cycle)
		return KEPT_ALONE;
	if (cut > k->cycle)
		return KEPT_VISITED;
	return k->cycle > h.first_cycle && cut == k->cycle ? KEPT_UNDONE : KEPT_REVIVED;
}

bool kept_state_return(const struct kept_state *k, struct session *s, enum kept_way *way,
                       struct err *err)
{
	struct run_stop_info info;
	*way = kept_state_way(k, s);
	if (*way == KEPT_VISITED)
		return run_goto_cycle(s->run, k->cycle, &info, err) &&
		       (info.reason == STOPPED_DONE || err_set(err, "interrupted"));
	if (*way == KEPT_UNDONE) {
		trial_undo(s->run, k->state);
		s->selected_seq = 0;
		return true;
	}
	if (!machine_revive(s->machine, k->state, k->journal, k->journal_n, err))
		return false;
	os_load_output(machine_os(s->machine), k->output, k->output_n);
	os_load_files(machine_os(s->machine), k->files, k->files_n);
	if (*way == KEPT_REVIVED)
		trial_revived(s->run, trial_first_cut(s->run, k->cuts));
	else
		run_reset(s->run, s->machine);
	s->selected_seq = 0;
	return true;
}
