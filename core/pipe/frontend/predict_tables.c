#include "core/pipe/frontend/predict_tables.h"

void tables_undo(struct bpred *b, const struct bpred_mark *mark)
{
	b->bimodal[mark->bimodal] = mark->flags >> BPM_BIMODAL_SHIFT & 3;
	b->l2[mark->l2] = mark->flags >> BPM_L2_SHIFT & 3;
	b->meta[mark->meta] = mark->flags >> BPM_META_SHIFT & 3;
}

unsigned tables_parts(const struct bpred *b, const struct bpred_mark *mark,
                      struct predictor_part out[PREDICTOR_PARTS_MAX])
{
	const unsigned uses = b->by->shared;
	const bool second = mark->flags & BPM_USED_L2;
	const struct predictor_part bimodal =
					    {
						    .name = "bimodal",
						    .title = "bimodal",
						    .noun = "bimodal counter",
						    .value = b->bimodal[mark->bimodal],
						    .says = mark->flags & BPM_BIMODAL_TAKEN
	                                                            ? PART_TAKEN
	                                                            : PART_NOT_TAKEN,
					    },
				    two_level = {
					    .name = "two_level",
					    .title = "two-level",
					    .noun = "two-level counter",
					    .value = b->l2[mark->l2],
					    .says = mark->flags & BPM_L2_TAKEN ? PART_TAKEN
	                                                                       : PART_NOT_TAKEN,
					    .by_history = true,
				    };
	if (!(uses & SHARED_CHOOSER)) {
		out[0] = uses & SHARED_TWO_LEVEL ? two_level : bimodal;
		return 1;
	}
	out[0] = second ? two_level : bimodal;
	out[1] = second ? bimodal : two_level;
	out[2] = (struct predictor_part){
		.name = "chooser",
		.title = "chooser",
		.noun = "chooser",
		.value = b->meta[mark->meta],
		.chosen = out[0].title,
	};
	return 3;
}
