const tasks: (() => void)[] = [];
process.once('exit', () => {
  for (const task of tasks.reverse())
    try {
      task();
    } catch (error) {
      process.stderr.write(`Cleanup failed: ${String(error)}\n`);
    }
});

/**
 * Runs a cleanup task when this process exits, unless the returned function has run it before. The last registered task
 * runs first.
 */
export function atExit(task: () => void): () => void {
  tasks.push(task);
  return () => {
    const index = tasks.indexOf(task);
    if (index === -1) return;
    tasks.splice(index, 1);
    task();
  };
}
