/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Folders, copies of programs, and a lock. All functions return ERR_IO, or the error named. */
#ifndef COPRA_COMPARE_FOLDERS_H
#define COPRA_COMPARE_FOLDERS_H

#include "harness/base/error.h"

/* Copies a program and makes the copy executable. Creates the folder of the copy. ERR_INPUT if
 * `from` cannot be read. */
int folder_copy_program(const char *from, const char *to, struct err *e);
/* Removes a folder with all its contents. A missing folder is no error. */
int folder_remove(const char *path, struct err *e);
/* Removes a file of a folder. A missing file is no error. */
int folder_remove_file(const char *folder, const char *name, struct err *e);
/* Renames `fresh` to `path`, after moving an existing `path` to <path>.old, which is then removed.
 */
int folder_replace(const char *fresh, const char *path, struct err *e);

/* Takes an exclusive lock (a file) until the process ends. ERR_USAGE if another process has it. */
int folder_lock(const char *path, struct err *e);

#endif
