// `npm run bench:upstream`: runs each case of this folder in a process of its own, and saves its output.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { cpus } from 'node:os';
import { join } from 'node:path';

const folder = import.meta.dirname;
const results = join(folder, '../results');
const requireHere = createRequire(import.meta.url);

const cases = readdirSync(folder, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

const lines = [
  `${new Date().toISOString().slice(0, 10)}, Node.js ${process.version.slice(1)}, ${cpus().length} cores of ${cpus()[0]?.model}; ` +
    ['express', 'express-openapi-validator', 'openapi-backend'].map((name) => `${name} ${versionOf(name)}`).join(', '),
];
for (const name of cases) {
  console.log(`\n${name}`);
  const said = execFileSync(process.execPath, [join(folder, name, 'case.mjs')], { encoding: 'utf8' }).trimEnd();
  console.log(said);
  lines.push(`[${name}](../upstream/${name}/README.md)`, '```\n' + said + '\n```');
}
mkdirSync(results, { recursive: true });
writeFileSync(join(results, 'upstream.md'), `${lines.join('\n\n')}\n`);

function versionOf(name) {
  return JSON.parse(readFileSync(requireHere.resolve(`${name}/package.json`), 'utf8')).version;
}
