/* Counts the calls that change a disk, and kills the process or fails the call at a given one. Loaded with LD_PRELOAD.
 *
 *   TORTURE_KILL_AT=n   the process dies before the n-th call
 *   TORTURE_FULL_AT=n   from the n-th call on the disk is full
 *   TORTURE_COUNT=file  writes the number of calls into the file at the end
 *   TORTURE_CLOCK=n     the clock of the day is n seconds ahead, or behind if n is negative
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static atomic_long calls;
static long kill_at, full_at, clock_shift;

__attribute__((constructor)) static void start(void) {
    const char *kill_text = getenv("TORTURE_KILL_AT"), *full_text = getenv("TORTURE_FULL_AT");
    const char *clock_text = getenv("TORTURE_CLOCK");
    kill_at = kill_text ? atol(kill_text) : 0;
    full_at = full_text ? atol(full_text) : 0;
    clock_shift = clock_text ? atol(clock_text) : 0;
}

__attribute__((destructor)) static void end(void) {
    const char *path = getenv("TORTURE_COUNT");
    FILE *file = path ? fopen(path, "w") : NULL;
    if (file) {
        fprintf(file, "%ld", atomic_load(&calls));
        fclose(file);
    }
}

/* Counts a call. Returns 1 if it must fail. */
static int meets_fault(void) {
    long number = atomic_fetch_add(&calls, 1) + 1;
    if (kill_at && number == kill_at) raise(SIGKILL);
    return full_at && number >= full_at;
}

#define REAL(type, name, ...) ((type(*)(__VA_ARGS__))dlsym(RTLD_NEXT, #name))
#define FULL { errno = ENOSPC; return -1; }

ssize_t write(int fd, const void *data, size_t size) {
    if (fd > 2 && meets_fault()) FULL
    return REAL(ssize_t, write, int, const void *, size_t)(fd, data, size);
}
ssize_t writev(int fd, const struct iovec *parts, int count) {
    if (fd > 2 && meets_fault()) FULL
    return REAL(ssize_t, writev, int, const struct iovec *, int)(fd, parts, count);
}
ssize_t pwrite64(int fd, const void *data, size_t size, off64_t at) {
    if (meets_fault()) FULL
    return REAL(ssize_t, pwrite64, int, const void *, size_t, off64_t)(fd, data, size, at);
}
ssize_t pwrite(int fd, const void *data, size_t size, off_t at) {
    if (meets_fault()) FULL
    return REAL(ssize_t, pwrite, int, const void *, size_t, off_t)(fd, data, size, at);
}
int ftruncate64(int fd, off64_t size) {
    if (meets_fault()) FULL
    return REAL(int, ftruncate64, int, off64_t)(fd, size);
}
int ftruncate(int fd, off_t size) {
    if (meets_fault()) FULL
    return REAL(int, ftruncate, int, off_t)(fd, size);
}
/* These change no size: a full disk does not stop them. */
int fsync(int fd) { meets_fault(); return REAL(int, fsync, int)(fd); }
int fdatasync(int fd) { meets_fault(); return REAL(int, fdatasync, int)(fd); }
int unlink(const char *path) { meets_fault(); return REAL(int, unlink, const char *)(path); }
int rename(const char *from, const char *to) { meets_fault(); return REAL(int, rename, const char *, const char *)(from, to); }
int link(const char *from, const char *to) {
    if (meets_fault()) FULL
    return REAL(int, link, const char *, const char *)(from, to);
}
int mkdir(const char *path, mode_t mode) {
    if (meets_fault()) FULL
    return REAL(int, mkdir, const char *, mode_t)(path, mode);
}

/* The clock of the day. The steady clock, which measures durations, never goes back. */
int clock_gettime(clockid_t clock, struct timespec *now) {
    int outcome = REAL(int, clock_gettime, clockid_t, struct timespec *)(clock, now);
    if (outcome == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) now->tv_sec += clock_shift;
    return outcome;
}
int gettimeofday(struct timeval *now, void *zone) {
    int outcome = REAL(int, gettimeofday, struct timeval *, void *)(now, zone);
    if (outcome == 0) now->tv_sec += clock_shift;
    return outcome;
}
time_t time(time_t *now) {
    time_t shifted = REAL(time_t, time, time_t *)(NULL) + clock_shift;
    if (now) *now = shifted;
    return shifted;
}
