/** An API that the suite was not written for: its server passes, and mutants that were missed at first are found in general ways. */
import { expect, test } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import type { Report } from '../../contract/run/model.ts';
import { startParcels, suiteOptions } from './parcels/start.ts';
import { eachRun, idsOf } from '../support/contract.ts';

const run = eachRun();

/** The checks that fail. @param id the mutant; none for the server that conforms */
async function failedFor(id: string | undefined, ...options: string[]): Promise<string[]> {
  const folder = run.file('.');
  const server = await startParcels(folder, id);
  const json = run.file('report.json');
  await run.inProcess([...(await suiteOptions(folder, server.url, server.parcelId)), '--json', json, ...options]);
  server.close();
  return idsOf(JSON.parse(await readFile(json, 'utf8')) as Report, 'failed');
}

test.each(['1', '2'])('the server that conforms passes with the seed %s', async (seed) => {
  expect(await failedFor(undefined, '--seed', seed)).toEqual([]);
});

test.each([
  ['png-refused', 'generated.putLabel.relation.uploaded'],
  ['charset-refused', 'explored.createParcel.success'],
  ['label-type', 'generated.putLabel.relation.uploaded'],
  ['duplicates', 'explored.createParcel.body'],
  ['pattern-end', 'explored.createParcel.body'],
  ['second-status', 'generated.listParcels.relation.filtered.status'],
  ['some-tag', 'generated.listParcels.relation.filtered.tag'],
  ['maximum-excluded', 'generated.listParcels.relation.filtered.weight[max]'],
  ['key-any-case', 'explored.getParcel.credential'],
  ['other-scheme', 'explored.getParcel.credential'],
  ['short-allow', 'generated.listParcels.relation.unlisted-methods'],
  ['count-of-page', 'generated.listEvents.relation.paged'],
  ['lost-update', 'generated.updateParcel.relation.stale-precondition'],
  ['reference-at-once', 'generated.createParcel.relation.conflict'],
  ['create-not-kept', 'generated.createParcel.relation.created'],
  ['delete-not-done', 'generated.deleteParcel.relation.removed'],
  ['update-merges', 'generated.updateParcel.relation.edges'],
  ['sort-ignored', 'generated.listParcels.relation.sorted'],
  ['cursor-skips', 'generated.listParcels.relation.paged'],
  ['scope-of-delete', 'generated.deleteParcel.relation.lesser'],
  ['foreign-parcel', 'generated.getParcel.relation.other-tenant'],
  ['label-as-text', 'generated.putLabel.relation.uploaded'],
  ['delete-all', 'generated.createParcel.relation.walk'],
])('%s is found by %s', async (id, check) => {
  expect(await failedFor(id, '--only', check)).toContain(check);
});

test('a status in the body that is not that of the response is found in every error', async () => {
  expect(await failedFor('other-status')).toContain('conformance.getParcel.404.body');
});
