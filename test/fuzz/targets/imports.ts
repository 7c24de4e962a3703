import { Readable } from 'node:stream';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { mutationsOf } from '../../../contract/dimensions/values.ts';
import { sampleOf } from '../../../contract/dimensions/samples.ts';
import { matchOperation } from '../../../contract/document/index.ts';
import { ownDocument } from '../../../contract/document/own-document.ts';
import { responseViolations } from '../../../contract/oracle/response.ts';
import { BulkFileError, readRegister } from '../../../src/analysis/registries/register-file.ts';
import { OperatorError } from '../../../src/domain/errors.ts';
import { readCases } from '../../../src/cli/case-import.ts';
import { describeCase } from '../../../src/domain/case.ts';
import { CaseReader, Faults } from '../../../src/domain/case-import.ts';
import type { RegisterEntry } from '../../../src/store/staged-imports.ts';
import { StagedCases } from '../../../src/store/staged-imports.ts';
import { oneOf, type OpenTarget } from '../fuzz-target.ts';

const milliseconds = 2000;

const cell = fc.oneof(
  oneOf('01234567|SC123456|EXAMPLE LTD|Active|| |"|""|"a,b"|"a\nb"|\0|\ufffd|é'),
  fc.string({ unit: 'binary', maxLength: 12 }),
);
const row = fc.array(cell, { maxLength: 5 }).map((cells) => cells.join(','));
const goodRow = fc.stringMatching(/^[0-9]{8}$/).map((number) => `EXAMPLE LTD, ${number},x,Active`);
const header = fc.oneof(
  { weight: 8, arbitrary: fc.constant('CompanyName, CompanyNumber,RegAddress.CareOf,CompanyStatus') },
  oneOf('\ufeff"CompanyName","CompanyNumber",x,"CompanyStatus"|CompanyName||"'),
  row,
);
const rows = fc.array(fc.oneof({ weight: 2, arbitrary: goodRow }, row), { maxLength: 30 });
const bulkFile = fc
  .tuple(header, rows, fc.constantFrom('\n', '\r\n', '\r'))
  .map(([first, others, end]) => Buffer.from([first, ...others].join(end)));

/** Reads the register's bulk file: companies or faults, the same wherever it is cut into chunks. */
export const openBulkFiles: OpenTarget = () =>
  Promise.resolve({
    inputs: bulkFile,
    milliseconds,
    run: async (input) => {
      const [whole, cut] = [await readAll([input]), await readAll(chunksOf(input, 7))];
      if (!isDeepStrictEqual(whole, cut)) throw new Error('the chunks of the file make a difference');
      return Array.isArray(whole) ? 'companies' : whole.message.replaceAll(/[^a-z ]/gi, '').slice(0, 40);
    },
  });

async function readAll(chunks: readonly Uint8Array[]) {
  const parts: RegisterEntry[][] = [];
  try {
    for await (const part of readRegister('uk-companies', [{ name: '', content: Readable.from(chunks) }]))
      parts.push(part);
    return parts.flat();
  } catch (error) {
    if (error instanceof BulkFileError) return { message: error.message };
    throw error;
  }
}

function chunksOf(input: Uint8Array, length: number): Uint8Array[] {
  return Array.from({ length: Math.ceil(input.length / length) }, (_, index) =>
    input.subarray(index * length, (index + 1) * length),
  );
}

const { schema = {} } =
  matchOperation(ownDocument, 'GET', '/cases/a')?.responses['200']?.content['application/json'] ?? {};
/** A case as the document has it, with one thing wrong or unusual. */
const mutations = mutationsOf(schema, sampleOf(schema, 'all')).map(({ value }) => value);
const time = fc.oneof(
  oneOf('2026-03-02T09:15:00Z|2026-03-02T09:15:60Z|2026-02-30T00:00:00Z|0000-01-01T00:00:00+14:00|'),
  fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
);
const text = fc.string({ unit: 'binary', maxLength: 300 });
const plainCase = fc.record({ created_at: time, label: text, files: fc.constant([]) });
const importFile = fc
  .array(fc.oneof(fc.constantFrom(...mutations), plainCase, fc.jsonValue({ maxDepth: 3 })), { maxLength: 4 })
  .map((cases) => Buffer.from(JSON.stringify(cases)));

/** Reads the cases of an import: faults, or cases that the API can give as the document says. */
export const openCaseImports: OpenTarget = () =>
  Promise.resolve({
    inputs: importFile,
    milliseconds,
    run: async (input) => {
      const staged = new StagedCases();
      try {
        const faults = new Faults(1000);
        await readCases('-', Readable.from([Buffer.from(input)]), new CaseReader(staged, faults));
        for (const { place, message } of staged.repetitions()) faults.add(place, message);
        if (faults.count > 0) return faults.shown.map(({ message }) => message.slice(0, 20)).sort()[0] ?? 'no fault';
        for (const stored of staged) checkCase({ ...stored, files: [...stored.files] });
        return `${Math.min(staged.cases, 2)} cases`;
      } catch (error) {
        if (error instanceof OperatorError) return error.message.slice(0, 40);
        throw error;
      } finally {
        staged.close();
      }
    },
  });

function checkCase(stored: Parameters<typeof describeCase>[0]): void {
  const text = JSON.stringify(describeCase(stored));
  const broken = responseViolations('GET', `/cases/${stored.case_id}`, {
    status: 200,
    headers: { 'content-type': 'application/json' },
    text,
  }).filter(({ rule }) => rule !== 'header');
  if (broken.length > 0) throw new Error(JSON.stringify(broken));
}
