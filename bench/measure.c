/*
 * measure REPORT COMMAND...: runs the command and writes "status user system peak wall" to REPORT: how it ended (as in
 * waitpid), CPU seconds, peak memory in KB, seconds by the clock.
 *
 * Why not from Python: Linux counts as peak memory of a process also what its parent had when it was forked, and a
 * Python interpreter is larger than some of the processes measured here.
 */
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds(struct timeval t) { return (double)t.tv_sec + (double)t.tv_usec / 1e6; }

int main(int argc, char** argv) {
  struct timespec begin, end;
  struct rusage usage;
  int status;
  FILE* report;
  pid_t child;

  if (argc < 3) return 2;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  child = fork();
  if (child < 0) return 2;
  if (child == 0) {
    execvp(argv[2], argv + 2);
    _exit(127);
  }
  if (wait4(child, &status, 0, &usage) != child) return 2;
  clock_gettime(CLOCK_MONOTONIC, &end);

  report = fopen(argv[1], "w");
  if (report == NULL) return 2;
  fprintf(report, "%d %.6f %.6f %ld %.6f\n", status, seconds(usage.ru_utime), seconds(usage.ru_stime), usage.ru_maxrss,
          (double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec) / 1e9);
  return fclose(report) == 0 ? 0 : 2;
}
