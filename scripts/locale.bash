# Sourced by scripts: a decimal point and one sort order in every locale of the user. UTF-8, for
# gnuplot, if the system has C.UTF-8.
LC_ALL=C
case $(locale -a 2>/dev/null) in *C.UTF-8* | *C.utf8*) LC_ALL=C.UTF-8 ;; esac
export LC_ALL
