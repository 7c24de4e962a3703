/** The samples of the document and the guide: each TypeScript one compiles, and each sample of the document runs. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { compile } from '../support/compile.ts';
import { addressOf } from '../support/client.ts';
import { startHarness } from '../support/harness.ts';
import { TemporaryFolder } from '../support/temporary-folder.ts';
import { addCase, addCredential, addOrganisation, buildCase } from '../support/tenants.ts';

interface Operation {
  operationId: string;
  'x-codeSamples': { lang: string; source: string }[];
}

interface Document {
  servers: { url: string; 'x-region': string }[];
  paths: Record<string, Record<string, Operation> & { servers?: Document['servers'] }>;
}

const run = promisify(execFile);
const document = parse(await readFile('openapi/openapi.yaml', 'utf8'), { merge: true }) as Document;
const operations = Object.values(document.paths).flatMap((item) =>
  Object.values(item).filter((value): value is Operation => 'operationId' in value),
);
const servers = [document, ...Object.values(document.paths)].flatMap((item) => item.servers ?? []);

const given = `
import type { Client } from 'document-analysis-client';
declare global {
  const apiKey: string;
  const accessToken: string;
  const caseId: string;
  const client: Client;
}`;

/** What TypeScript says of modules that a user of the client may write, with what is `given` to each. */
async function compileForClient(modules: Record<string, string>): Promise<string> {
  const folder = await TemporaryFolder.make();
  await folder.write('package.json', '{ "type": "module" }');
  for (const [name, text] of Object.entries({ ...modules, given }))
    await folder.write(`${name}.ts`, `${text}\nexport {};\n`);
  const compilerOptions = {
    ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true },
    ...{ module: 'node20', target: 'es2023', lib: ['es2023', 'dom'] },
    ...{ types: ['node'], typeRoots: [resolve('node_modules/@types')] },
    ...{ skipLibCheck: true, allowImportingTsExtensions: true },
    paths: { 'document-analysis-client': [resolve('client/index.ts')] },
  };
  return compile(folder.path, { compilerOptions });
}

/** The document's samples, by operation and language, as the documentation page shows them for a region. */
function samplesOf(region: 'uk' | 'ca'): { name: string; lang: string; source: string }[] {
  return operations.flatMap(({ operationId, 'x-codeSamples': samples }) =>
    samples.map(({ lang, source }) => ({
      name: `${region}-${operationId}`,
      lang,
      source: source
        .replaceAll("region: 'uk'", `region: '${region}'`)
        .replaceAll(/(api|cases)\.uk\./g, `$1.${region}.`),
    })),
  );
}

test('every operation has a sample for curl and one for the client', () => {
  expect(operations.length).toBeGreaterThan(2);
  for (const { lang, source } of samplesOf('uk')) expect(source).toMatch(lang === 'Shell' ? /^curl / : /createClient/);
  for (const { 'x-codeSamples': samples } of operations)
    expect(samples.map(({ lang }) => lang)).toEqual(['Shell', 'TypeScript']);
});

test('every TypeScript sample and every TypeScript block of the guide and of its README compiles', async () => {
  const samples = [...samplesOf('uk'), ...samplesOf('ca')].filter(({ lang }) => lang === 'TypeScript');
  const texts = await Promise.all(['docs/client.md', 'client/README.md'].map((file) => readFile(file, 'utf8')));
  const blocks = texts.flatMap((text) => [...text.matchAll(/```ts\n([^]*?)```/g)]);
  expect(blocks.length).toBeGreaterThan(5);
  const modules = Object.fromEntries([
    ...samples.map(({ name, source }) => [name, source]),
    ...blocks.map(([, block = ''], index) => [`guide-${index}`, block]),
    ['wrong', 'const { disabled } = await client.getVerificationSetting();'],
  ]) as Record<string, string>;
  expect(await compileForClient(modules)).toMatch(/^[^\n]*wrong\.ts\(.* Property 'disabled' does not exist [^\n]*\n$/);
});

test.each(['uk', 'ca'] as const)('every sample of the document runs, in region %s', async (region) => {
  const api = await startHarness({ region });
  const organisation = await addOrganisation(api.store);
  const folder = await TemporaryFolder.make();
  const environment = {
    API_KEY: (await addCredential(api.store, organisation, { kind: 'api-key', role: 'owner' }, region)).secret,
    ACCESS_TOKEN: (await addCredential(api.store, organisation, { kind: 'access-token', role: null }, region)).secret,
    CASE_ID: await addCase(api.store, organisation, buildCase(['analysis_complete'])),
  };
  for (const { name, lang, source } of samplesOf(region)) {
    const output = lang === 'Shell' ? await runShell(source) : await runTypeScript(source);
    if (name.endsWith('getCase')) expect(output).toMatch(/file_analysis_complete/);
    else expect(output).toMatch(name.endsWith('updateVerificationSetting') ? /true/ : /true|false/);
  }

  async function runShell(source: string): Promise<string> {
    const known = servers.filter(({ url, 'x-region': of }) => of === region && source.includes(`${url}/`));
    expect(known).toHaveLength(1);
    const command = source.replace(known[0]?.url ?? '', addressOf(api)).replace('curl', 'curl --silent --fail');
    return (await run('bash', ['-c', command], { env: { ...process.env, ...environment } })).stdout;
  }

  async function runTypeScript(source: string): Promise<string> {
    const program = source
      .replace("'document-analysis-client'", `'${process.cwd()}/client/index.ts'`)
      .replace(`region: '${region}'`, `$&, baseUrl: '${addressOf(api)}'`);
    const given = 'const { API_KEY: apiKey, ACCESS_TOKEN: accessToken, CASE_ID: caseId } = process.env;';
    const file = await folder.write('sample.mts', `${given}\n${program}`);
    return (await run(process.execPath, [file], { env: { ...process.env, ...environment } })).stdout;
  }
});
