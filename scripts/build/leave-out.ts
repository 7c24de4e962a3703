import type { Plugin } from 'esbuild';

/**
 * Omits packages from the bundle that another package loads but the program never calls. Calling one fails with an
 * error that names it.
 */
export function leaveOut(packages: readonly string[]): Plugin {
  return {
    name: 'leave-out',
    setup(build) {
      build.onResolve({ filter: /^[^./]/ }, ({ path }) =>
        packages.includes(path) ? { path, namespace: 'left-out' } : undefined,
      );
      build.onLoad({ filter: /^/, namespace: 'left-out' }, ({ path }) => ({
        contents: `module.exports = function () { throw new Error('The bundle has no ${path}.'); };`,
      }));
    },
  };
}
