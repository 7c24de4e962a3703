/** Has Jest run TypeScript as Node.js itself does: the types are replaced by white space, so that no line or column moves. */
import { stripTypeScriptTypes } from 'node:module';

export default {
  /** @param {string} source */
  process: (source) => ({ code: stripTypeScriptTypes(source) }),
};
