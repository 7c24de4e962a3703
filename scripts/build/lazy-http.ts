import type { Plugin } from 'esbuild';

/**
 * Takes `node:http` as `require` would. An `import` of it reads each of its exports, lazy ones too, and one of those loads
 * undici: 13 MiB of memory and a third of the start.
 */
export const lazyHttp: Plugin = {
  name: 'lazy-http',
  setup(build) {
    build.onResolve({ filter: /^node:http$/ }, ({ path, kind }) =>
      kind === 'import-statement' ? { path, namespace: 'lazy-http' } : undefined,
    );
    build.onLoad({ filter: /^/, namespace: 'lazy-http' }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule('${path}');`,
    }));
  },
};
