import { expect, test } from '@jest/globals';
import type { FileSummary, StoredCase } from '../../../src/domain/case.ts';
import { CaseReader, type Fault, Faults } from '../../../src/domain/case-import.ts';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const id = '6f1c2a52-5a7e-4d0b-9c38-1f4e8a7b2d10';
const textFault = 'must not contain U+0000 or half of a surrogate pair';
const timeFault = 'must be a time like 2026-03-02T09:15:00Z, without leap second, of the years 0000 to 9999';

const file = (overrides: object = {}) => ({
  label: 'invoice.pdf',
  uploaded_at: '2026-03-02T09:16:00Z',
  thumbnail_url: 'https://files.example/1.png',
  mime_type: 'application/octet-stream',
  analysis_status: 'waiting_for_upload',
  ...overrides,
});
const minimal = (overrides: object = {}) => ({ created_at: '2026-03-02T09:15:00Z', files: [], ...overrides });

/** Reads cases as they come from a file: the files of a case before the case. */
function read(input: unknown[]): { cases: StoredCase[]; faults: Faults } {
  const cases: StoredCase[] = [];
  const faults = new Faults(100);
  let files: FileSummary[] = [];
  const reader = new CaseReader(
    {
      addFile: (added) => files.push(added),
      addCase: (record) => {
        cases.push({ ...record, files });
        files = [];
      },
    },
    faults,
  );
  for (const [caseIndex, value] of input.entries()) {
    const given = (value ?? {}) as { files?: unknown };
    if (Array.isArray(given.files)) {
      given.files.forEach((added, fileIndex) => {
        reader.file(added, { caseIndex, fileIndex });
      });
      reader.case({ ...given, files: [] }, { caseIndex });
    } else reader.case(value, { caseIndex });
  }
  return { cases, faults };
}

function accepted(input: unknown[]): StoredCase[] {
  const { cases, faults: found } = read(input);
  if (found.count > 0) throw new Error(JSON.stringify(found.shown));
  return cases;
}

function faults(...input: unknown[]): string[] {
  return read(input).faults.shown.map(({ place, message }: Fault) => `${place}: ${message}`);
}

const sized = (bytes: number) => ({ metadata: { text: `${'x'.repeat(bytes - '{"text":"ß"}'.length - 1)}ß` } });
const deep = (levels: number) => ({
  metadata: { deep: JSON.parse('['.repeat(levels - 1) + ']'.repeat(levels - 1)) as unknown },
});

test('an import fills in what may be omitted', () => {
  const [read] = accepted([minimal({ files: [file()] })]);
  const stored = { uploaded_at: '2026-03-02T09:16:00.000Z', analysis_completed_at: null };
  expect(read).toEqual({
    case_id: expect.stringMatching(uuid),
    label: null,
    metadata: {},
    locked_at: null,
    created_at: '2026-03-02T09:15:00.000Z',
    updated_at: '2026-03-02T09:15:00.000Z',
    files: [{ ...file(), file_id: expect.stringMatching(uuid), ...stored }],
  });
});

test('an import gives each case and file an identifier of its own', () => {
  const cases = accepted([minimal({ files: [file(), file()] }), minimal({ files: [file()] })]);
  const ids = cases.flatMap((read) => [read.case_id, ...read.files.map(({ file_id }) => file_id)]);
  expect(new Set(ids).size).toBe(5);
});

test('an import brings identifiers and times into the form in which they are stored', () => {
  const [read] = accepted([
    minimal({
      case_id: id.toUpperCase(),
      created_at: '2026-03-02T10:15:00+01:00',
      updated_at: '2026-03-03T09:15:00.5z',
      locked_at: '2026-03-02T09:15:00-00:30',
      is_locked: true,
      file_analysis_status: 'file_analysis_complete',
      file_analysis_completed_at: '2026-03-02T10:20:00+01:00',
      total_files: 1,
      files: [
        file({
          file_id: 'ABCDEF00-0000-4000-8000-000000000000',
          analysis_status: 'analysis_failed',
          analysis_completed_at: '2026-03-02T11:20:00+02:00',
        }),
      ],
    }),
  ]);
  expect(read).toMatchObject({
    case_id: id,
    created_at: '2026-03-02T09:15:00.000Z',
    updated_at: '2026-03-03T09:15:00.500Z',
    locked_at: '2026-03-02T09:45:00.000Z',
    files: [{ file_id: 'abcdef00-0000-4000-8000-000000000000', analysis_completed_at: '2026-03-02T09:20:00.000Z' }],
  });
});

