import { join } from 'node:path';
import type { Plugin } from 'esbuild';

/**
 * Combines modules that are imported dynamically and share most of their dependencies into one file. Otherwise, each
 * set of them that shares a module would get a file of its own, and every one of them would load a dozen more files.
 */
export function groupImports(folder: string, files: readonly string[]): Plugin {
  const namespace = 'group-imports';
  const members = files.map((file) => join(process.cwd(), folder, file));
  return {
    name: namespace,
    setup(build) {
      build.onResolve({ filter: /^\.\// }, ({ path, resolveDir, kind }) =>
        kind === 'dynamic-import' && members.includes(join(resolveDir, path)) ? { path: folder, namespace } : undefined,
      );
      build.onLoad({ filter: /^/, namespace }, () => ({
        contents: members.map((member) => `export * from ${JSON.stringify(member)};`).join('\n'),
        resolveDir: folder,
      }));
    },
  };
}
