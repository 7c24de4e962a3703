import { registerHooks } from 'node:module';

const jestGlobals = import.meta.resolve('./jest-globals.ts');

/** Gives tests that are loaded from now on what they import from `@jest/globals`. */
export function provideGlobals(): void {
  registerHooks({
    resolve: (specifier, context, nextResolve) =>
      specifier === '@jest/globals' ? { url: jestGlobals, shortCircuit: true } : nextResolve(specifier, context),
  });
}
