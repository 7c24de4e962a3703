import { generateSecret } from '../../src/domain/secret.ts';

/** Well-formed API keys that were never issued: each costs the server a look-up. */
export function generateUnknownKeys(count: number): string[] {
  return Array.from({ length: count }, () => generateSecret('api-key', 'uk'));
}
