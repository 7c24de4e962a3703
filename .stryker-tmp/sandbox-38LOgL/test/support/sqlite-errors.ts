/**
 * Jest runs each test file in a realm of its own, but all of a process share the native part of better-sqlite3, which
 * makes its errors with the class of the first file. This has it take the class of the file that runs now.
 */
// @ts-nocheck

import { createRequire } from 'node:module';

const addon = createRequire(import.meta.url)('better-sqlite3/build/Release/better_sqlite3.node') as {
  isInitialized?: boolean;
};
addon.isInitialized = false;
