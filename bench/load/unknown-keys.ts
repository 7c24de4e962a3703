import { generateSecret } from '../../src/domain/secret.ts';

/** API keys of the right form that nobody was given: each costs a server its look-up. */
export function generateUnknownKeys(count: number): string[] {
  return Array.from({ length: count }, () => generateSecret('api-key', 'uk'));
}
