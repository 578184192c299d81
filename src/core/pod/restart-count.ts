// The restart count of a container's next run where the runtime has no record of an earlier one: by the names of its log files,
// `<count>.log` and the rotated `<count>.log.<when>` (kubelet: kuberuntime_container.go). The machine keeps the same number in its state; a
// runtime that starts anew on an old log directory reads it with this.

const logFile = /^(\d+)\.log(\..*)?$/;

/** One more than the largest count among the names; 0 where none is a log file. Names that merely look like one do not count. */
export function restartCountOfLogs(names: readonly string[]): number {
  let next = 0;
  for (const name of names) {
    const count = Number(logFile.exec(name)?.[1] ?? Number.NaN);
    if (Number.isSafeInteger(count) && count >= next) next = count + 1;
  }
  return next;
}
