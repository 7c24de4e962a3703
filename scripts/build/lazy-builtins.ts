import type { Plugin } from 'esbuild';

/**
 * Loads two modules of Node.js as `require` would. An `import` evaluates all exports, lazy ones too: that of `node:http` loads
 * undici, which takes 13 MiB of memory and a third of the start, and that of `node:process` opens the standard streams.
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
