# Sourced by scripts: a decimal point and one sort order in every locale of the user. UTF-8, for
# gnuplot, if the system has C.UTF-8.
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
LC_ALL=C
case $(locale -a 2>/dev/null) in *C.UTF-8* | *C.utf8*) LC_ALL=C.UTF-8 ;; esac
export LC_ALL
