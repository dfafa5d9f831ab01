/* Steele, Lea and Flood's SplitMix. */
#include <stddef.h>

#include "tests/timing/fill_model.h"

static int model_random_victim(struct model_set *s)
{
	s->seed += 0x9e3779b97f4a7c15;
	uint64_t z = s->seed;
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return (int)((z ^ (z >> 31)) % MODEL_WAYS);
}

const struct replacement_model model_random = {model_random_victim, NULL, NULL};
