/** Bodies that a lenient server of this API would take for an update. */

/** Fields that frameworks and databases give a meaning, and those that this API's data has elsewhere. */
const meaningful = ['$where', '$set', 'prototype', '__defineGetter__', 'toJSON', 'then', '_id'];
const ofOtherData = ['id', 'role', 'permissions', 'organisation_id', 'updated_at', 'force'];

const depth = 3000;

/** @param name the name of a field of the body, with its valid value */
export function similarBodies(name: string, value: unknown): Readonly<Record<string, string>> {
  const text = JSON.stringify(value);
  const instead = [`${name} `, ` ${name}`, `${name}\\u0000`, `${name}[]`, `/${name}`, `\\u0435${name.slice(1)}`];
  const beside = [...meaningful, ...ofOtherData, '\\ud800', 'x'.repeat(2000)];
  const named = (each: string) => (each.length > 100 ? `of ${each.length} characters` : each);
  return {
    ...Object.fromEntries(beside.map((each) => [`the field ${named(each)}`, `{"${each}":${text},"${name}":${text}}`])),
    ...Object.fromEntries(instead.map((each) => [`the field ${JSON.stringify(each)} instead`, `{"${each}":${text}}`])),
    ...Object.fromEntries(
      ['__proto__', '$set', 'data'].map((each) => [`the field within ${each}`, `{"${each}":{"${name}":${text}}}`]),
    ),
    '100 other fields': `{${Array.from({ length: 100 }, (_none, index) => `"f${index}":0,`).join('')}"${name}":${text}}`,
    'the value in an operator': `{"${name}":{"$eq":${text}}}`,
    'the value with a space': `{"${name}":"${String(value)} "}`,
    'the value nested deeply': `{"${name}":${'['.repeat(depth)}${text}${']'.repeat(depth)}}`,
    'a number beyond the range of doubles': `{"${name}":1e999}`,
    'a number of 400 digits': `{"${name}":${'9'.repeat(400)}}`,
    'a string of 10,000 characters': `{"${name}":"${'x'.repeat(10_000)}"}`,
    'a name repeated 200 times, the last time with null': `{${`"${name}":${text},`.repeat(200)}"${name}":null}`,
  };
}
