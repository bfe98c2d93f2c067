#!/usr/bin/env bash
# The container files agree with each other, fetch nothing but packages, and their arguments have defaults.
# With COPRA_TEST_EXTENDED, the instructions of the Dockerfile also run, in chroots made from Debian's packages,
# and the programs of the image work read-only, without network, without HOME and as another user. That part
# needs root, debootstrap and a source of Debian in apt's lists. $1: the folder of programs.
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
set -eu
. "$(dirname "$0")/checks.bash"
in_new_folder "$1"
containers=$root/scripts/containers
cp "$containers"/* .

# ---- the files ----
instructions() { # of the Dockerfile
	sed -e ':a;/\\$/{N;s/\\\n *//;ba}' -e '/^ *#/d;/^ *$/d' Dockerfile
}
post() { # the commands of copra.def that are not for its arguments
	awk '/^%/ { inside = $1 == "%post" } /^[A-Z]/ { inside = 0 } inside && NF && !/^%|^ *export/ { sub(/^ */, ""); print }' copra.def
}
check "both files run the same commands" diff <(instructions | sed -n 's/^RUN //p') <(post)
check "... steps.sh, in each of two stages" test "$(post | grep -cE '/steps.sh (build|run)$')" -eq 2
check "both have the same arguments and defaults" diff \
	<(instructions | sed -n 's/^ARG //p' | sed 's/=\$BASE$/=debian:bookworm-slim/' | sort -u) \
	<(sed -n 's/^    \([a-z_]*\)=/\1 /p' copra.def | grep -vE '^(from|tarball) ' | sort -u |
		awk '{ print toupper($1) "=" $2 }')
undefined() { # arguments of a stage of copra.def without a default there
	awk '/^Bootstrap:/ { stage++ } { line = $0 } match($0, /^    [a-z_]+=/) { has[stage, substr($0, 5, RLENGTH - 5)] }
		!/^#/ { while (match(line, /{{ [a-z_]+ }}/)) { used[stage, substr(line, RSTART + 3, RLENGTH - 6)]; line = substr(line, RSTART + RLENGTH) } }
		END { for (u in used) { n++; if (!(u in has)) print substr(u, 3) } if (n < 9) print n + 0, "arguments" }' copra.def
}
check "every argument of copra.def has a default in its stage" test -z "$(undefined)"
check "every ARG has a default" bash -c '! grep "^ARG " Dockerfile | grep -v ='
check "both stages of both files begin with an argument" test "$(grep -hcE '^(FROM \$(RUN_)?BASE|From: {{ (run_)?base }})' Dockerfile copra.def | xargs)" = "2 2"
check "nothing but packages is fetched" bash -c \
	'! grep -nE "^ADD |curl|wget|git clone|https?:|ftp:|pip install" Dockerfile copra.def steps.sh'
check "steps.sh is a script for any sh" sh -n steps.sh
check "steps.sh without a step is refused" exits 2 ./steps.sh
check "... with its usage" grep -q '^usage: steps.sh build' err.txt
for step in build run; do
	check "$step with an unknown MPI is refused" exits 2 env WITH_MPI="openmpi lam" PATH=/nothing /bin/sh steps.sh $step
	check "... in one line" one_line "WITH_MPI must be .*, not 'lam'"
done
check "a base without apt-get is refused" exits 2 env PATH=/nothing /bin/sh steps.sh run
check "... in one line" one_line 'no apt-get'

# ---- the image, in chroots ----
finish() {
	[ $failed -eq 0 ] || exit 1
	[ -z "${1:-}" ] || { echo "the chroot is skipped: $1" && [ -z "${COPRA_TEST_EXTENDED:-}" ] || exit 77; }
	exit 0
}
[ -n "${COPRA_TEST_EXTENDED:-}" ] || finish "needs COPRA_TEST_EXTENDED=1"
[ "$(id -u)" -eq 0 ] || finish "needs root"
for tool in debootstrap ip jq; do
	command -v $tool >/dev/null || finish "$tool is not installed"
done
git -C "$root" rev-parse HEAD >/dev/null 2>&1 || finish "a tarball is made from a git clone"
unshare --mount --pid --net --fork true 2>/dev/null || finish "no namespaces here"
# an archive of bookworm that this machine uses, and its proxies
archive=$(apt-get indextargets --format '$(SITE) $(CODENAME) $(COMPONENT)' 'Created-By: Packages' 2>/dev/null |
	sed -n 's/ bookworm main$//p' | head -n 1)
[ -n "$archive" ] || finish "apt has no source of Debian bookworm"
mkdir context roots out
timeout 300 debootstrap --variant=minbase bookworm roots/base "$archive" >debootstrap.txt 2>&1 ||
	finish "debootstrap failed: $(tail -n 1 debootstrap.txt)"
