/** How many milliseconds of a processor some work takes: on a loaded machine it takes longer by the clock, but no more of that. */
export function processorMilliseconds(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
