/** Starts the server of the parcels, as it is or as one of the mutants. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { mutants } from './mutants.ts';
import { credentials, type start } from './server.ts';

const document = join(import.meta.dirname, 'openapi.yaml');

/** @param folder for the text of a mutant. @returns with a parcel of the first account that has a label and two events */
export async function startParcels(folder: string, id?: string) {
  const [, , , [text, by] = ['', '']] = mutants.find(([each]) => each === id) ?? [];
  const right = await readFile(join(import.meta.dirname, 'server.ts'), 'utf8');
  const whole = id === undefined ? right : right.replaceAll(text, () => by);
  if (id !== undefined && (text === '' || whole === right)) throw new Error(`There is no mutant ${id}`);
  const file = join(folder, 'server.ts');
  await writeFile(file, whole);
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

/** What the contract suite is told of the server. @param folder for its configuration */
export async function suiteOptions(folder: string, url: string, parcelId: string): Promise<string[]> {
  const config = join(folder, 'contract.yaml');
  const { key, token: oauth, readOnlyToken, foreignKey, foreignToken } = credentials;
  const others = { key: foreignKey, oauth: foreignToken };
  const values = { '*': { path: { parcel_id: parcelId } } };
  const secrets = { security: { key, oauth }, 'other-security': others, 'lesser-security': { oauth: readOnlyToken } };
  await writeFile(config, stringify({ ...secrets, values }));
  return ['--config', config, '--openapi', document, '--url', url, '--seed', '1'];
}
