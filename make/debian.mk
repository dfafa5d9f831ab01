# Real programs, built from Debian's sources (make/debian.sh): build/debian/gzip, bzip2, lua, sqlite3. Included by the Makefile.

DEBIAN := build/debian
DEBIAN_PROGRAMS := $(addprefix $(DEBIAN)/,gzip bzip2 lua)

debian-programs: $(DEBIAN_PROGRAMS:=.made) ## fetch gzip, bzip2 and lua from Debian's sources, and build them for the machine in build/debian

# Where there is no way to Debian's mirrors, .skipped stands in for the program, and the next make tries again.
$(DEBIAN)/%.made: make/debian.sh
	$(call say,DEBIAN,$(DEBIAN)/$*)
	$(Q)mkdir -p $(@D) && make/debian.sh $* $(DEBIAN)/$* && { [ -e $(DEBIAN)/$*.skipped ] || touch $@; }

# What takes minutes, for tests of CYCLOPS_TEST_SCALE=long.
debian-large: $(DEBIAN)/sqlite3.made ## the same of sqlite3, which needs tclsh

.PHONY: debian-programs debian-large
