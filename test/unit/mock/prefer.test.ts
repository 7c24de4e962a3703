import { expect, test } from '@jest/globals';
import { readPreferences } from '../../../contract/mock/app.ts';

test.each<[header: string | undefined, preferences: [string, string][]]>([
  [undefined, []],
  ['', []],
  ['=, ;, "', []],
  ['code=403', [['code', '403']]],
  ['Code=403, CODE=404', [['code', '403']]],
  ['code', [['code', '']]],
  [
    'code = 403 ,, example = "feature-not-enabled"',
    [
      ['code', '403'],
      ['example', 'feature-not-enabled'],
    ],
  ],
  [
    'respond-async, wait=10; unit="a,b", code=200',
    [
      ['respond-async', ''],
      ['wait', '10'],
      ['code', '200'],
    ],
  ],
  ['example="a, b; c=\\"d\\\\"', [['example', 'a, b; c="d\\']]],
  [
    'constructor=1, __proto__=2',
    [
      ['constructor', '1'],
      ['__proto__', '2'],
    ],
  ],
])('Prefer: %s', (header, preferences) => {
  expect([...readPreferences(header)]).toEqual(preferences);
});

test('a header as long as the server takes is read at once', () => {
  for (const piece of ['"', 'a="', '\\"', ',', ' ', '=', ';']) readPreferences(piece.repeat(16_384));
});
