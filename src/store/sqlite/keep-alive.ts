const keptAlive: object[] = [];

/**
 * Keeps a native object from the garbage collector until the process ends: built from source on Node.js 24.19 or newer,
 * better-sqlite3 12 aborts the process when one of its objects is collected (WiseLibs/better-sqlite3#1515).
 */
export function keepAlive<T extends object>(native: T): T {
  keptAlive.push(native);
  return native;
}
