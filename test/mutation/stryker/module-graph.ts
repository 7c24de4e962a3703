import { registerHooks } from 'node:module';

/** The modules that each module imports, by their addresses. */
const imported = new Map<string, Set<string>>();

/** Remembers which module imports which from now on. */
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

/** The addresses of all modules that a module needs, itself included. */
export function reachedFrom(url: string): Set<string> {
  const reached = new Set([url]);
  for (const module of reached) for (const next of imported.get(module) ?? []) reached.add(next);
  return reached;
}
