import { isDeepStrictEqual } from 'node:util';
import type { DocumentedExample } from './documented-examples.ts';
import type { Preferences } from './prefer.ts';

/** The preferences that choose an example. */
export const choosingPreferences = ['code', 'example'] as const;

/**
 * The example that a request asks for with `Prefer: code=403, example=feature-not-enabled`; undefined if there is none.
 * A request without preferences gets a success. Of several matches, prefers one that contains the values of the
 * request's body, so that an update returns the saved value; else the first that is as documented.
 */
export function chooseExample(
  examples: readonly DocumentedExample[],
  preferences: Preferences,
  body: unknown,
): DocumentedExample | undefined {
  const [code, name] = choosingPreferences.map((preference) => preferences.get(preference));
  const chosen = code !== undefined || name !== undefined;
  const success = examples.some(({ status }) => status < 300) ? 300 : 400;
  const matching = examples.filter(
    (example) =>
      (chosen || example.status < success) &&
      (code === undefined || code === String(example.status)) &&
      (name === undefined || name === example.name),
  );
  const repeating = matching.find((example) => repeats(example.body, body));
  if (repeating || chosen) return repeating ?? matching[0];
  return matching.find(({ isSound }) => isSound) ?? matching[0]?.generated;
}

function repeats(shown: unknown, sent: unknown): boolean {
  if (typeof sent !== 'object' || sent === null || typeof shown !== 'object' || shown === null) return false;
  return Object.entries(sent).every(([field, value]) => isDeepStrictEqual(Reflect.get(shown, field), value));
}
