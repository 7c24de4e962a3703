/**
 * `node --no-warnings test/peers/parcels/compare.ts [TOOL]`: what each tool finds of the mutants of an API that none of them has seen, and
 * whether it passes the server that conforms. The tables are for docs/peers.md.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { root } from '../paths.ts';
import { proxied } from '../prism.ts';
import { complaintOf, runProgram } from '../run-program.ts';
import { followParcels } from './client.ts';
import { mutants } from './mutants.ts';
import { credentials } from './server.ts';
import { document, startParcels, suiteOptions } from './start.ts';

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
  if (code > 1) return complaintOf({ code, output }, /^(.*)$/m);
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
  const ended = await runProgram(process.execPath, [...args, ...hooks], folder, environment);
  return complaintOf(ended, /^fail: (.*)\n(?=fail: (?:body|headers|statusCode))/m);
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
