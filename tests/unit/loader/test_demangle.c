/* Names of C++ and Rust: demangling, the parts of a name, and the functions that a typed name
 * selects. */
#include <stdlib.h>

#include "loader/demangle.h"
#include "tests/unit/loader/loader_fixture.h"

TEST(names_are_written_out)
{
	static const char *const pairs[][2] = {
		{"_ZN3geo3sumEii", "geo::sum(int, int)"},
		{"_ZNK5Shape4areaEv", "Shape::area() const"},
		/* without the result type, as in a call */
		{"_ZN3geo5twiceIiEET_S1_", "geo::twice<int>(int)"},
		{"_ZN3geo3sumEii.constprop.0", "geo::sum(int, int) [clone .constprop.0]"},
		{"_ZNSolsEi@plt", "std::ostream::operator<<(int)@plt"},
		{"_ZTV5Shape", "vtable for Shape"},
		/* Rust's old and new mangling */
		{"_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE", "core::fmt::Write::write_fmt"},
		{"_RNvCs1234_7mycrate3foo", "mycrate::foo"},
		{"_RNvMs_NtCs1234_4core3strNtB4_3Str5parse", "<core::str::Str>::parse"},
		{"_RINvCs1234_7mycrate3addmE", "mycrate::add::<u32>"},
	};
	char buf[DEMANGLED_MAX];
	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
		const char *is = demangle(pairs[i][0], buf);
		if (!is || strcmp(is, pairs[i][1]) != 0)
			fail_msg("%s: %s", pairs[i][0], is ? is : "nothing");
	}
	assert_null(demangle("main", buf));
	assert_null(demangle("_start", buf));
	assert_null(demangle("_Z", buf));
	assert_null(demangle("_ZN3ge", buf));
}

/* Each argument is a pair of the argument before: some 2^60 characters. */
TEST(what_would_be_long_stays)
{
	char name[1024] = "_Z1f1aSt4pairIS_S_E", buf[DEMANGLED_MAX];
	for (int i = 0; i < 30; i++)
		snprintf(name + strlen(name), sizeof name - strlen(name), "S0_IS%c_S%c_E",
		         "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[i + 1],
		         "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[i + 1]);
	assert_null(demangle(name, buf));
	memset(name, 'P', sizeof name);
	memcpy(name, "_Z1f", 4);
	strcpy(name + sizeof name - 2, "i");
	char *is = demangle(name, buf);
	assert_true(!is || strlen(is) < DEMANGLED_MAX);
}

TEST(test_demangle_stems)
{
	/* a `|` stands after the stem */
	static const char *const names[] = {
		"main|",
		"geo::sum|(int, int)",
		"Shape::area|() const",
		"(anonymous namespace)::bump|(int)",
		"geo::Point::operator()|(int)",
		"geo::Point::operator<|(geo::Point const&) const",
		"geo::Point::operator-><int>|(int)",
		"std::function<int (int, int)>::operator()|(int, int) const",
		"main::{lambda(int)#1}::operator()|(int) const",
		"f(int)::counter|",
		"f(int) const::Local::g|(char)",
		"f|() [clone .cold]",
		"g| [clone .cold]",
		"operator new|(unsigned long)",
		"operators|(int)",
		"std::ostream::operator<<|(int)@plt",
		"qsort|@plt",
		"f(|",
		"<core::str::Str>::parse|",
		"vtable for Shape|",
	};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		char name[128], *bar;
		strcpy(name, names[i]);
		bar = strchr(name, '|');
		const size_t at = (size_t)(bar - name);
		memmove(bar, bar + 1, strlen(bar));
		if (!strcmp(name, "f("))
			continue; /* arbitrary names end, too */
		if (name_stem(name) != at)
			fail_msg("%s: %zu, not %zu", name, name_stem(name), at);
	}
	assert_true(name_stem("f(") <= 2 && name_stem("f<(") <= 3 && name_stem("operator") <= 8);
}

TEST(copies_are_known)
{
	assert_true(name_is_clone("f.isra.0") && name_is_clone("f(int) [clone .cold]"));
	assert_false(name_is_clone("f(char const*, ...)") || name_is_clone("main"));
	assert_true(name_is_copy("f.isra.0", "f") &&
	            name_is_copy("geo::f(int) [clone .constprop.0]", "f"));
	assert_false(name_is_copy("f.cold", "f") || name_is_copy("f.isra.0", "g") ||
	             name_is_copy("ff.isra.0", "f") || name_is_copy("f", "f"));
}

TEST(people_mean)
{
	static const struct {
		const char *name, *asked;
		bool yes;
	} cases[] = {
		{"geo::sum(int)", "sum", true},
		{"geo::sum(int)", "geo::sum", true},
		{"geo::sum(int)", "::geo::sum", true},
		{"geo::sum(int)", "::sum", false},
		{"geo::sum(int)", "sum(int)", true},
		{"geo::sum(int)", "sum( int )", true},
		{"geo::sum(int)", "sum(double)", false},
		{"geo::sum(int, int)", "sum(int,int)", true},
		{"geo::sum(int, int)", "sum(int)", false},
		{"geo::consum(int)", "sum", false},
		{"geo::sum(int)", "geo", false},
		{"geo::sum(int)", "", false},
		{"geo::sum()", "sum(void)", true},
		{"geo::Box::area() const", "Box::area", true},
		{"geo::Box::area() const", "Box::area()", true},
		{"geo::Box::area() const", "Box::area() const", true},
		{"geo::Box::area()", "Box::area() const", false},
		{"geo::twice<int>(int)", "twice", true},
		{"geo::twice<int>(int)", "twice<int>", true},
		{"geo::twice<int>(int)", "twice<double>", false},
		{"geo::Stack<int, 8>::push(int const&)", "Stack::push", true},
		{"geo::Stack<int, 8>::push(int const&)", "Stack<int,8>::push", true},
		{"geo::Stack<int, 8>::push(int const&)", "push(int const&)", true},
		{"geo::Point::operator<(geo::Point const&) const", "operator<", true},
		{"geo::Point::operator+(geo::Point const&)", "Point::operator+", true},
		{"geo::Point::operator+(geo::Point const&)", "operator-", false},
		{"operator new(unsigned long)", "operator new", true},
		{"(anonymous namespace)::bump(int)", "bump", true},
		{"f[abi:cxx11](int)", "f", true},
		{"main", "main", true},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		if (name_means(cases[i].name, cases[i].asked) != cases[i].yes)
			fail_msg("'%s' %s '%s'", cases[i].asked,
			         cases[i].yes ? "means" : "does not mean", cases[i].name);
}
