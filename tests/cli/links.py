# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
"""The target of every relative link exists, file and heading. usage: links.py DOCUMENT..."""
import functools, os, re, sys
@functools.lru_cache(None)
def anchors(path):
    text = re.sub(r"^```.*?^```", "", open(path).read(), flags=re.S | re.M)
    heads = [re.sub(r"[^\w\- ]", "", h.lower()).strip().replace(" ", "-")
             for h in re.findall(r"^#+ (.*)$", text, re.M)]
    return set(heads) | set(re.findall(r"<a id=\"([^\"]+)\"", text))
bad = 0
for path in sys.argv[1:]:
    text = re.sub(r"^```.*?^```", "", open(path).read(), flags=re.S | re.M)
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"[a-z]+:", link):
            continue
        name, _, anchor = link.partition("#")
        there = os.path.join(os.path.dirname(path), name) if name else path
        if not os.path.exists(there) or anchor and anchor not in anchors(there):
            print("%s: broken link %s" % (path, link))
            bad = 1
sys.exit(bad)
