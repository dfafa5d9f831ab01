/* Temporary registers for inserted code: for any live and kept registers, the saved ones do not
 * occur in unwind tables. */
#include "loader/edit/writer.h"
#include "tests/cases.h"

#include <stdint.h>

#define KEPT_FOR_CALLERS UINT32_C(0x0ffc0302)

TEST(none_of_callers)
{
	static struct writer w;
	(void)state;
	for (unsigned a = 1; a < 32; a++)
		for (unsigned b = a; b < 32; b++)
			for (unsigned c = b; c < 32; c++)
				for (unsigned count = 1; count <= WRITER_TEMPORARIES; count++)
					for (unsigned live = 0; live < 2; live++) {
						const uint32_t keep = UINT32_C(1) << a |
						                      UINT32_C(1) << b |
						                      UINT32_C(1) << c;
						/* Live registers: all, or only those that calls
						 * preserve.
						 */
						const uint32_t matter =
							live ? UINT32_MAX
							     : KEPT_FOR_CALLERS | 1 << 2 | 1 << 3 |
									1 << 4;
						w.type = -1;
						writer_begin_with(&w, count, matter, keep);
						for (unsigned i = 0; i < count; i++)
							assert_false((keep | 1 << 2) >>
							                     w.temporary[i] &
							             1);
						for (unsigned i = 0; i < w.saves; i++)
							assert_false(
								KEPT_FOR_CALLERS >> w.saved[i] & 1);
						assert_int_equal(w.saves, live ? count : 0);
					}
}
