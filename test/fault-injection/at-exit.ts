const tasks: (() => void)[] = [];
process.once('exit', () => {
  for (const task of tasks.reverse())
    try {
      task();
    } catch (error) {
      process.stderr.write(`What was begun is not undone: ${String(error)}\n`);
    }
});

/**
 * Has something undone when this process ends, however that comes, unless it is done before by the function returned. The
 * last begun is undone first.
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
