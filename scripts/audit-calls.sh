#!/usr/bin/env bash
# Lists every call of CUDA, HIP or the device layer whose result is ignored, with file and line. Exit
# code 1 if there is one. A result that is ignored on purpose is cast to void; of CUDA's and HIP's own
# calls, only those that free or reset something may be cast.
# usage: audit-calls.sh [FILE...]      (default: all sources of the repository)
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
set -u
[ $# -gt 0 ] || {
	unset CDPATH
	cd -- "$(dirname -- "$0")/.." || exit 2
	mapfile -t files < <(find harness kernels algorithms datasets tests -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh')
	set -- "${files[@]}"
}
perl -e '
	my $calls = 0, $bad = 0;
	# functions without a result
	my $void = qr/dev_(free|host_free|memory_restart|set_close|set_cancel_on|\w+_destroy|stream_device|default_stream|backend_\w+|cuda_\w+|gpu_\w+)$/;
	my $ends = qr/(cuda|hip)(GetLastError|Free|FreeHost|HostFree|StreamDestroy|EventDestroy)$/;
	my $paren = qr/(?<p>\((?:[^()]++|(?&p))*\))/;
	for my $file (@ARGV) {
		local $/;
		open(my $f, "<", $file) or die "$file: $!\n";
		my $text = <$f>;
		# remove everything but code, and keep the line numbers
		my $lines = sub { my $s = shift; $s =~ s/[^\n]//g; $s };
		$text =~ s{(/\*.*?\*/|//[^\n]*|"(?:[^"\\\n]|\\.)*")}{$lines->($1) . ($1 =~ /^"/ ? "\"\"" : " ")}gse;
		$text =~ s{^(\s*#(?:[^\n]|\\\n)*)}{$lines->($1)}gme;
		# the common source of both back ends: GPU(Malloc) stands for two calls, cudaMalloc and hipMalloc
		$text =~ s{\bGPU_CALL\s*\(}{$calls++; "cudaCall("}ge;
		$text =~ s{\bGPU\((\w+)\)(?=\s*\()}{$calls++; "cuda$1"}ge;
		$text =~ s{\bGPU\((\w+)\)}{cuda$1}g;
		$text =~ s{\bfor\s*$paren}{"if (" . $lines->($1) . ")"}ge;
		while ($text =~ /\b(?:cuda|hip)[A-Z]\w*\s*\(|\bcub::Device\w+::\w+\s*\(/g) { $calls++; }
		my $line = 1;
		for my $piece (split /([;{}])/, $text) {
			my $s = $piece, $at = $line;
			$line += ($piece =~ tr/\n//);
			while (1) {
				$at += ($1 =~ tr/\n//), next if $s =~ s/^(\s+)//;
				$at += ($1 =~ tr/\n//), next if $s =~ s/^(\s*(?:else|do)\b)//;
				if ($s =~ /^(?:if|while|switch)\s*$paren/) {
					$at += ($& =~ tr/\n//);
					$s = substr($s, length $&);
					next;
				}
				next if $s =~ s/^(?:case\b[^:]*|default|\w+)\s*:(?!:)//;
				last;
			}
			if ($s =~ /^((?:cuda|hip)[A-Z]\w*|dev_\w+|cub::Device\w+::\w+)\s*$paren\s*$/) {
				my $name = $1;
				next if $name =~ $void;
				print "$file:$at: the result of $name is ignored\n";
				$bad++;
			} elsif ($s =~ /^\(\s*void\s*\)\s*((?:cuda|hip)[A-Z]\w*)\s*\(/ && $1 !~ $ends) {
				print "$file:$at: the result of $1 is cast to void\n";
				$bad++;
			} elsif ($s =~ /<<</) {
				print "$file:$at: a launch without a result\n";
				$bad++;
			}
		}
	}
	print "$calls CUDA and HIP calls, $bad unchecked\n";
	exit($bad ? 1 : 0);
' -- "$@"
