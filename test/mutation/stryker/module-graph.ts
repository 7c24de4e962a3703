import { registerHooks } from 'node:module';

/** The URLs of the modules that each module imports. */
const imported = new Map<string, Set<string>>();

/** Records the imports of modules from now on. */
export function watchImports(): void {
  registerHooks({
    resolve(specifier, context, nextResolve) {
      const resolved = nextResolve(specifier, context);
      const { parentURL: parent } = context;
      if (parent !== undefined && !parent.includes('/node_modules/')) {
        const known = imported.get(parent) ?? new Set();
        imported.set(parent, known.add(resolved.url));
      }
      return resolved;
    },
  });
}

/** The URLs of all modules that a module imports, directly or indirectly, including its own. */
export function reachedFrom(url: string): Set<string> {
  const reached = new Set([url]);
  for (const module of reached) for (const next of imported.get(module) ?? []) reached.add(next);
  return reached;
}
