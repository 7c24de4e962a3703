const tasks = new Set<() => void>();
process.once('exit', () => {
  for (const task of tasks) task();
});

/** Has something undone when this process ends, however that comes, unless it is done before by the function returned. */
export function atExit(task: () => void): () => void {
  tasks.add(task);
  return () => {
    if (tasks.delete(task)) task();
  };
}
