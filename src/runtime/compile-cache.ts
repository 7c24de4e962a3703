/**
 * Keeps compiled code from one start to the next. Whoever can write to the folder controls this program, so neither it
 * nor its parents may be writable by other users. Node.js itself detects changed sources.
 */
import { existsSync, lstatSync, mkdirSync, realpathSync } from 'node:fs';
import module from 'node:module';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';

const writableByOthers = 0o022;
const sticky = 0o1000;
const saveAfterMilliseconds = 3000;

/** Enables the cache of compiled code, unless the environment decides about it or there is no safe folder for it. */
export function enableCompileCache(environment: NodeJS.ProcessEnv): void {
  if (environment['NODE_COMPILE_CACHE'] || environment['NODE_DISABLE_COMPILE_CACHE']) return;
  try {
    const home = cacheHome(environment);
    if (home === undefined) return;
    const folder = realpathSync(makeFolder(join(makeFolder(home), 'document-analysis-api')));
    if (isOutOfReach(folder)) module.enableCompileCache(folder);
  } catch {
    // The program starts without the cache, only slower.
  }
}

/** Saves compiled code once a server has served its first requests; Node.js would save it only when the process ends. */
export function saveCompiledCodeSoon(): void {
  setTimeout(() => {
    module.flushCompileCache();
  }, saveAfterMilliseconds).unref();
}

/** As the XDG Base Directory Specification says, which ignores relative paths. A user without a home has none. */
function cacheHome({ XDG_CACHE_HOME: given = '' }: NodeJS.ProcessEnv): string | undefined {
  return [given, join(homedir(), '.cache')].find((path) => isAbsolute(path));
}

/** Makes a folder unless it exists. With `recursive`, Node.js would never come back from some places, as below /proc. */
function makeFolder(path: string): string {
  if (!existsSync(path)) mkdirSync(path, { mode: 0o700 });
  return path;
}

/** Whether no user but this one and root can change a folder, or put another one in its place. */
function isOutOfReach(folder: string): boolean {
  if ((lstatSync(folder).mode & writableByOthers) !== 0) return false;
  const user = process.getuid?.();
  const isKept = (path: string): boolean => {
    const { uid, mode } = lstatSync(path);
    const isShared = (mode & writableByOthers) !== 0 && (mode & sticky) === 0;
    return (uid === user || uid === 0) && !isShared && (path === dirname(path) || isKept(dirname(path)));
  };
  return isKept(folder);
}
