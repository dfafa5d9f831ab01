/* bpred.kind=combined: bimodal and twolevel, and a chooser of the one that is right more often
 * (McFarling 1993), as in SimpleScalar. */
#include "core/pipe/frontend/predict_tables_warm.h"

PREDICTOR_OF_TABLES(combined, "combined", TABLES_COMBINED, TABLES_CONCATENATE)
