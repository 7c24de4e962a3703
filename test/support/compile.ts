import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

/** What TypeScript says of a folder with this configuration, a line a fault; nothing if it compiles. */
export async function compile(folder: string, configuration: object): Promise<string> {
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(configuration));
  const { stdout } = await promisify(execFile)(resolve('node_modules/.bin/tsc'), ['-p', folder, '--noEmit']).catch(
    (error: unknown) => error as { stdout: string },
  );
  return stdout;
}
