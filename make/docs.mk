# The manual and the reference. Included by the Makefile.

# Each page is replaced as a whole, so that installations may run at the same time.
reference: build/cyclops ## write the reference, a page of Markdown for each table, into build/docs
	$(Q)build/cyclops help --markdown build/docs
	@echo 'build/docs/index.md'

# Pages keep their places in the tree, so that their links hold; linked files stand beside them.
docs: reference ## the manual, all pages of the tree and the reference as one searchable site: build/site/index.html
	$(Q)make/setup.sh docs
	$(Q)rm -rf build/manual build/site && mkdir -p build/manual
	$(Q)git ls-files -co --exclude-standard -- '*.md' LICENSE demos tests/golden/expected | grep -v '/results/' | tar -cf - -T - | tar -xf - -C build/manual
	$(Q)cp -r build/docs build/manual/reference && cp make/site.css build/manual
	$(Q)mkdocs build --quiet --config-file make/mkdocs.yml --site-dir $(CURDIR)/build/site
	@echo 'build/site/index.html'

kit: build/cyclops ## the lecturer's kit, to print or to show: build/kit/labs.html with mistakes and oral questions, slides.html, rubric.html, cheatsheet.html
	$(Q)rm -rf build/kit && make/kit.py build/kit >/dev/null
	$(Q)build/cyclops manual --to build/kit/labs.html $$(printf './%s ' build/kit/*-*.md | sed 's| [^ ]*/slide-[^ ]*||g')
	$(Q)build/cyclops manual --to build/kit/slides.html $$(printf './%s ' build/kit/slide-*.md)
	$(Q)build/cyclops manual --to build/kit/rubric.html ./tests/labs/lecturer/rubric.md
	$(Q)build/cyclops manual --to build/kit/cheatsheet.html cheatsheet
	@echo 'build/kit'

.PHONY: docs reference kit
