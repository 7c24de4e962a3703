/**
 * `node --no-warnings test/peers/parcels/compare.ts [TOOL]`: what each tool finds of the mutants of an API that none of them has seen, and
 * whether it passes the server that conforms. The tables are for docs/peers.md.
 */
import { credentials } from './server.ts';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { dreddComplaint, proxied, runProgram } from '../tools.ts';
import { mutants } from './mutants.ts';
import { document, startParcels, suiteOptions } from './start.ts';

const root = join(import.meta.dirname, '../../..');
const address = { street: 'Am Ufer 1', postcode: '10115', country: 'DE' };
const parcel = { reference: 'ORDER-1', recipient: { name: 'Ada', address }, weight_grams: 1200, tags: ['fragile'] };
const json = 'application/json';

/** Calls each operation as its user would, looks at statuses and at what it has sent, and returns what is wrong first. */
async function followParcels(url: string): Promise<string | undefined> {
  const call = async (method: string, path: string, body?: string, headers: Record<string, string> = {}) => {
    const credential = { 'x-parcel-key': credentials.key };
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { ...credential, ...headers },
      ...(body && { body }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 200)}`);
    const isJson = response.headers.get('content-type')?.startsWith(json) === true;
    return { response, value: isJson ? (JSON.parse(text) as Record<string, unknown>) : text };
  };
  const equal = (name: string, value: unknown, expected: unknown) => {
    if (JSON.stringify(value) !== JSON.stringify(expected))
      throw new Error(`${name} is not ${JSON.stringify(expected)}`);
  };
  try {
    const created = await call('POST', '/parcels', JSON.stringify(parcel), {
      'content-type': json,
      'idempotency-key': 'a1',
    });
    const { id } = created.value as { id: string };
    const path = `/parcels/${id}`;
    const read = (await call('GET', path)).value as Record<string, unknown>;
    equal('the weight', read['weight_grams'], 1200);
    const headers = { 'content-type': json, 'if-match': created.response.headers.get('etag') ?? '' };
    await call('PUT', path, JSON.stringify({ ...parcel, note: 'Ring twice' }), headers);
    equal('the note', ((await call('GET', path)).value as Record<string, unknown>)['note'], 'Ring twice');
    await call('PUT', `${path}/label`, '%PDF-1.4', { 'content-type': 'application/pdf' });
    equal('the label', (await call('GET', `${path}/label`)).value, '%PDF-1.4');
    await call('POST', `${path}/events`, JSON.stringify({ status: 'in_transit', depot: 'BER01' }), {
      'content-type': json,
    });
    await call('GET', `${path}/events?limit=10`);
    await call('GET', '/parcels?status=in_transit&tag=fragile&weight[min]=1&sort=created_at&limit=5');
    await call('DELETE', path);
    for (const each of ['/depots?country=DE|FR', '/depots/BER01', '/account']) await call('GET', each);
    return undefined;
  } catch (error) {
    return String(error);
  }
}

interface Verdict {
  readonly complaint: string | undefined;
  readonly requests: number;
  readonly seconds: number;
}
type Tool = (url: string, parcelId: string, folder: string) => Promise<string | undefined>;

/** The document as JSON, with its merge keys resolved, which not every tool does. */
async function documentIn(folder: string): Promise<string> {
  const file = join(folder, 'openapi.json');
  await writeFile(file, JSON.stringify(parse(await readFile(document, 'utf8'), { merge: true })));
  return file;
}

const suite: Tool = async (url, parcelId, folder) => {
  const json = join(folder, 'report.json');
  const options = await suiteOptions(folder, url, parcelId);
  const args = ['--no-warnings', join(root, 'contract/main.ts'), 'check', ...options, '--json', json];
  const { code, output } = await runProgram(process.execPath, args, folder);
  if (code > 1) return output;
  const report = JSON.parse(await readFile(json, 'utf8')) as { results: { outcome: string; check: { id: string } }[] };
  const failed = report.results.filter(({ outcome }) => outcome === 'failed').map(({ check }) => check.id);
  return failed.length === 0 ? undefined : failed.slice(0, 3).join(', ');
};

const prism: Tool = async (url, _parcelId, folder) =>
  proxied(url, folder, await documentIn(folder), (proxy) => followParcels(proxy));

const dredd: Tool = async (url, parcelId, folder) => {
  const args = [join(root, 'contract/replay/node_modules/dredd/bin/dredd'), await documentIn(folder), url];
  const hooks = ['--hookfiles', join(import.meta.dirname, 'dredd-hooks.cjs')];
  const environment = { KEY: credentials.key, READ_ONLY: credentials.readOnlyToken, PARCEL_ID: parcelId };
  return dreddComplaint(process.execPath, [...args, ...hooks], folder, environment);
};

const tools: Readonly<Record<string, Tool>> = { suite, prism, dredd };

async function judge(tool: Tool, id?: string): Promise<Verdict> {
  const folder = await mkdtemp(join(tmpdir(), 'parcels-'));
  const server = await startParcels(folder, id);
  try {
    const [before, startedAt] = [server.requests(), performance.now()];
    const complaint = await tool(server.url, server.parcelId, folder);
    return { complaint, requests: server.requests() - before, seconds: (performance.now() - startedAt) / 1000 };
  } finally {
    server.close();
    await rm(folder, { recursive: true, force: true });
  }
}

const only = process.argv.slice(2);
const names = Object.keys(tools).filter((name) => only.length === 0 || only.includes(name));
const found = new Map<string, Map<string, Verdict>>();
const heading = ['Tool', 'Conforming server', 'Found', 'Requests', 'Seconds'];
const lines = [heading, heading.map(() => '---')];
for (const name of names) {
  const verdicts = new Map<string, Verdict>();
  found.set(name, verdicts);
  const tool = tools[name] as Tool;
  const plain = await judge(tool);
  for (const [id, , breaks] of mutants) {
    const verdict = await judge(tool, id);
    // What it says of the server that conforms is no finding.
    const complaint = verdict.complaint === plain.complaint ? undefined : verdict.complaint;
    verdicts.set(id, { ...verdict, complaint });
    console.error(`${name} ${id} (${breaks}): ${complaint ?? 'MISSED'}`);
  }
  const count = [...verdicts.values()].filter(({ complaint }) => complaint !== undefined).length;
  const figures = [plain.complaint ?? 'passes', `${count} of ${mutants.length}`, `${plain.requests}`];
  lines.push([name, ...figures, plain.seconds.toFixed(1)]);
}
lines.push([], ['Kind', ...names], ['---', ...names.map(() => '---')]);
for (const [kind, rows] of Object.entries(Object.groupBy(mutants, ([, each]) => each))) {
  const ids = (rows ?? []).map(([id]) => id);
  const of = (name: string) => ids.filter((id) => found.get(name)?.get(id)?.complaint !== undefined).length;
  lines.push([kind, ...names.map((name) => `${of(name)} of ${ids.length}`)]);
}
console.log(lines.map((cells) => (cells.length === 0 ? '' : `| ${cells.join(' | ')} |`)).join('\n'));
