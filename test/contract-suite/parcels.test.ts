/** An API that the suite was not written for: its server passes, and mutants that were missed at first are found in general ways. */
import { expect, test } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { Report } from '../../contract/run/model.ts';
import { mutants } from './parcels/mutants.ts';
import { credentials, type start } from './parcels/server.ts';
import { eachRun, idsOf } from '../support/contract.ts';

const run = eachRun();
const document = join(import.meta.dirname, 'parcels/openapi.yaml');

/**
 * Starts the server of the parcels, as it is or as one of the mutants.
 * @returns with a parcel of the first account that has a label and two events
 */
async function startParcels(id?: string) {
  const [, , , [text, by] = ['', '']] = mutants.find(([each]) => each === id) ?? [];
  const right = await readFile(join(import.meta.dirname, 'parcels/server.ts'), 'utf8');
  const whole = id === undefined ? right : right.replaceAll(text, () => by);
  if (id !== undefined && (text === '' || whole === right)) throw new Error(`There is no mutant ${id}`);
  const file = await run.write('server.ts', whole);
  const server = await ((await import(file)) as { start: typeof start }).start();
  return { ...server, parcelId: await addParcel(server.url) };
}

async function addParcel(url: string): Promise<string> {
  const call = (method: string, path: string, type: string, body: string) =>
    fetch(`${url}${path}`, { method, headers: { 'x-parcel-key': credentials.key, 'content-type': type }, body });
  const address = { street: 'Am Ufer 2', postcode: '10115', country: 'DE' };
  const parcel = { reference: 'SEED-1', recipient: { name: 'Emmy', address }, weight_grams: 700, tags: ['fragile'] };
  const created = await call('POST', '/parcels', 'application/json', JSON.stringify(parcel));
  const { id } = (await created.json()) as { id: string };
  await call('PUT', `/parcels/${id}/label`, 'application/pdf', '%PDF-1.4');
  await call('POST', `/parcels/${id}/events`, 'application/json', JSON.stringify({ status: 'in_transit' }));
  return id;
}

/** What the contract suite is told of the server. */
async function suiteOptions(url: string, parcelId: string): Promise<string[]> {
  const { key, token: oauth, readOnlyToken, foreignKey, foreignToken } = credentials;
  const others = { key: foreignKey, oauth: foreignToken };
  const values = { '*': { path: { parcel_id: parcelId } } };
  const secrets = { security: { key, oauth }, 'other-security': others, 'lesser-security': { oauth: readOnlyToken } };
  const config = await run.write('contract.yaml', stringify({ ...secrets, values }));
  return ['--config', config, '--openapi', document, '--url', url, '--seed', '1'];
}

/** The checks that fail. @param id the mutant; none for the server that conforms */
async function failedFor(id: string | undefined, ...options: string[]): Promise<string[]> {
  const server = await startParcels(id);
  const json = run.file('report.json');
  await run.inProcess([...(await suiteOptions(server.url, server.parcelId)), '--json', json, ...options]);
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
