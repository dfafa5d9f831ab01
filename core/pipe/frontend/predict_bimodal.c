/* bpred.kind=bimodal: a counter for each branch, by address (Smith 1981). */
#include "core/pipe/frontend/predict_tables_warm.h"

PREDICTOR_OF_TABLES(bimodal, "bimodal", SHARED_BIMODAL, TABLES_CONCATENATE)