test.each([
  ['2026-03-02t09:15:00z', '2026-03-02T09:15:00.000Z'],
  ['2026-03-02T09:15:00.123456+01:30', '2026-03-02T07:45:00.123Z'],
  ['0049-01-01T00:00:00-01:00', '0049-01-01T01:00:00.000Z'],
  ['0000-01-01T00:00:00Z', '0000-01-01T00:00:00.000Z'],
])('an import stores the time %s as %s', (created_at, stored) => {
  expect(accepted([minimal({ created_at })])).toMatchObject([{ created_at: stored }]);
});

test('an import takes null anywhere in metadata, and at most 255 characters of label, 64 KiB and 100 levels of metadata', () => {
  const metadata = { nothing: null, list: [null] };
  expect(accepted([minimal({ metadata })])).toMatchObject([{ metadata }]);
  expect(accepted([{ label: '😀'.repeat(255) }, sized(65_536), deep(100)].map(minimal))).toHaveLength(3);
});

const whenWaiting = 'when analysis_status is waiting_for_upload';
const late = '9999-12-31T23:59:59-01:00';
const past = '2026-03-01T00:00:00Z';

test.each<[string, unknown, string[]]>([
  ['null', null, ['[0]: must be object']],
  ['no object', 5, ['[0]: must be object']],
  ['an empty object', {}, ['[0].created_at: is required', '[0].files: is required']],
  [
    'unknown fields with odd names',
    JSON.parse('{"files":[],"created_at":"2026-01-01T00:00:00Z","__proto__":1,"a\\u001b b":2}'),
    ['[0].__proto__: is not a known field', '[0]["a\\u001b b"]: is not a known field'],
  ],
  [
    'U+0000 and halves of surrogate pairs in any text',
    minimal({
      label: 'a\0b',
      metadata: { 'a\0': { list: [['\0'], 'fine \u{1f600}'] }, b: '\ud800' },
      files: [
        file({ label: '\udc00', mime_type: 'text/plain;a=\0' }),
        file({ thumbnail_url: 'https://files.example/\0' }),
      ],
    }),
    [
      `[0].files[0].label: ${textFault}`,
      `[0].files[0].mime_type: ${textFault}`,
      '[0].files[0].mime_type: must be application/octet-stream when analysis_status is waiting_for_upload',
      `[0].files[1].thumbnail_url: ${textFault}`,
      `[0].label: ${textFault}`,
      `[0].metadata["a\\u0000"]: the name ${textFault}`,
      `[0].metadata["a\\u0000"].list[0][0]: ${textFault}`,
      `[0].metadata.b: ${textFault}`,
    ],
  ],
  [
    'times out of order',
    minimal({
      updated_at: past,
      locked_at: past,
      files: [file({ uploaded_at: past }), file({ analysis_status: 'analysis_complete', analysis_completed_at: past })],
    }),
    [
      '[0].files[1].analysis_completed_at: must not be before uploaded_at',
      '[0].updated_at: must not be before created_at',
      '[0].locked_at: must not be before created_at',
      '[0].files[0].uploaded_at: must not be before created_at of the case',
    ],
  ],
])('an import is refused for %s', (_, input, expected) => {
  expect(faults(input)).toEqual(expected);
});

