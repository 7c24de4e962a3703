const opened = new Set<() => Promise<void>>();

/** Has something closed after all tests of the file that opens it. Returns what closes it before that, once. */
export function afterwards(close: () => unknown): () => Promise<void> {
  let closing: Promise<unknown> | undefined;
  const once = async () => {
    opened.delete(once);
    await (closing ??= Promise.resolve(close()));
  };
  opened.add(once);
  return once;
}

/** Closes what is open, the latest first. */
export async function closeOpened(): Promise<void> {
  for (const close of [...opened].reverse()) await close();
}

/** Leaves open what a test file opens while it is loaded, since its tests run again. */
export function keepOpened(): void {
  opened.clear();
}
