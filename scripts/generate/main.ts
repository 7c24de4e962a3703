/** `npm run generate`: writes everything that follows from openapi/openapi.yaml, or nothing if it cannot be served. */
import { readFileSync } from 'node:fs';
import { loadDocument } from '../../contract/document/index.ts';
import { fail } from '../command-line.ts';
import { redocly } from '../redocly.ts';
import { sourcesOf } from './sources.ts';
import { removable, writeStubs } from './stubs/index.ts';
import { writeIfChanged } from './files.ts';

const authored = 'openapi/openapi.yaml';
const bundle = 'generated/openapi.json';
const served = 'scripts/generate/served.yaml';

async function generate(): Promise<string[]> {
  const faults = await redocly('lint', authored, '--config', served, '--format', 'stylish');
  if (faults !== '') throw new Error(`${authored} cannot be served:\n${faults}`);
  const document = await loadDocument(authored);
  const before = readFileSync(bundle, 'utf8');
  const problems = await redocly('bundle', 'document-analysis', '--output', bundle);
  if (problems !== '') throw new Error(`Redocly cannot bundle ${authored}:\n${problems}`);
  const text = readFileSync(bundle, 'utf8');
  const written = writeIfChanged({ 'contract/generated/openapi.json': text, ...(await sourcesOf(document, text)) });
  return [
    ...[...(text === before ? [] : [bundle]), ...written].map((file) => `wrote ${file}`),
    ...(await writeStubs(document)).map((file) => `wrote ${file}: a stub, to be filled in`),
    ...removable(document).map(
      (file) => `${file} matches nothing in the document: remove it, or rename it with git mv`,
    ),
  ];
}

try {
  const lines = await generate();
  process.stdout.write(`${lines.join('\n') || 'Everything is up to date.'}\n`);
} catch (error) {
  fail(error instanceof Error ? error.message : String(error));
}
