import type { Plugin } from 'esbuild';

/**
 * Takes two modules of Node.js as `require` would. An `import` reads all exports, lazy ones too: one of `node:http` loads
 * undici, which is 13 MiB of memory and a third of the start, and one of `node:process` opens the standard streams.
 */
export const lazyBuiltins: Plugin = {
  name: 'lazy-builtins',
  setup(build) {
    build.onResolve({ filter: /^node:(http|process)$/ }, ({ path, kind }) =>
      kind === 'import-statement' ? { path, namespace: 'builtin' } : undefined,
    );
    build.onLoad({ filter: /^/, namespace: 'builtin' }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule('${path}');`,
    }));
  },
};
