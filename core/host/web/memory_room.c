#include "core/host/memory_room.h"

#include <emscripten/heap.h>

uint64_t host_room_bytes(void)
{
	return emscripten_get_heap_max() - emscripten_get_heap_size();
}
