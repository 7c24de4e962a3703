import { join } from 'node:path';

/** Where the generators are installed and called. */
export const folder = import.meta.dirname;

/** Where the generated clients go, each into a folder that is named after its generator. */
export const outputFolder = join(folder, 'out');

/** The programs that call with the generated clients. */
export const callers = join(folder, 'callers');

/** A file of one of the installed generators. */
export const installedFile = (path: string): string => join(folder, 'node_modules', path);

/** The documents that `npm run docs` wrote, as they are published. */
export const publishedFolder = join(folder, '../../dist/docs');
