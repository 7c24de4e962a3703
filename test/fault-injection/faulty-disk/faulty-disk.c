/*
 * Loaded before the C library (LD_PRELOAD): simulates a failing disk for the file and the `-wal` file of one SQLite
 * database.
 *
 * Records the writes since the last sync of each file. When a sync fails or the power is cut, each of these writes is
 * kept, reverted, or torn at a sector, as on a real disk. A program that treats a failed sync as successful, or
 * confirms before a sync, therefore loses confirmed data.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SOUND, FAULTY, POWER_CUT };

/* The file that the test writes to and reads from, as `faulty-disk.ts` lays it out. */
static volatile struct {
  uint32_t mode, starts;
  uint32_t failed_writes, full, torn_writes, failed_wal_syncs, failed_file_syncs, failed_truncations, taken_back;
} *control;

struct unsynced {
  struct unsynced *earlier;
  ino_t file;
  int descriptor;
  off_t offset;
  size_t length;
  unsigned char before[];
};

static const char *database;
static uint64_t state;
static struct unsynced *latest;
static uint32_t operations_left;
static int fails_next;

static ssize_t (*real_pwrite)(int, const void *, size_t, off_t);
static int (*real_sync)(int);
static int (*real_truncate)(int, off_t);

__attribute__((constructor)) static void start(void) {
  real_pwrite = dlsym(RTLD_NEXT, "pwrite64");
  real_sync = dlsym(RTLD_NEXT, "fdatasync");
  real_truncate = dlsym(RTLD_NEXT, "ftruncate64");
  const char *control_path = getenv("FAULTY_DISK_CONTROL");
  const char *seed = getenv("FAULTY_DISK_SEED");
  if (!control_path || !seed) return;
  int file = open(control_path, O_RDWR | O_CLOEXEC);
  void *mapped = file < 0 ? MAP_FAILED : mmap(NULL, sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (mapped == MAP_FAILED) abort();
  control = mapped;
  state = (strtoull(seed, NULL, 10) << 16 | ++control->starts) * 2654435769u;
  database = getenv("FAULTY_DISK_DATABASE");
}

/* xorshift64*: 0 to below `bound`. */
static uint32_t below(uint32_t bound) {
  state ^= state >> 12;
  state ^= state << 25;
  state ^= state >> 27;
  return (uint32_t)((state * 2685821657736338717u) >> 33) % bound;
}

enum { OTHER, DATABASE, WAL };

static int kind_of(int descriptor) {
  if (!database) return OTHER;
  char link[64], path[4096];
  char *end = link + sizeof link - 1;
  *end = 0;
  unsigned number = (unsigned)descriptor;
  do *--end = (char)('0' + number % 10);
  while (number /= 10);
  end -= 14;
  memcpy(end, "/proc/self/fd/", 14);
  ssize_t length = readlink(end, path, sizeof path - 1);
  if (length < 0) return OTHER;
  path[length] = 0;
  size_t own = strlen(database);
  if (strncmp(path, database, own) != 0) return OTHER;
  return path[own] == 0 ? DATABASE : strcmp(path + own, "-wal") == 0 ? WAL : OTHER;
}

static ino_t file_of(int descriptor) {
  struct stat found;
  return fstat(descriptor, &found) == 0 ? found.st_ino : 0;
}

static void remember(int descriptor, off_t offset, size_t length) {
  struct unsynced *write = calloc(1, sizeof *write + length);
  if (!write) abort();
  *write = (struct unsynced){latest, file_of(descriptor), descriptor, offset, length};
  /* Beyond the end of the file it stays zero, as on a disk that had not yet written what the file was extended by. */
  if (pread(descriptor, write->before, length, offset) < 0) abort();
  latest = write;
}

/* Forgets the writes to a file, or to all with 0; a loss takes back any part of each, the latest first. */
static void settle(ino_t file, int loses) {
  for (struct unsynced **place = &latest; *place;) {
    struct unsynced *write = *place;
    if (file && write->file != file) {
      place = &write->earlier;
      continue;
    }
    if (loses) {
      size_t kept = below(3) ? (below(2) ? write->length : 0) : below((uint32_t)(write->length / 512) + 1) * 512;
      if (kept < write->length) {
        real_pwrite(write->descriptor, write->before + kept, write->length - kept, write->offset + (off_t)kept);
        control->taken_back += 1;
      }
    }
    *place = write->earlier;
    free(write);
  }
}

/* Counts down to the cut of the power, and says whether an operation fails that does so once in so many times. */
static int fails(uint32_t times) {
  if (control->mode == POWER_CUT) {
    if (operations_left == 0) operations_left = 1 + below(60);
    else if (--operations_left == 0) {
      settle(0, 1);
      kill(getpid(), SIGKILL);
    }
  }
  return control->mode == FAULTY && below(times) == 0;
}

static int fail(int code, volatile uint32_t *count) {
  *count += 1;
  errno = code;
  return -1;
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t length, off_t offset) {
  if (kind_of(descriptor) == OTHER) return real_pwrite(descriptor, bytes, length, offset);
  if (fails_next) {
    fails_next = 0;
    return fail(EIO, &control->failed_writes);
  }
  if (fails(40)) switch (below(3)) {
    case 0: return fail(EIO, &control->failed_writes);
    case 1: return fail(ENOSPC, &control->full);
    default:
      control->torn_writes += 1;
      fails_next = 1;
      length = (length + 1) / 2;
  }
  remember(descriptor, offset, length);
  return real_pwrite(descriptor, bytes, length, offset);
}

static int sync_file(int descriptor) {
  int kind = kind_of(descriptor);
  if (kind == OTHER) return real_sync(descriptor);
  int failed = fails(4);
  settle(file_of(descriptor), failed);
  if (failed) return fail(EIO, kind == WAL ? &control->failed_wal_syncs : &control->failed_file_syncs);
  return real_sync(descriptor);
}

int fsync(int descriptor) { return sync_file(descriptor); }
int fdatasync(int descriptor) { return sync_file(descriptor); }

int ftruncate64(int descriptor, off_t length) {
  if (kind_of(descriptor) != OTHER) {
    if (fails(4)) return fail(EIO, &control->failed_truncations);
    /* What is cut off is not taken back. */
    for (struct unsynced *write = latest; write; write = write->earlier)
      if (write->file == file_of(descriptor) && write->offset >= length) write->length = 0;
  }
  return real_truncate(descriptor, length);
}
