import fc, { type Arbitrary } from 'fast-check';

/** What parsers are known to trip over. */
const hostile = [
  ...['\0', '\r', '\n', '\r\n', '\r\n\r\n', '\t', ' ', '"', '\\', '%', '%00', '%2e%2e/', '\u00ff', '\u2028', '\ufeff'],
  ...['{', '}', '[', ']', '<<', '>>', '(', ')', ',', ';', ':', '=', '-', '.', '..', '/', '//', '?', '#', '@', '*'],
  ...['-1', '0', '9007199254740993', '1e999', '4294967296', 'NaN', 'null', 'true', '__proto__', 'constructor', 'eyJ'],
].map((text) => Buffer.from(text));

type Edit = (input: Uint8Array) => Uint8Array;

const place = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const at = (input: Uint8Array, share: number) => Math.floor(share * (input.length + 1));
const put = (input: Uint8Array, from: number, to: number, bytes: Uint8Array) =>
  Buffer.concat([input.subarray(0, from), bytes, input.subarray(to)]);

/** Changes of an input that need not know what it means; `others` are inputs to take parts of. */
function editOf(others: readonly Uint8Array[]): Arbitrary<Edit> {
  const part = fc.tuple(fc.constantFrom(...others), place, fc.nat({ max: 64 })).map(([other, from, length]) => {
    const start = Math.floor(from * other.length);
    return other.subarray(start, start + length);
  });
  const bytes = fc.oneof(fc.constantFrom(...hostile), part, fc.uint8Array({ maxLength: 4 }));
  return fc.oneof(
    fc.tuple(place, bytes).map(
      ([share, some]): Edit =>
        (input) =>
          put(input, at(input, share), at(input, share), some),
    ),
    fc.tuple(place, bytes).map(
      ([share, some]): Edit =>
        (input) =>
          put(input, at(input, share), at(input, share) + some.length, some),
    ),
    fc.tuple(place, fc.nat({ max: 64 })).map(
      ([share, length]): Edit =>
        (input) =>
          put(input, at(input, share), at(input, share) + length, Buffer.alloc(0)),
    ),
    place.map(
      (share): Edit =>
        (input) =>
          input.subarray(0, at(input, share)),
    ),
    fc.tuple(place, place, fc.integer({ min: 1, max: 200 })).map(([from, to, times]): Edit => (input) => {
      const [start, end] = [at(input, Math.min(from, to)), at(input, Math.max(from, to))];
      const repeated = input.subarray(start, Math.min(end, start + 80));
      return put(input, start, start, Buffer.concat(Array.from({ length: times }, () => repeated)));
    }),
  );
}

/** Kept inputs with a few edits. */
export function editedInputs(corpus: readonly Uint8Array[]): Arbitrary<Uint8Array> {
  return fc
    .tuple(fc.constantFrom(...corpus), fc.array(editOf(corpus), { maxLength: 6 }))
    .map(([input, edits]) => edits.reduce((changed, edit) => edit(changed), input));
}
