import { isDeepStrictEqual } from 'node:util';
import type { DocumentedExample } from './documented-examples.ts';
import type { Preferences } from './prefer.ts';

/** The preferences that choose an example. */
export const choosingPreferences = ['code', 'example'] as const;

/**
 * The example that a request asks for with `Prefer: code=403, example=feature-not-enabled`; undefined if there is none.
 * A request that asks for nothing gets a success. Among several that fit, one that says what the request's body says is
 * taken, so that a saved value comes back; else the first.
 */
export function chooseExample(
  examples: readonly DocumentedExample[],
  preferences: Preferences,
  body: unknown,
): DocumentedExample | undefined {
  const [code, name] = choosingPreferences.map((preference) => preferences.get(preference));
  const chosen = code !== undefined || name !== undefined;
  const fitting = examples.filter(
    (example) =>
      (chosen || example.status < 300) &&
      (code === undefined || code === String(example.status)) &&
      (name === undefined || name === example.name),
  );
  return fitting.find((example) => repeats(example.body, body)) ?? fitting[0];
}

function repeats(answered: object, asked: unknown): boolean {
  if (typeof asked !== 'object' || asked === null) return false;
  return Object.entries(asked).every(([field, value]) => isDeepStrictEqual(Reflect.get(answered, field), value));
}
