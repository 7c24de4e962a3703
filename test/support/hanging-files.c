/* Preloaded into a program, it has the opening of each path below HANGING_FOLDER hang while HANGING_SWITCH exists. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void hang_below(const char *path) {
  const char *folder = getenv("HANGING_FOLDER");
  if (folder == NULL || strncmp(path, folder, strlen(folder)) != 0) return;
  while (access(getenv("HANGING_SWITCH"), F_OK) == 0) usleep(20000);
}

int open64(const char *path, int flags, ...) {
  int (*original)(const char *, int, ...) = dlsym(RTLD_NEXT, "open64");
  va_list rest;
  va_start(rest, flags);
  int mode = va_arg(rest, int);
  va_end(rest);
  hang_below(path);
  return original(path, flags, mode);
}

int open(const char *path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  int mode = va_arg(rest, int);
  va_end(rest);
  return open64(path, flags, mode);
}

DIR *opendir(const char *path) {
  DIR *(*original)(const char *) = dlsym(RTLD_NEXT, "opendir");
  hang_below(path);
  return original(path);
}
