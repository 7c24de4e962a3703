/**
 * Keeps what V8 has compiled from one start to the next. Whoever can write there decides what this program runs, so
 * the folder and all above it must be beyond the reach of other users. Node.js itself compares each file with the source
 * that is loaded, and compiles it anew if either differs.
 */
import { lstatSync, mkdirSync, realpathSync } from 'node:fs';
import module from 'node:module';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';

const writableByOthers = 0o022;
const sticky = 0o1000;

/** Enables the cache of compiled code, unless the environment decides about it or there is no safe folder for it. */
export function enableCompileCache(environment: NodeJS.ProcessEnv): void {
  if (environment['NODE_COMPILE_CACHE'] || environment['NODE_DISABLE_COMPILE_CACHE']) return;
  try {
    const folder = join(cacheHome(environment), 'document-analysis-api');
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (isOutOfReach(realpathSync(folder))) module.enableCompileCache(folder);
  } catch {
    // It starts without, only slower.
  }
}

/** Writes what is compiled by now, which Node.js itself does only at the end of the process. */
export function saveCompiledCode(): void {
  module.flushCompileCache();
}

/** As the XDG Base Directory Specification says, which ignores relative paths. */
function cacheHome({ XDG_CACHE_HOME: given = '' }: NodeJS.ProcessEnv): string {
  return isAbsolute(given) ? given : join(homedir(), '.cache');
}

/** Whether no user but this one and root can change a folder, or put another one in its place. */
function isOutOfReach(folder: string): boolean {
  const user = process.getuid?.();
  const { mode } = lstatSync(folder);
  return (mode & writableByOthers) === 0 && isKept(folder);

  function isKept(path: string): boolean {
    const { uid, mode } = lstatSync(path);
    const isOurs = uid === user || uid === 0;
    const isShared = (mode & writableByOthers) !== 0 && (mode & sticky) === 0;
    return isOurs && !isShared && (path === dirname(path) || isKept(dirname(path)));
  }
}
