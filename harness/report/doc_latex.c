/* LaTeX: an article that pdflatex compiles with what texlive-latex-recommended holds. */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "harness/report/doc_private.h"
#include "harness/report/doc_latex_sheet.h"

static const char preamble[] =
	"\\documentclass[a4paper,10pt]{article}\n"
	"\\usepackage[T1]{fontenc}\n\\usepackage[utf8]{inputenc}\n\\usepackage{lmodern}\n"
	"\\usepackage{textcomp}\n\\usepackage[margin=20mm]{geometry}\n"
	"\\usepackage{graphicx,xcolor,booktabs,longtable,array}\n"
	"\\usepackage[hidelinks]{hyperref}\n"
	"\\definecolor{good}{HTML}{0F7A3D}\\definecolor{bad}{HTML}{B3261E}\n"
	"\\definecolor{unsure}{HTML}{8A5A00}\\definecolor{open}{HTML}{5C6670}\n"
	"\\definecolor{note}{HTML}{5C6670}\\definecolor{here}{HTML}{0B5FA5}\n"
	"\\definecolor{recorded}{HTML}{8A4B00}\n"
	"\\setlength{\\parindent}{0pt}\\setlength{\\parskip}{4pt}\n"
	"\\setlength{\\emergencystretch}{3em}\\sloppy\n"
	"\\newcommand{\\drawing}[2]{\\IfFileExists{#1}{\\begin{center}\\includegraphics"
	"[width=.9\\linewidth]{#1}\\par{\\small #2}\\end{center}}{{\\color{note}\\small "
	"(Plot: #2)}\\par}}\n"
	"\\newcommand{\\fitted}[1]{\\resizebox{\\ifdim\\width>\\linewidth\\linewidth\\else\\width"
	"\\fi}{!}{#1}\\par}\n"
	"\\setcounter{tocdepth}{2}\n"
	"\\title{copra report}\\date{}\n\\begin{document}\n\\maketitle\n\\tableofcontents\n";

static void escaped(struct doc *d, const char *s)
{
	text_add_escaped(&d->out, s, TEXT_LATEX);
}

static void begin(struct doc *d)
{
	text_add(&d->out, "%s", preamble);
}

static void finish(struct doc *d)
{
	text_add(&d->out, "\\end{document}\n");
}

static void sectioned(struct doc *d, const char *command, const char *anchor, const char *text)
{
	if (anchor)
		text_add(&d->out, "\\hypertarget{%s}{}", anchor);
	text_add(&d->out, "\\%s{", command);
	escaped(d, text);
	text_add(&d->out, "}\n");
}

static void page(struct doc *d, const char *name, const char *title)
{
	text_add(&d->out, "\\clearpage\n");
	sectioned(d, "section", name, title);
}

static void heading(struct doc *d, int level, const char *anchor, const char *text)
{
	static const char *const commands[] = { "subsection", "subsubsection", "paragraph*" };
	sectioned(d, commands[level - 2], anchor, text);
}

static void block_open(struct doc *d, const struct doc_level *l)
{
	static const char *const begins[DOC_BLOCKS] = { "", "\\begin{itemize}\n", "\\item ", "" };
	text_add(&d->out, "%s", begins[l->block]);
	if (l->tone == TONE_HERE || l->tone == TONE_RECORDED)
		text_add(&d->out, "\\textbf{\\color{%s}", doc_tones[l->tone]);
	else if (l->tone)
		text_add(&d->out, "{%s\\color{%s}", l->tone == TONE_NOTE ? "\\small" : "",
			 doc_tones[l->tone]);
}

static void summary_end(struct doc *d)
{
	text_add(&d->out, "\\par\n");
}

static void block_close(struct doc *d, const struct doc_level *l)
{
	static const char *const ends[DOC_BLOCKS] = { "\n\n", "\\end{itemize}\n", "\n", "\n\n" };
	if (l->tone)
		text_add(&d->out,
			 l->tone == TONE_HERE || l->tone == TONE_RECORDED ? "}" : "\\par}");
	text_add(&d->out, "%s", ends[l->block]);
}

static void text(struct doc *d, const char *s)
{
	if (doc_in_code(d))
		latex_code(&d->out, s);
	else
		escaped(d, s);
}

static void span_open(struct doc *d, enum doc_span span, enum doc_tone tone)
{
	static const char *const begins[DOC_SPANS] = { "\\textbf{", "\\emph{", "\\texttt{" };
	text_add(&d->out, "%s", begins[span]);
	if (tone)
		text_add(&d->out, "\\color{%s}", doc_tones[tone]);
}

static void span_close(struct doc *d, enum doc_span span, enum doc_tone tone)
{
	(void)span;
	(void)tone;
	text_add(&d->out, "}");
}

static void sheet(struct doc *d, const struct sheet *s)
{
	latex_sheet(&d->out, s);
}

static void pre(struct doc *d, const char *s)
{
	text_add(&d->out, "{\\scriptsize\\ttfamily\\raggedright\n");
	while (*s) {
		size_t length = strcspn(s, "\n");
		struct text line = { 0 };
		text_add_n(&line, s, length);
		latex_code(&d->out, text_get(&line));
		text_add(&d->out, "\\par\n");
		text_free(&line);
		s += length + (s[length] == '\n');
	}
	text_add(&d->out, "}\n");
}

static int figure(struct doc *d, const char *path, const char *prefix, const char *caption,
		  struct err *e)
{
	(void)prefix;
	(void)e;
	text_add(&d->out, "\\drawing{%s.pdf}{", path);
	escaped(d, caption);
	text_add(&d->out, "}\n");
	return 0;
}

const struct doc_ops doc_latex = {
	.kind = TEXT_LATEX,
	.begin = begin,
	.finish = finish,
	.page = page,
	.heading = heading,
	.open = block_open,
	.summary_end = summary_end,
	.close = block_close,
	.text = text,
	.span_open = span_open,
	.span_close = span_close,
	.sheet = sheet,
	.pre = pre,
	.figure = figure,
};
