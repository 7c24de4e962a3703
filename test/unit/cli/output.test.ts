import { describe, expect, test } from '@jest/globals';
import stringWidth from 'string-width';
import { fileFault, printable } from '../../../src/cli/errors.ts';
import { table } from '../../../src/cli/output.ts';

test('a table has no borders, two spaces between its columns, and nothing behind the last', () => {
  const rows = [
    ['1', 'a long cell'],
    ['22', '-'],
  ];
  for (const width of [undefined, 80])
    expect(table(['ID', 'NAME'], rows, width)).toBe('ID  NAME\n1   a long cell\n22  -');
});

const id = '6f1c2a52-5a7e-4d0b-9c38-1f4e8a7b2d10';
const long = 'a label of many words, which is much longer than the column that is left for it';

const widest = (text: string) => Math.max(...text.split('\n').map((line) => stringWidth(line)));

describe('a table that is wider than the terminal', () => {
  test('shows each row as a block of lines', () => {
    const rows = [
      [id, id, id],
      [id, '-', long],
    ];
    expect(table(['CREDENTIAL', 'ORGANISATION', 'REQUEST'], rows, 60)).toBe(
      [
        `CREDENTIAL    ${id}`,
        `ORGANISATION  ${id}`,
        `REQUEST       ${id}`,
        '',
        `CREDENTIAL    ${id}`,
        'ORGANISATION  -',
        'REQUEST       a label of many words, which is much longer th',
        '              an the column that is left for it',
      ].join('\n'),
    );
  });

  test.each([1, 20, 40, 80, 120, 200])('fits %i columns, or as few as a block needs', (width) => {
    const row = [
      id,
      '合同续签与供应商入职资料合同续签与供应商入职资料',
      `https://files.example/${id}/${id}.webp`,
      long,
    ];
    const shown = table(['FILE', 'LABEL', 'THUMBNAIL', 'NOTE'], [row], width);
    expect(widest(shown)).toBeLessThanOrEqual(Math.max(width, 'THUMBNAIL'.length + 2 + 20));
  });
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

const fault = (code: unknown, syscall: unknown) => fileFault(Object.assign(new Error('message'), { code, syscall }));

test('a fault of the file system is known by its code and its system call, and told in words', () => {
  expect([fault('EACCES', 'open'), fault('EIO', 'open')]).toEqual(['permission denied', 'message']);
  const others = [fault('ENOENT', undefined), fault(undefined, 'open'), fileFault('ENOENT'), fileFault(null)];
  expect(others.filter((each) => each !== undefined)).toEqual([]);
});
