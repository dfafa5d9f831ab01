# Installing, and the Debian package. Included by the Makefile.

# Where zsh looks for functions that don't come with it.
ZSH_FUNCTIONS ?= $(PREFIX)/share/zsh/site-functions

# A path for the shell: it may have blanks and quotes.
quoted = '$(subst ','\'',$(1))'
INTO := $(call quoted,$(DESTDIR)$(PREFIX))
# Course material, as it lies in the tree: sources, inputs, tours, scenarios, hand-ins, plug-ins,
# papers, pages; and what is built of it.
COURSE := $(INTO)/share/cyclops
COURSE_FILES := find demos docs README.md TEACHING.md SECURITY.md core/README.md -path 'demos/screenshots/*' ! -name '*.svg' -prune -o -path '*/results' -prune -o -type f -print
COURSE_BUILT := find build/demos -maxdepth 2 \( -path 'build/demos/papers' -o -name '*-*' -o -name '*.o' -o -name '*.s' -o -name '.*' \) -prune -o -type f -print
# Empty without a cross compiler: then what was built before is installed.
INSTALL_DEMOS ?= demos

# Everybody may read it, whatever the umask is.
install: build/cyclops reference $(INSTALL_DEMOS) ## install program, course, configurations, manual page, reference and completions below PREFIX (default /usr/local)
	umask 022; install -d $(COURSE)
	tar -cf - $$($(COURSE_FILES); $(COURSE_BUILT)) | tar -xf - -C $(COURSE) --no-same-owner
	chmod -R u=rwX,go=rX $(COURSE)
	umask 022; install -Dm755 build/cyclops $(INTO)/bin/cyclops
	umask 022; install -d $(COURSE)/xprof
	install -m644 demos/include/xprof.h demos/include/xprof.inc demos/tools/xprof_runtime.c demos/tools/xprof_profile.h \
		demos/tools/xprof.ld $(COURSE)/xprof
	install -m755 demos/tools/xprof-cc $(COURSE)/xprof
	umask 022; install -d $(INTO)/share/doc/cyclops
	install -m644 build/docs/*.md $(INTO)/share/doc/cyclops
	umask 022; install -d $(INTO)/share/man/man1
	umask 022; build/cyclops help --man >$(INTO)/share/man/man1/cyclops.1
	umask 022; install -Dm644 ui/shell/cyclops.bash $(INTO)/share/bash-completion/completions/cyclops
	umask 022; install -Dm644 ui/shell/_cyclops $(call quoted,$(DESTDIR)$(ZSH_FUNCTIONS))/_cyclops

deb: ## build the Debian packages, build/deb/cyclops_VERSION_ARCHITECTURE.deb and the lecturer's, cyclops-lecturer_VERSION_all.deb; installs nothing
	$(Q)make/setup.sh build demos deb
	$(sub) all reference demos kit
	$(Q)make/deb.sh build/deb

test-package: ## make the package and try it by itself, in a clean Debian root where that can be had; some minutes
	$(sub) deb
	$(Q)make/test-package.sh "$$(ls -t build/deb/cyclops_*.deb | head -n 1)"

.PHONY: install deb test-package
