const reasons: Record<string, string | undefined> = {
  ENOENT: 'there is no such file',
  EACCES: 'permission denied',
  EISDIR: 'it is a directory',
};

/** Why a file cannot be read or written, in words. */
export function fileFault(error: unknown): string {
  const { code = '', message } = error as NodeJS.ErrnoException;
  return reasons[code] ?? message;
}
