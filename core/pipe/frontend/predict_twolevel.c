/* bpred.kind=twolevel: counters by address and the latest outcomes, of all branches or, with
 * several histories, of those that share one (Yeh and Patt 1991). */
#include "core/pipe/frontend/predict_tables_warm.h"

PREDICTOR_OF_TABLES(twolevel, "two-level", SHARED_TWO_LEVEL, TABLES_CONCATENATE)
