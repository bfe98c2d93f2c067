/* Folders and copies of programs. */
#ifndef COPRA_COMPARE_FOLDERS_H
#define COPRA_COMPARE_FOLDERS_H

#include "harness/base/error.h"

/* Copies a program, executable; the folder is made. */
int folder_copy_program(const char *from, const char *to, struct err *e);
/* Removes a folder of files and folders with all in it; one that is not there is no error. */
int folder_remove(const char *path, struct err *e);
/* One that is not there is no error. */
int folder_remove_file(const char *folder, const char *name, struct err *e);
/* Puts `fresh` in the place of `path`; what was there is removed. */
int folder_replace(const char *fresh, const char *path, struct err *e);

/* Until the process ends nobody else has this lock, a file: ERR_USAGE where another has it. */
int folder_lock(const char *path, struct err *e);

#endif
