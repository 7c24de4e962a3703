import fc from 'fast-check';

const alphabets = ['0123456789', 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz'];

/** A secret of the same form, with the letters and digits of its last part replaced by others of the same kind. */
export function unknownCredentialLike(secret: string, seed: number): string {
  const start = Math.max(secret.lastIndexOf('_'), secret.lastIndexOf('-'), secret.lastIndexOf('.')) + 1;
  const rest = secret.slice(start);
  const letters = Array.from(rest, (letter) => {
    const alphabet = alphabets.find((candidates) => candidates.includes(letter));
    return alphabet === undefined ? fc.constant(letter) : fc.constantFrom(...Array.from(alphabet));
  });
  const [random = []] = fc.sample(fc.tuple(...letters), { seed, numRuns: 1 });
  return secret.slice(0, start) + random.join('');
}
