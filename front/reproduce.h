/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* `copra reproduce` and `copra campaign`: run scripts/reproduce.sh and scripts/campaign.sh of the
 * data folder (harness/base/data.h) with the programs beside this one. Relative folders are those
 * of the current folder, so an installed copra writes to results/local there, or to
 * COPRA_RESULTS. */
#ifndef COPRA_FRONT_REPRODUCE_H
#define COPRA_FRONT_REPRODUCE_H

/* These replace this process. They return only if that fails, with an exit code. */
int front_reproduce(int argc, char **argv);
int front_campaign(int argc, char **argv);
int front_campaign_help(void);

#endif
