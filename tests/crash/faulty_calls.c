// Loaded before a program (LD_PRELOAD): its call number FAULT_AT (from 1 on) that touches a file in FAULT_FOLDER
// fails with EIO or ENOSPC, writes half of what it was given and fails from then on, or is the last thing that it
// does. Without FAULT_AT: the number of such calls is written to FAULT_COUNT at the end.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

enum { kMostFiles = 4096 };
static atomic_long calls;
static atomic_bool failing;  // since half of something was written
static atomic_bool ours[kMostFiles];

static bool is_ours(const char* path) {
  const char* const folder = getenv("FAULT_FOLDER");
  return folder != NULL && strncmp(path, folder, strlen(folder)) == 0;
}
static bool is_open(int file) { return file >= 0 && file < kMostFiles && ours[file]; }

// 0: nothing happens; else the error. `half`: it can be done by halves.
enum { kHalf = -1 };
static int fault(bool half) {
  const char* const at = getenv("FAULT_AT");
  const char* const kind = getenv("FAULT_KIND");
  const long number = atomic_fetch_add(&calls, 1) + 1;
  if (at == NULL || kind == NULL) return 0;
  if (failing) return ENOSPC;
  if (number != atol(at)) return 0;
  if (strcmp(kind, "kill") == 0) raise(SIGKILL);
  if (strcmp(kind, "full") == 0) failing = true;
  if (strcmp(kind, "full") == 0 && half) return kHalf;
  return strcmp(kind, "full") == 0 ? ENOSPC : EIO;
}

__attribute__((destructor)) static void tell(void) {
  const char* const name = getenv("FAULT_COUNT");
  FILE* const file = name == NULL ? NULL : fopen(name, "w");
  if (file == NULL) return;
  fprintf(file, "%ld\n", (long)calls);
  fclose(file);
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define FAIL_IF(touches)                        \
  do {                                          \
    if (touches) {                              \
      const int error = fault(false);           \
      if (error != 0) return errno = error, -1; \
    }                                           \
  } while (0)

static int opened(const char* path, int file) {
  if (file >= 0 && file < kMostFiles) ours[file] = is_ours(path);
  return file;
}
#define OPEN(name)                                                         \
  int name(const char* path, int flags, ...) {                             \
    va_list rest;                                                          \
    va_start(rest, flags);                                                 \
    const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(rest, mode_t) : 0; \
    va_end(rest);                                                          \
    FAIL_IF(is_ours(path));                                                \
    return opened(path, NEXT(name)(path, flags, mode));                    \
  }
OPEN(open)
OPEN(open64)

int openat(int folder, const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  FAIL_IF(is_ours(path) || is_open(folder));
  return opened(path, NEXT(openat)(folder, path, flags, mode));
}

int close(int file) {
  if (file >= 0 && file < kMostFiles) ours[file] = false;
  return NEXT(close)(file);
}
#define WRITE(name, parameters, arguments)     \
  ssize_t name parameters {                    \
    if (is_open(file)) {                       \
      const int error = fault(count > 1);      \
      if (error > 0) return errno = error, -1; \
      if (error == kHalf) count /= 2;          \
    }                                          \
    return NEXT(name) arguments;               \
  }
WRITE(write, (int file, const void* bytes, size_t count), (file, bytes, count))
WRITE(pwrite, (int file, const void* bytes, size_t count, off_t at), (file, bytes, count, at))
WRITE(pwrite64, (int file, const void* bytes, size_t count, off64_t at), (file, bytes, count, at))
#define OF_FILE(type, name, parameters, arguments) \
  type name parameters {                           \
    FAIL_IF(is_open(file));                        \
    return NEXT(name) arguments;                   \
  }
OF_FILE(ssize_t, read, (int file, void* bytes, size_t count), (file, bytes, count))
OF_FILE(ssize_t, pread, (int file, void* bytes, size_t count, off_t at), (file, bytes, count, at))
OF_FILE(ssize_t, pread64, (int file, void* bytes, size_t count, off64_t at), (file, bytes, count, at))
OF_FILE(int, fsync, (int file), (file))
OF_FILE(int, fdatasync, (int file), (file))
OF_FILE(int, ftruncate, (int file, off_t size), (file, size))
OF_FILE(int, ftruncate64, (int file, off64_t size), (file, size))
#define OF_PATH(name, parameters, arguments) \
  int name parameters {                      \
    FAIL_IF(is_ours(path));                  \
    return NEXT(name) arguments;             \
  }
OF_PATH(rename, (const char* path, const char* to), (path, to))
OF_PATH(unlink, (const char* path), (path))
OF_PATH(remove, (const char* path), (path))
OF_PATH(mkdir, (const char* path, mode_t mode), (path, mode))
OF_PATH(mkdirat, (int folder, const char* path, mode_t mode), (folder, path, mode))
OF_PATH(linkat, (int folder, const char* path, int to_folder, const char* to, int flags),
        (folder, path, to_folder, to, flags))
