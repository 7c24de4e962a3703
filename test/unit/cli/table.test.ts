import { describe, expect, test } from '@jest/globals';
import stringWidth from 'string-width';
import { table } from '../../../src/cli/output.ts';

const id = '6f1c2a52-5a7e-4d0b-9c38-1f4e8a7b2d10';
const long = 'a label of many words, which is much longer than the column that is left for it';

const widest = (text: string) => Math.max(...text.split('\n').map((line) => stringWidth(line)));

describe('a table that is wider than the terminal', () => {
  test('wraps its longest cells, and leaves identifiers whole', () => {
    const text = table(['CASE', 'LABEL', 'FILES'], [[id, long, '3']], 80);
    expect(widest(text)).toBeLessThanOrEqual(80);
    expect(text.split('\n').length).toBeGreaterThan(2);
    expect(text).toContain(id);
    expect(text).toMatch(/^CASE +LABEL +FILES\n/);
  });

  test('shows each row as a block of lines if no wrapping makes it fit', () => {
    const rows = [
      [id, id, id],
      [id, null, long],
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
    const rows = [
      [id, '合同续签与供应商入职资料合同续签与供应商入职资料', `https://files.example/${id}/${id}.webp`, long],
    ];
    expect(widest(table(['FILE', 'LABEL', 'THUMBNAIL', 'NOTE'], rows, width))).toBeLessThanOrEqual(
      Math.max(width, 'THUMBNAIL'.length + 2 + 20),
    );
  });
});

test('a table that fits is as it is without a terminal', () => {
  const rows = [['a', 'b c']];
  expect(table(['X', 'Y'], rows, 80)).toBe(table(['X', 'Y'], rows));
});
