/**
 * Processor time of this process in milliseconds, user and system together: it measures work, not waiting, and other
 * programs do not add to it.
 */
export async function cpuMs(work: () => Promise<void> | void): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
