import { opendir } from 'node:fs/promises';
import type { Logger } from 'pino';
import { fileAccess } from '../../files/file-access.ts';
import { BoundedCheck } from './bounded-check.ts';

/** Whether the folder of files responds. One that does not exist yet does. */
export class FilesCheck {
  readonly #folder: BoundedCheck;

  constructor(folder: string, logger: Logger) {
    this.#folder = new BoundedCheck(() => openFolder(folder), logger, {
      passes: 'the files respond again',
      fails: 'the files do not respond',
    });
  }

  /** What works only in part for now; the result is there within two seconds. Logs when it changes. */
  async degraded(): Promise<'files'[]> {
    return (await this.#folder.passes()) ? [] : ['files'];
  }
}

function openFolder(path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    fileAccess.runEventually(() => open(path).then(resolve, reject));
  });
}

async function open(path: string): Promise<void> {
  try {
    const folder = await opendir(path);
    await folder.close();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}
