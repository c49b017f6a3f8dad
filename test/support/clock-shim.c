/*
 * Moves the wall clock of one process while it runs. Loaded with LD_PRELOAD, it adds the milliseconds that
 * stand in a mapped file (RL_CLOCK_FILE: one native int64) to every reading of the real-time clock. The
 * monotonic clock is left alone, as a step of the system clock would leave it.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const int64_t none = 0;
static const volatile int64_t *offset_ms = &none;

__attribute__((constructor)) static void map_offset(void) {
  const char *path = getenv("RL_CLOCK_FILE");
  int fd = path == NULL ? -1 : open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  void *map = mmap(NULL, sizeof(int64_t), PROT_READ, MAP_SHARED, fd, 0);
  if (map != MAP_FAILED) offset_ms = map;
  close(fd);
}

/* Asks the kernel directly: looking up the next definition is not safe before the allocator is ready. */
int clock_gettime(clockid_t clock, struct timespec *out) {
  long failed = syscall(SYS_clock_gettime, clock, out);
  if (failed || (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE)) return (int)failed;
  int64_t shift = *offset_ms;
  int64_t nanos = out->tv_nsec + shift % 1000 * 1000000;
  int64_t carry = nanos < 0 ? -1 : nanos / 1000000000;
  out->tv_sec += shift / 1000 + carry;
  out->tv_nsec = nanos - carry * 1000000000;
  return 0;
}

int gettimeofday(struct timeval *restrict out, void *restrict zone) {
  struct timespec now;
  (void)zone;
  if (clock_gettime(CLOCK_REALTIME, &now)) return -1;
  out->tv_sec = now.tv_sec;
  out->tv_usec = now.tv_nsec / 1000;
  return 0;
}

time_t time(time_t *out) {
  struct timespec now;
  if (clock_gettime(CLOCK_REALTIME, &now)) return -1;
  if (out != NULL) *out = now.tv_sec;
  return now.tv_sec;
}
