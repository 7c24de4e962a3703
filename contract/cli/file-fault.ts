const reasons: Record<string, string | undefined> = {
  ENOENT: 'there is no such file',
  EACCES: 'permission denied',
  EISDIR: 'it is a directory',
};

/** Describes why a file cannot be read or written. */
export function fileFault(error: unknown): string {
  const { code = '', message } = error as NodeJS.ErrnoException;
  return reasons[code] ?? message;
}
