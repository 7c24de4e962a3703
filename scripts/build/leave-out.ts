import type { Plugin } from 'esbuild';

/**
 * Leaves packages out of the bundle that another package loads and the program never calls. A call would fail with an
 * error that names the package.
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