apt-config dump Acquire | grep -iE 'proxy|retries|timeout' >roots/base/etc/apt/apt.conf.d/99-host || true
cp /etc/resolv.conf roots/base/etc/
check "make dist succeeds" exits 0 env -u MAKEFLAGS -u MAKELEVEL make -s -C "$root" dist BUILD="$work/context"

inside() { # folder, command...: with /proc, in its own namespaces
	# shellcheck disable=SC2016
	unshare --mount --pid --fork bash -c 'mount -t proc proc "$0/proc" && exec chroot "$0" "$@"' "$@"
}
arguments=()
given_MAKE_FLAGS=OPT=-O1 # builds faster
instruct() { # instruction, the rest of its line: sets folder
	local word=$1 rest=$2 from to name
	read -r from to name <<<"$rest"
	case $word in
	FROM)
		folder=roots/${name:-run}
		cp -a roots/base "$folder"
		arguments=()
		;;
	ARG)
		name=given_${rest%%=*}
		arguments+=("${rest%%=*}=${!name-${rest#*=}}")
		;;
	COPY)
		if [[ $from = --from=* ]]; then
			cp -a "roots/${from#*=}${to%/}/." "$folder/$name"
		else
			mkdir -p "$folder/$to" && cp context/$from "$folder/$to"
		fi
		;;
	RUN)
		inside "$folder" env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "${arguments[@]}" sh -c "$rest" </dev/null >"log.${folder##*/}" 2>&1 ||
			{ tail -n 30 "log.${folder##*/}"; return 1; }
		;;
	WORKDIR) mkdir -p "$folder$rest" && workdir=$rest ;;
	ENTRYPOINT | CMD | LABEL | ENV) ;;
	*) echo "unknown instruction $word"; return 1 ;;
	esac
}
while read -r word rest; do
	start=$SECONDS
	check "$word $rest" instruct "$word" "$rest"
	[ $failed -eq 0 ] || finish
	[ "$word" != RUN ] || echo "     $((SECONDS - start)) s"
done < <(instructions)
check "the known answers were correct" grep -q '^9 of 9 answers are correct$' log.build

# A container of the image: read-only but for /data and /tmp, no network but lo, no HOME, a user without a name.
export image=$work/roots/run workdir
container() { # [NAME=VALUE...] command...
	# shellcheck disable=SC2016
	unshare --mount --pid --net --fork bash -c 'mount --bind "$image" "$image" && mount --bind out "$image$workdir" &&
		mount -t proc proc "$image/proc" && mount -t sysfs -o ro sysfs "$image/sys" && mount --rbind /dev "$image/dev" &&
		mount -t tmpfs tmpfs "$image/tmp" && mount -o remount,bind,ro "$image" && ip link set lo up &&
		exec chroot --userspec=12345:12345 "$image" env -i -C "$workdir" PATH=/usr/local/bin:/usr/bin:/bin "$@"' - "$@"
}
chown 12345:12345 out
revision=$(tar -xzOf context/copra-*.tar.gz --wildcards "*/REVISION")
check "copra knows its revision" bash -c '[[ $1 == *"(revision ${2:0:12};"* ]]' - "$(container copra --version)" "$revision"
check "the image is read-only" grep -q 'Read-only file system' <<<"$(container touch /usr/local/x 2>&1)"
check "12 queens are counted" exits 0 container copra solve 12Q --json answer.json
check "... correctly" jq -e '.status == "counted" and .objective == 14200 and .verified' out/answer.json
check "there is no network" bash -c '[ "$1" = lo: ]' - "$(container awk 'NR > 2 { print $1 }' /proc/net/dev)"
# OpenMPI crashes without HOME
check "two ranks under mpirun count them" exits 0 container HOME=/tmp mpirun --oversubscribe -n 2 gmys-ivm solve --problem nqueens \
	--instance 12 --variant cpu --json ranks.json
check "... correctly" jq -e '.objective == 14200 and .verified' out/ranks.json
smoke=(SCALE=smoke PAPER=gboa DEVICE=cpu CEILINGS=0)
check "a reproduction writes its report" exits 0 container "${smoke[@]}" copra reproduce
check "... in the folder of the user" test "$(stat -c %u out/results/local/report/report.html)" = 12345
check "... with figures" compgen -G 'out/results/local/report/gboa/plots/*.local-*.svg'
check "it continues" exits 0 container "${smoke[@]}" copra reproduce --measure
check "... and measures nothing twice" grep -q ' 0 to run' out.txt
check "a folder that cannot be written is refused" exits 1 container COPRA_RESULTS=/usr/local/results copra reproduce
check "... in one line" one_line 'cannot write to /usr/local/results'
exit $failed