test.each<[fault: string, ...fields: object[]]>([
  ['files: must be array', { files: {} }],
  ['colour: is not a known field', { colour: 1 }],
  ['case_id: must match format "uuid"', ...['42', `${id}0`, `urn:uuid:${id}`].map((text) => ({ case_id: text }))],
  ['label: must NOT have more than 255 characters', { label: 'x'.repeat(256) }],
  ['metadata: must be object', { metadata: [] }],
  ['metadata: must not be larger than 64 KiB of JSON', sized(65_537)],
  ['metadata: must not be nested deeper than 100 levels', deep(101), deep(20_000)],
  [
    'metadata: must not hold a number that JSON in double precision changes; put it between quotes',
    ...['12345678901234567890', '1e400'].map((text) => ({ metadata: { nested: [JSON.parse(text) as number] } })),
  ],
  ['created_at: must match format "date-time"', { created_at: 'now' }],
  [
    `created_at: ${timeFault}`,
    // A leap second, before the year 0, and of forms that `Date` would read as 2049 or not at all.
    ...['2016-12-31T23:59:60Z', '0000-01-01T00:00:00+01:00'].map((time) => ({ created_at: time })),
    ...['0049-01-01 00:00:00Z', '2026-03-02T09:15:00+01'].map((time) => ({ created_at: time })),
  ],
  [`locked_at: ${timeFault}`, { locked_at: late }],
  [`updated_at: ${timeFault}`, { updated_at: late }],
  [
    'file_analysis_status: must be one of waiting_for_file_analysis, file_analysis_complete',
    { file_analysis_status: 'done' },
  ],
  // What does not follow from the other fields.
  ['is_locked: must be false, as follows from the other fields', { is_locked: true }],
  [
    'file_analysis_status: must be "waiting_for_file_analysis", as follows from the other fields',
    { file_analysis_status: 'file_analysis_complete' },
  ],
  [
    'file_analysis_completed_at: must be null, as follows from the other fields',
    { file_analysis_completed_at: '2026-03-02T09:20:00.000Z' },
  ],
  ['total_files: must be 1, as follows from the other fields', { total_files: 2, files: [file()] }],
])('a case is refused: %s', (fault, ...cases) => {
  for (const fields of cases) expect(faults(minimal(fields))).toEqual([`[0].${fault}`]);
});

test.each<[fault: string, ...fields: object[]]>([
  ['size: is not a known field', { size: 1 }],
  ...['label', 'uploaded_at', 'thumbnail_url', 'mime_type', 'analysis_status'].map((name): [string, object] => [
    `${name}: is required`,
    { [name]: undefined },
  ]),
  ['mime_type: must match format "media-type"', { mime_type: 'pdf' }],
  [`mime_type: must be application/octet-stream ${whenWaiting}`, { mime_type: 'application/pdf' }],
  [`uploaded_at: ${timeFault}`, { uploaded_at: late }],
  [`analysis_completed_at: ${timeFault}`, { analysis_status: 'analysis_failed', analysis_completed_at: late }],
  // States that nobody would end.
  [
    'analysis_status: must be one of waiting_for_upload, analysis_complete, analysis_failed',
    ...['done', 'waiting_for_analysis', 'analysing'].map((status) => ({ analysis_status: status })),
  ],
  [
    'thumbnail_url: must not contain the file_id, because nobody may be able to guess the address',
    { file_id: id, thumbnail_url: `https://files.example/${id}.png` },
    { file_id: id, thumbnail_url: `https://files.example/?f=${id.replaceAll('-', '').toUpperCase()}` },
  ],
  [
    'thumbnail_url: must be an http or https address',
    ...['', 'x', '/thumbnails/1.webp', 'javascript:1', 'file:///etc/passwd'].map((text) => ({ thumbnail_url: text })),
  ],
  [
    'analysis_completed_at: must be given when analysis_status is analysis_failed',
    { analysis_status: 'analysis_failed', analysis_completed_at: null },
  ],
  [`analysis_completed_at: must be null ${whenWaiting}`, { analysis_completed_at: '2026-03-02T09:20:00Z' }],
])('a file is refused: %s', (fault, ...files) => {
  for (const fields of files) expect(faults(minimal({ files: [file(fields)] }))).toEqual([`[0].files[0].${fault}`]);
});

test('no fault of an import hides the others', () => {
  expect(faults({ files: [file({ label: 1 }), 2] }, minimal(), 3)).toEqual([
    '[0].files[0].label: must be string',
    '[0].files[1]: must be object',
    '[0].created_at: is required',
    '[2]: must be object',
  ]);
});
