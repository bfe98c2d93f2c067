/* How to cite the papers, and copra. */
#include <string.h>

#include "harness/report/bibtex.h"
#include "harness/report/page_parts.h"

int page_cite(const struct page *p, const struct study *s, struct doc *d, struct err *e)
{
	struct text bib = { 0 };
	int status = bibtex_load(&bib, p->folder, s->target, e);
	if (!status && bib.length) {
		page_heading(s, d, "cite", "How to cite the paper");
		doc_pre(d, text_get(&bib));
	}
	text_free(&bib);
	return status;
}

int page_cite_copra(const struct page *p, struct doc *d, struct err *e)
{
	struct text revisions = { 0 };
	(void)e;
	for (size_t i = 0; i < p->results->sets; i++) {
		char revision[12] = "";
		strncat(revision, page_fact(&p->results->set[i], "copra_revision"), 7);
		if (*revision && !strstr(text_get(&revisions), revision))
			text_add(&revisions, "%s%s", revisions.length ? ", " : "", revision);
	}
	doc_heading(d, 2, "cite", "How to cite");
	doc_open(d, DOC_PARAGRAPH, TONE_PLAIN);
	doc_text(d, "Cite the paper whose experiments you use (its chapter has the entry), and "
		    "copra as ");
	doc_span(d, DOC_CODE, TONE_PLAIN, "CITATION.cff");
	doc_text(d, " says, with the machine and the revision that the figures were measured at");
	if (revisions.length)
		doc_print(d, " (here: %s)", text_get(&revisions));
	doc_text(d, ". In ACM's terms copra replicates: every line is its own implementation, "
		    "written from the papers.");
	doc_close(d);
	text_free(&revisions);
	return 0;
}
