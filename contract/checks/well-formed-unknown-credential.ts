import fc from 'fast-check';

const alphabets = ['0123456789', 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz'];

/** Of a shorter part, a random one may be the same. */
const shortestPart = 8;

/** A secret of the same form, with the letters and digits of its last part replaced by others of the same kind. */
export function unknownCredentialLike(secret: string, seed: number): string {
  const lastPart = Math.max(secret.lastIndexOf('_'), secret.lastIndexOf('-'), secret.lastIndexOf('.')) + 1;
  const start = secret.length - lastPart < shortestPart ? 0 : lastPart;
  const rest = secret.slice(start);
  const letters = Array.from(rest, (letter) => {
    const alphabet = alphabets.find((candidates) => candidates.includes(letter));
    return alphabet === undefined ? fc.constant(letter) : fc.constantFrom(...Array.from(alphabet));
  });
  const [random = []] = fc.sample(fc.tuple(...letters), { seed, numRuns: 1 });
  const unknown = secret.slice(0, start) + random.join('');
  return unknown === secret ? `${secret}0` : unknown;
}
