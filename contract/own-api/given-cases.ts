/** Cases that a server is given, and must return as they are: with any texts, times and files, and with more files than most. */
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { byUpload, type CaseFile } from './cases.ts';

/** As an operator imports it. */
export interface GivenCase extends Readonly<Record<string, unknown>> {
  readonly case_id: string;
  readonly locked_at: string | null;
  readonly files: readonly CaseFile[];
}

/** Texts that servers, databases and parsers tend to change. */
const texts = [
  `Gr\u00f6\u00dfe \u20ac \u{1f600} <b>Smith & Sons</b> &amp; "q" \\ ' \u05d0\u05d1 e\u0301`,
  ...['', ' Draft ', '\u00a0', 'two\nlines\t', 'null', 'true', '007', '1e3', '1234567890123456789', '%41+%', '{{x}}'],
  ...[
    '2026-03-02',
    '2026-03-02T09:00:00Z',
    '2026-03-02T09:00:00+02:00',
    'a\u200bb\u200dc\ufeffd',
    '__proto__',
    '\u{1f600}'.repeat(255),
    "'; DROP TABLE x; --",
    '../a',
    '=1+1',
  ],
];
const text = fc.oneof(fc.constantFrom(...texts), fc.string({ unit: 'grapheme', maxLength: 60 }));
const metadata = fc.oneof(
  fc.constant({ long: 'x'.repeat(9000), numbers: [1e21, -1, 1e-7, 9007199254740991, 0.1 + 0.2] }),
  fc.dictionary(text, fc.oneof(text, fc.jsonValue({ maxDepth: 2 })), { maxKeys: 6, noNullPrototype: true }),
);

/** The milliseconds between two times: often none, so that times are equal. */
const pause = fc.oneof(fc.constantFrom(0, 0, 1, 1000), fc.nat({ max: 90 * 86_400_000 }));
const times = ['2026-07-01T23:30:00.250Z', '2026-01-31', '2024-02-29T23:59:59.999Z', '2001-09-09T01:46:39.500Z'];

const files = (least: number, most: number) =>
  fc.array(
    fc.record({ label: text, after: pause, took: pause, ends: fc.constantFrom('complete', 'failed', 'complete') }),
    { minLength: least, maxLength: most, size: 'max' },
  );

/** By how many files they have: on both sides of buffers, pages and batches of usual sizes. */
const sizes: Readonly<Record<string, readonly [cases: number, least: number, most: number]>> = {
  'few-files': [5, 0, 20],
  '90-files': [1, 90, 90],
  '1001-files': [1, 1001, 1001],
  '1024-files': [1, 1024, 1024],
  '5003-files': [1, 5003, 5003],
};

const longType = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
const mediaTypes = ['text/plain; charset="utf-8"', 'application/pdf', longType];

/** The most bytes of metadata (the document's limit). */
const mostMetadata = 65_536;

/** No time is to come. */
const isoOf = (time: number) => new Date(Math.min(time, Date.now() - 60_000)).toISOString();

/** An identifier that is new in each run, of one of the versions that are in use (RFC 9562). */
function newId(version: number): string {
  return randomUUID().replace(/^(.{14})4/, `$1${version}`);
}

/** New cases for each call. @param seed decides what they have beside identifiers */
export const givenCases: Readonly<Record<string, (seed: number) => GivenCase[]>> = Object.fromEntries(
  Object.entries(sizes).map(([what, [numRuns, least, most]]) => [
    what,
    (seed: number) => fc.sample(madeCase(least, most), { seed, numRuns }).map(caseOf),
  ]),
);

function madeCase(least: number, most: number) {
  const record = { label: fc.option(text), metadata, updated: pause, locked: fc.option(pause) };
  // Of some of them, files still wait for their upload.
  return fc.record({ ...record, waits: fc.boolean(), files: files(least, most) });
}

type Made = ReturnType<typeof madeCase> extends fc.Arbitrary<infer Value> ? Value : never;

/** All texts, as names and as values, and what else JSON has, long and deep. */
const everything = {
  ...Object.fromEntries(texts.map((each) => [each, each])),
  ...{ in: [null, {}, [], 0.1], nothing: null, long: Array.from({ length: 300 }, (_none, at) => at) },
  deep: Array.from({ length: 20 }).reduce<unknown>((inner) => ({ inner }), 'the end'),
};

/**
 * @param index among the cases that are given: the first has all texts, the second the largest metadata, the third an empty
 *   label, the files of the fourth have all failed, and each has identifiers of another version
 */
function caseOf({ label, updated, locked, waits, ...made }: Made, index: number): GivenCase {
  const version = [4, 7, 1, 8, 5][index % 5] ?? 4;
  const at = Date.parse(times[index % times.length] ?? '');
  const largest = { long: 'x'.repeat(mostMetadata - '{"long":""}'.length) };
  const labels = index === 0 ? texts : [];
  return {
    case_id: newId(version),
    label: [label, ' Draft ', ''][index] ?? label,
    metadata: [everything, largest][index] ?? made.metadata,
    created_at: isoOf(at),
    updated_at: isoOf(at + updated),
    locked_at: locked === null ? null : isoOf(at + locked),
    files: made.files.map(({ label: name, after, took, ends }, place) => {
      const isAwaited = waits && index !== 3 && place % 4 === 0;
      return {
        file_id: newId(version),
        label: labels[place] ?? name,
        uploaded_at: isoOf(at + after),
        thumbnail_url: 'https://files.example/thumbnails/a%20b.png?size=1&form=\u00df',
        mime_type: mediaTypes[place % mediaTypes.length] ?? '',
        analysis_status: isAwaited ? 'waiting_for_upload' : `analysis_${index === 3 ? 'failed' : ends}`,
        analysis_completed_at: isAwaited ? null : isoOf(at + after + took),
      };
    }),
  };
}

/** The case as it must be returned (interface, section 2.3; D8, D28 and D29). */
export function returnedCase({ files: given, ...record }: GivenCase): Record<string, unknown> {
  const ends = given.map(({ analysis_completed_at: end }) => Date.parse(end ?? ''));
  const isComplete = ends.length > 0 && !ends.some(Number.isNaN);
  return {
    ...record,
    is_locked: record.locked_at !== null,
    file_analysis_status: isComplete ? 'file_analysis_complete' : 'waiting_for_file_analysis',
    file_analysis_completed_at: isComplete ? new Date(Math.max(...ends)).toISOString() : null,
    files: given.toSorted(byUpload),
    total_files: given.length,
  };
}
