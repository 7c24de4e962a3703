/**
 * Every documented (operation, status) pair has a test file of its own, whose `describeResponse` fails unless a test saw that
 * response. Pairs without one stand in untested-responses.json, which may only shrink.
 */
import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { ownDocument } from '../../contract/document/own-document.ts';
import { operations } from '../../generated/operations.ts';
import { fileNameOf } from '../../scripts/generate/file-name-of.ts';
import { misplacedFields } from '../support/harness.ts';

const fileOf = (pair: string) => new URL(`${pair}.test.ts`, import.meta.url);

const documented = Object.entries(operations).flatMap(([operationId, { statuses }]) =>
  statuses.map((status) => `${fileNameOf(operationId)}/${status}`),
);
const untested = JSON.parse(readFileSync(new URL('untested-responses.json', import.meta.url), 'utf8')) as string[];

test.each(documented.filter((pair) => !untested.includes(pair)))('%s is tested', (pair) => {
  const [operation = '', status = ''] = pair.split('/');
  expect(existsSync(fileOf(pair))).toBe(true);
  const operationId = Object.keys(operations).find((id) => fileNameOf(id) === operation) ?? '';
  expect(readFileSync(fileOf(pair), 'utf8').replaceAll(/\s+/g, ' ')).toMatch(
    new RegExp(`describeResponse\\( ?'${operationId}', ${status},`),
  );
});

test('each example has its fields in the order of its schema', () => {
  const { operations: described, schemas, serviceResponses } = ownDocument;
  const responses = [...described.map((operation) => operation.responses), serviceResponses];
  const contents = responses.flatMap((each) => Object.values(each).flatMap(({ content }) => Object.values(content)));
  const examples = contents.flatMap(({ schema, examples: each }) =>
    Object.values(each).map(({ value }) => misplacedFields(schema, value)),
  );
  expect(examples.length).toBeGreaterThan(15);
  expect([examples, Object.values(schemas).map((schema) => misplacedFields(schema, schema.example))].flat(2)).toEqual(
    [],
  );
});

test('the list of untested responses has shrunk to nothing', () => {
  expect(untested).toEqual([]);
});
