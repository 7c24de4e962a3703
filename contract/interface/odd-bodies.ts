/** Bodies with which an overly lenient server would update the setting. `change` is the value that would change it. */
type Bodies = (change: boolean) => readonly (string | Buffer)[];

const values: readonly ((change: boolean) => unknown)[] = [
  Number,
  (change) => String(Number(change)),
  (change) => (change ? 'True' : 'False'),
  (change) => (change ? 'TRUE' : 'FALSE'),
  (change) => (change ? 'on' : 'off'),
  (change) => (change ? 'yes' : 'no'),
  (change) => `${change} `,
  (change) => [[change]],
  (change) => ({ $eq: change }),
  () => ({ $ne: null }),
  (change) => ({ value: change }),
  (change) => ({ valueOf: change }),
  () => ({}),
  () => [],
];

const extraNames = [
  '$where',
  '$set',
  'prototype',
  'hasOwnProperty',
  '__defineGetter__',
  'toJSON',
  'then',
  '_id',
  'role',
  'permissions',
  'Enabled',
  'enabled ',
  'enabled\u0000',
  '\u0435nabled',
  '/enabled',
];

const instead: readonly ((change: boolean) => string)[] = [
  (change) => `{"__proto__":{"enabled":${change}}}`,
  (change) => `{"constructor":{"prototype":{"enabled":${change}}}}`,
  (change) => `{"$set":{"enabled":${change}}}`,
  (change) => `{"data":{"enabled":${change}}}`,
  (change) => `{"Enabled":${change}}`,
  (change) => `{" enabled":${change}}`,
  (change) => `{"enabled[]":${change}}`,
  (change) => `{"\u0435nabled":${change}}`,
];

/** Rule 1 of section 4.2: objects whose `enabled` is not a boolean, or that have another field. */
export const invalidObjects: Readonly<Record<string, Bodies>> = {
  'values-like-booleans': (change) => values.map((value) => JSON.stringify({ enabled: value(change) })),
  'names-of-other-fields': (change) =>
    extraNames.map((name) => `{${JSON.stringify(name)}:${change},"enabled":${change}}`),
  'names-like-enabled': (change) => instead.map((body) => body(change)),
  'deep-nesting': (change) => [
    `{"enabled":${'['.repeat(3000)}${change}${']'.repeat(3000)}}`,
    `{"enabled":${change},"a":${'{"a":'.repeat(2500)}1${'}'.repeat(2500)}}`,
  ],
};

const capitalised = (change: boolean) => (change ? 'True' : 'False');

/** Decision D12: a body that is not JSON is refused, and the last value of a repeated name counts. */
export const invalidTexts: Readonly<Record<string, Bodies>> = {
  'literals-of-other-languages': (change) =>
    [
      capitalised(change),
      capitalised(change).toUpperCase(),
      'NaN',
      'Infinity',
      'undefined',
      '0x1',
      '01',
      `'${change}'`,
    ].map((literal) => `{"enabled":${literal}}`),
  'objects-of-other-languages': (change) => [
    `{"enabled":${change},}`,
    `{"enabled":${change}},`,
    `{enabled:${change}}`,
    `{"enabled":${change}}//`,
    `/**/{"enabled":${change}}`,
    `{"enabled"=>${change}}`,
    `{"enabled":${change};}`,
    `enabled: ${change}`,
  ],
  'bytes-around': (change) => [
    `{"enabled":${change}}\u0000`,
    `\f{"enabled":${change}}`,
    `\u00a0{"enabled":${change}}`,
    `{"enabled":\u2003${change}}`,
    Buffer.concat([Buffer.from(`{"enabled":${change}}`), Buffer.from([0xff])]),
    Buffer.from(`{"enabled":${change}}`, 'utf16le'),
  ],
  'repeated-name': (change) => [`{"enabled":${change},"enabled":"${change}"}`, `{"enabled":${change},"enabled":null}`],
};

/** Decision D12: valid bodies in unusual spellings, each of which saves the value. */
export const validTexts: Bodies = (change) => [
  `\u{FEFF}{"enabled":${change}}`,
  `{"enabled":"${change}","enabled":${change}}`,
  `{"enabled":${!change},"\\u0065nabled":${change}}`,
  ` \t\r\n{ "enabled" : ${change} }\r\n`,
];
