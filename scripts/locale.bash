# Sourced by scripts: numbers have a point and lists an order, whatever the user's locale; with letters
# beyond ASCII for gnuplot where the system has such a locale.
LC_ALL=C
case $(locale -a 2>/dev/null) in *C.UTF-8* | *C.utf8*) LC_ALL=C.UTF-8 ;; esac
export LC_ALL
