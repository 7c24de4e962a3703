import { expect, test } from '@jest/globals';
import { dereference, keysOfPointer } from '../../../contract/document/references.ts';

test.each([
  ['#/paths/~1cases~1%7Bid%7D/x~0y', ['paths', '/cases/{id}', 'x~y']],
  ['#/enum/100%/%zz', ['enum', '100%', '%zz']],
  ['#/%FF%7E', ['\uFFFD~']],
])('%s has keys with slashes, tildes and escapes', (pointer, keys) => {
  expect(keysOfPointer(pointer)).toEqual(keys);
});

test('equal references give the same object, also within itself, and one to nowhere nothing', () => {
  const { a, b, none, external } = dereference({
    a: { $ref: '#/node' },
    b: [{ $ref: '#/node' }],
    none: { $ref: '#/nowhere/at/all' },
    external: { $ref: 'other.yaml#/node' },
    node: { next: { $ref: '#/node' } },
  }) as Record<string, unknown>;
  expect((b as unknown[])[0]).toBe(a);
  expect((a as { next: unknown }).next).toBe(a);
  expect([none, external]).toEqual([undefined, undefined]);
});

test('a document is copied, not changed, and may have a field of any name', () => {
  const bundled = JSON.parse('{ "a": { "$ref": "#/b" }, "b": { "__proto__": { "x": 1 }, "$ref": 1 } }') as object;
  const before = JSON.stringify(bundled);
  const result = dereference(bundled) as { a: object };
  expect(Object.keys(result.a)).toEqual(['__proto__', '$ref']);
  expect(JSON.stringify(bundled)).toBe(before);
});
