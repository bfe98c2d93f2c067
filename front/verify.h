/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* `copra verify ANSWER [FILE|NAME]`: evaluates the solution in an answer, a JSON object as that of
 * `solve --json`, from the instance, with the oracles of datasets/, and compares it with the
 * objective and the bound that the answer states. The answer may come from any program: `problem`,
 * `instance`, `objective` and `solution` are enough. Placements of up to VERIFY_QUEENS queens are
 * counted again. That a solution is optimal cannot be verified without a new search, or a proof
 * (docs/PROOFS.md): `copra verify PROOF [FILE|NAME]` becomes the program copra-check-proof. */
#ifndef COPRA_FRONT_VERIFY_H
#define COPRA_FRONT_VERIFY_H

enum { VERIFY_QUEENS = 13 };

/* argv[0] is the first argument after "verify". Returns the exit code: 0 if the answer is right, 1
 * if it is wrong, 2 if it or the instance cannot be read, or nothing in it can be verified. */
int front_verify(int argc, char **argv);

void front_verify_help(void);

#endif
