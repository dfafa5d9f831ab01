/* bpred.kind=gshare: counters by history xor address (McFarling 1993). */
#include "core/pipe/frontend/predict_tables_warm.h"

PREDICTOR_OF_TABLES(gshare, "gshare", SHARED_TWO_LEVEL, TABLES_XOR)
