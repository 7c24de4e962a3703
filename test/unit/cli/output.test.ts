import { describe, expect, test } from '@jest/globals';
import { baseUrlOf } from '../../../src/cli/arguments.ts';
import { fileFault } from '../../../src/cli/errors.ts';
import { count } from '../../../src/cli/output.ts';
import { printable } from '../../../src/cli/errors.ts';
import { table } from '../../../src/cli/output.ts';

test('a table has no borders, two spaces between its columns, and nothing behind the last', () => {
  const rows = [
    ['1', 'a long cell'],
    ['22', null],
  ];
  expect(table(['ID', 'NAME'], rows)).toBe('ID  NAME\n1   a long cell\n22  -');
});

test.each([
  ['a line break', '\n', '\\u000a'],
  ['an escape', '\u001b', '\\u001b'],
  ['a delete', '\u007f', '\\u007f'],
  ['a control character beyond ASCII', '\u009b', '\\u009b'],
  ['a line separator', '\u2028', '\\u2028'],
  ['a paragraph separator', '\u2029', '\\u2029'],
  ['a direction mark', '\u200e\u200f', '\\u200e\\u200f'],
  ['a direction override', '\u202a\u202e', '\\u202a\\u202e'],
  ['a direction isolate', '\u2066\u2069', '\\u2066\\u2069'],
  ['any other character', 'aß😀 \u2065\u206a', 'aß😀 \u2065\u206a'],
])('%s is printed so that it cannot steer the terminal', (_name, text, printed) => {
  expect(printable(`x${text}y${text}`)).toBe(`x${printed}y${printed}`);
});

test('a number agrees with its noun', () => {
  expect([0, 1, 2].map((number) => count(number, 'case'))).toEqual(['0 cases', '1 case', '2 cases']);
});

test.each([
  ['0.0.0.0', 'http://127.0.0.1:80'],
  ['::', 'http://[::1]:80'],
  ['192.0.2.1', 'http://192.0.2.1:80'],
  ['toString', 'http://toString:80'],
])('a server that listens on %s is reached at %s', (host, url) => {
  expect(baseUrlOf(host, 80)).toBe(url);
});

describe('a fault of the file system', () => {
  const fault = (code: unknown, syscall: unknown) => fileFault(Object.assign(new Error('message'), { code, syscall }));

  test.each([
    ['ENOENT', 'no such file'],
    ['EACCES', 'permission denied'],
    ['EISDIR', 'it is a directory'],
    ['EIO', 'message'],
  ])('%s is told as: %s', (code, told) => {
    expect(fault(code, 'open')).toBe(told);
  });

  test('is known by its code and its system call', () => {
    expect([fault('ENOENT', undefined), fault(undefined, 'open'), fileFault('ENOENT'), fileFault(null)]).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });
});
