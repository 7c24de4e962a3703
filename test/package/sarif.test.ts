import { expect, test } from '@jest/globals';
import { createRequire } from 'node:module';
import { sarifOf } from '../../contract/report/sarif.ts';
import { failingReport } from '../support/failing-report.ts';
import { schemaFaults } from '../support/schema-faults.ts';

const load = createRequire(import.meta.url);
const schema = load('@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json') as Record<string, unknown>;
const faultsOf = (text: string) => schemaFaults(schema, JSON.parse(text));

test('the report as SARIF is valid by its schema, whatever a server has sent', () => {
  expect(faultsOf(sarifOf(failingReport))).toEqual([]);
  expect(faultsOf(sarifOf({ ...failingReport, results: [], problems: [] }))).toEqual([]);
  expect(faultsOf(sarifOf(failingReport).replace('"level": "error"', '"level": "bad"'))).not.toEqual([]);
});
