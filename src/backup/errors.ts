/** A backup cannot be made, read or restored; the message says what, where and what to do. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
}

/** The error of a backup with a part that is missing or damaged. */
export function damagedBackup(folder: string, fault: string, cause?: unknown): BackupError {
  return new BackupError(`The backup ${folder} is damaged: ${fault}. Restore another backup.`, { cause });
}

/** Turns an error of the file system into one that names the place and what to do. Other errors stay as they are. */
export function explainWrite(place: string): (error: unknown) => never {
  return (error) => {
    const { code, syscall, message } = error as NodeJS.ErrnoException;
    const full = code === 'ENOSPC' || code === 'EDQUOT' || code === 'SQLITE_FULL';
    if (syscall === undefined && !full) throw error;
    const advice = full ? 'Free disk space, or name a folder on another disk' : 'Check that the folder is writable';
    throw new BackupError(`${place} cannot be written: ${message}. ${advice}.`, { cause: error });
  };
}
