#include "core/pipe/new_code.h"

#include "core/pipe/pipe.h"
#include "core/pipe/xprof/xprof.h"
#include "core/prof/common/prof.h"

bool pipe_new_code(struct pipe *p, const struct uop *u)
{
	if (!p->hart->new_code)
		return false;
	p->hart->new_code = 0;
	xprof_new_code(p, u);
	prof_new_code(p->prof);
	return true;
}

void pipe_code_written(struct pipe *p, uint64_t at, size_t n)
{
	xprof_code_written(p, at, n);
	prof_new_code(p->prof);
}
