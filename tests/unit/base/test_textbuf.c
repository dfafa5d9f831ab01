#include <string.h>

#include "core/base/textbuf.h"
#include "tests/cases.h"

TEST(parts_follow_each_other)
{
	char buf[16];
	struct textbuf t = {buf, sizeof buf, 0};
	textbuf_add(&t, "%s", "rob");
	textbuf_add(&t, "[%d]", 12);
	textbuf_add(&t, "%s", "");
	assert_string_equal(buf, "rob[12]");
	assert_int_equal(t.used, 7);
}

/* For every length and split, the part that fits is written, and the byte after the buffer is
 * untouched. */
TEST(what_does_not_fit_is_cut)
{
	static const char all[] = "0123456789";
	for (size_t n = 1; n <= sizeof all; n++) {
		for (int first = 0; first <= 10; first++) {
			char buf[sizeof all + 1];
			memset(buf, '#', sizeof buf);
			struct textbuf t = {buf, n, 0};
			textbuf_add(&t, "%.*s", first, all);
			textbuf_add(&t, "%s", all + first);
			textbuf_add(&t, "%s", "more");
			const size_t fits = n - 1;
			assert_int_equal(t.used, fits);
			assert_memory_equal(buf, all, fits < 10 ? fits : 10);
			assert_int_equal(buf[fits], '\0');
			assert_int_equal(buf[n], '#');
		}
	}
}

TEST(no_room_at_all)
{
	struct textbuf t = {NULL, 0, 0};
	textbuf_add(&t, "%s", "anything");
	assert_int_equal(t.used, 0);
}
