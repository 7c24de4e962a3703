import { describe, expect, test } from '@jest/globals';
import { describeCase, type FileSummary, type StoredCase } from '../../../src/domain/case.ts';
import { CaseReader, type Fault } from '../../../src/domain/case-import.ts';
import { Faults } from '../../../src/domain/case-import-rules.ts';
import { buildCase } from '../../support/tenants.ts';

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
  const { shown } = read(input).faults;
  if (shown.length === 0) throw new Error('accepted');
  return shown.map(({ place, message }: Fault) => `${place}: ${message}`);
}

describe('an import', () => {
  test('may be empty', () => {
    expect(accepted([])).toEqual([]);
  });

  test('fills in what may be omitted', () => {
    const [read] = accepted([minimal({ files: [file()] })]);
    expect(read).toEqual({
      case_id: expect.stringMatching(uuid),
      label: null,
      metadata: {},
      locked_at: null,
      created_at: '2026-03-02T09:15:00.000Z',
      updated_at: '2026-03-02T09:15:00.000Z',
      files: [
        {
          ...file(),
          file_id: expect.stringMatching(uuid),
          uploaded_at: '2026-03-02T09:16:00.000Z',
          analysis_completed_at: null,
        },
      ],
    });
  });

  test('gives each case and file an identifier of its own', () => {
    const cases = accepted([minimal({ files: [file(), file()] }), minimal({ files: [file()] })]);
    const ids = cases.flatMap((read) => [read.case_id, ...read.files.map(({ file_id }) => file_id)]);
    expect(new Set(ids).size).toBe(5);
  });

  test("takes the API's response, and means the same by it", () => {
    const cases = [
      buildCase(['analysis_complete', 'analysis_failed']),
      buildCase(['waiting_for_upload', 'analysis_failed'], { locked_at: '2026-03-02T11:00:00.000Z', label: null }),
      buildCase([]),
    ];
    expect(accepted(cases.map(describeCase))).toEqual(cases);
  });

  test('brings identifiers and times into the form in which they are stored', () => {
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
});

describe('a fault of an import', () => {
  test('names the place and the rule of the document', () => {
    const cases = Array.from({ length: 13 }, () => minimal());
    cases[12] = minimal({ files: [file(), file(), file(), file({ uploaded_at: 'yesterday' })] });
    expect(faults(...cases)).toEqual(['[12].files[3].uploaded_at: must match format "date-time"']);
  });

  test.each([
    ['no object', 5, ['[0]: must be object']],
    ['null', null, ['[0]: must be object']],
    ['an empty object', {}, ['[0].created_at: is required', '[0].files: is required']],
    ['files that are no list', minimal({ files: {} }), ['[0].files: must be array']],
    ['a file that is no object', minimal({ files: [null] }), ['[0].files[0]: must be object']],
    ['an unknown field', minimal({ colour: 1 }), ['[0].colour: is not a known field']],
    [
      'an unknown field with an odd name',
      JSON.parse('{"files":[],"created_at":"2026-01-01T00:00:00Z","__proto__":1,"a\\u001b b":2}'),
      ['[0].__proto__: is not a known field', '[0]["a\\u001b b"]: is not a known field'],
    ],
    [
      'an unknown field of a file',
      minimal({ files: [file({ size: 1 })] }),
      ['[0].files[0].size: is not a known field'],
    ],
    ['an identifier that is none', minimal({ case_id: '42' }), ['[0].case_id: must match format "uuid"']],
    ['an identifier with more behind it', minimal({ case_id: `${id}0` }), ['[0].case_id: must match format "uuid"']],
    ['an identifier as a URN', minimal({ case_id: `urn:uuid:${id}` }), ['[0].case_id: must match format "uuid"']],
    ['a label too long', minimal({ label: 'x'.repeat(256) }), ['[0].label: must NOT have more than 255 characters']],
    ['metadata that are no object', minimal({ metadata: [] }), ['[0].metadata: must be object']],
    [
      'metadata too large',
      minimal({ metadata: { text: 'ß'.repeat(32_768) } }),
      ['[0].metadata: must not be larger than 64 KiB of JSON'],
    ],
    ...['12345678901234567890', '1e400'].map((number): [string, Record<string, unknown>, string[]] => [
      `metadata with the number ${number}`,
      minimal({ metadata: { nested: [JSON.parse(number) as number] } }),
      ['[0].metadata: must not hold a number that JSON in double precision changes; put it between quotes'],
    ]),
    [
      'metadata too deep',
      minimal({ metadata: { deep: JSON.parse('['.repeat(20_000) + ']'.repeat(20_000)) as unknown } }),
      ['[0].metadata: must not be nested deeper than 100 levels'],
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
    ['a time that is none', minimal({ created_at: 'now' }), ['[0].created_at: must match format "date-time"']],
    ['a leap second', minimal({ created_at: '2016-12-31T23:59:60Z' }), [`[0].created_at: ${timeFault}`]],
    ['a year past 9999', minimal({ locked_at: '9999-12-31T23:59:59-01:00' }), [`[0].locked_at: ${timeFault}`]],
    [
      'a year past 9999 in any other time',
      minimal({
        updated_at: '9999-12-31T23:59:59-01:00',
        files: [
          file({
            uploaded_at: '9999-12-31T23:59:59-01:00',
            analysis_status: 'analysis_failed',
            analysis_completed_at: '9999-12-31T23:59:59-01:00',
          }),
        ],
      }),
      [
        `[0].files[0].uploaded_at: ${timeFault}`,
        `[0].files[0].analysis_completed_at: ${timeFault}`,
        `[0].updated_at: ${timeFault}`,
      ],
    ],
    ...['done', 'waiting_for_analysis', 'analysing'].map((status): [string, object, string[]] => [
      `the state ${status}, which nobody would end`,
      minimal({ files: [file({ analysis_status: status })] }),
      ['[0].files[0].analysis_status: must be one of waiting_for_upload, analysis_complete, analysis_failed'],
    ]),
    [
      'the media type of a file without content',
      minimal({ files: [file(), file({ mime_type: 'application/pdf' })] }),
      ['[0].files[1].mime_type: must be application/octet-stream when analysis_status is waiting_for_upload'],
    ],
    ...[`https://files.example/${id}.png`, `https://files.example/?f=${id.replaceAll('-', '').toUpperCase()}`].map(
      (address): [string, object, string[]] => [
        `the thumbnail ${address}, which can be guessed`,
        minimal({ files: [file({ file_id: id, thumbnail_url: address })] }),
        ['[0].files[0].thumbnail_url: must not contain the file_id, because nobody may be able to guess the address'],
      ],
    ),
    ...['', 'x', '/thumbnails/1.webp', 'javascript:1', 'file:///etc/passwd'].map((text): [string, object, string[]] => [
      `the thumbnail "${text}", which is no address of a picture`,
      minimal({ files: [file({ thumbnail_url: text })] }),
      ['[0].files[0].thumbnail_url: must be an http or https address'],
    ]),
    [
      'an unknown state of the case',
      minimal({ file_analysis_status: 'done' }),
      ['[0].file_analysis_status: must be one of waiting_for_file_analysis, file_analysis_complete'],
    ],
    [
      'an ended analysis without its time',
      minimal({ files: [file({ analysis_status: 'analysis_failed', analysis_completed_at: null })] }),
      ['[0].files[0].analysis_completed_at: must be given when analysis_status is analysis_failed'],
    ],
    [
      'the time of an analysis that has not ended',
      minimal({ files: [file({ analysis_completed_at: '2026-03-02T09:20:00Z' })] }),
      ['[0].files[0].analysis_completed_at: must be null when analysis_status is waiting_for_upload'],
    ],
  ])('for %s', (_, input, expected) => {
    expect(faults(input)).toEqual(expected);
  });

  test.each(['label', 'uploaded_at', 'thumbnail_url', 'mime_type', 'analysis_status'])(
    'for a file without %s',
    (field) => {
      expect(faults(minimal({ files: [file({ [field]: undefined })] }))).toEqual([
        `[0].files[0].${field}: is required`,
      ]);
    },
  );

  test.each([
    ['is_locked', true, 'false'],
    ['file_analysis_status', 'file_analysis_complete', '"waiting_for_file_analysis"'],
    ['file_analysis_completed_at', '2026-03-02T09:20:00.000Z', 'null'],
    ['total_files', 2, '1'],
  ])('for a %s that does not follow from the other fields', (field, given, derived) => {
    expect(faults(minimal({ [field]: given, files: [file()] }))).toEqual([
      `[0].${field}: must be ${derived}, as follows from the other fields`,
    ]);
  });

  test('for times out of order, and for what is no media type', () => {
    const early = '2026-03-01T00:00:00Z';
    const analysed = { analysis_status: 'analysis_complete', analysis_completed_at: early };
    expect(
      faults(
        minimal({ updated_at: early, locked_at: early, files: [file({ uploaded_at: early }), file(analysed)] }),
        minimal({ files: [file({ mime_type: 'pdf' })] }),
      ),
    ).toEqual([
      '[0].files[1].analysis_completed_at: must not be before uploaded_at',
      '[0].updated_at: must not be before created_at',
      '[0].locked_at: must not be before created_at',
      '[0].files[0].uploaded_at: must not be before created_at of the case',
      '[1].files[0].mime_type: must match format "media-type"',
    ]);
  });

  test('does not hide the others', () => {
    expect(faults({ files: [file({ label: 1 }), 2] }, minimal(), 3)).toEqual([
      '[0].files[0].label: must be string',
      '[0].files[1]: must be object',
      '[0].created_at: is required',
      '[2]: must be object',
    ]);
  });
});

test('metadata may hold null anywhere', () => {
  const metadata = { nothing: null, list: [null] };
  expect(accepted([minimal({ metadata })])).toMatchObject([{ metadata }]);
});

test('labels of 255 characters and metadata of 64 KiB and of 100 levels are the largest', () => {
  const label = (characters: number) => minimal({ label: '😀'.repeat(characters) });
  const sized = (bytes: number) => minimal({ metadata: { text: 'x'.repeat(bytes - '{"text":""}'.length) } });
  const deep = (levels: number) =>
    minimal({ metadata: { deep: JSON.parse('['.repeat(levels - 1) + ']'.repeat(levels - 1)) as unknown } });
  expect(accepted([label(255), sized(65_536), deep(100)])).toHaveLength(3);
  expect(faults(label(256), sized(65_537), deep(101))).toHaveLength(3);
});
