/** `npm run generate` on a copy of the project. That what it writes works is shown by the exercises. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { ProjectCopy } from '../exercises/project-copy.ts';

const project = new ProjectCopy();
const authored = readFileSync(join(project.folder, 'openapi/openapi.yaml'), 'utf8');
const read = (file: string) => readFileSync(join(project.folder, file), 'utf8');
const generate = async (change: (text: string) => string) => {
  writeFileSync(join(project.folder, 'openapi/openapi.yaml'), change(authored));
  return project.run('node', 'scripts/generate/main.ts');
};

test('what stands there follows from the document', async () => {
  expect(await generate((text) => text)).toBe('Everything is up to date.\n');
});

test('a document that cannot be served is refused with every fault, and nothing is written', async () => {
  const before = read('generated/openapi.json');
  const broken = generate((text) =>
    text
      .replace('operationId: getCase', 'operationId: getVerificationSetting')
      .replace('summary: Read a case and its files', 'summary: Read')
      .replace('        x-max-body-bytes: 16384\n', ''),
  );
  await expect(broken).rejects.toThrow(
    /ended with 1:\nerror: openapi\/openapi\.yaml cannot be served:\nopenapi\/openapi\.yaml:\n.*\d+:\d+ +error +rule\/body-size .*x-max-body-bytes.*\n +\d+:\d+ +error +operation-operationId-unique .*\n$/,
  );
  expect(read('generated/openapi.json')).toBe(before);
});

test('an operation that is new gets a handler and tests, and what belongs to one that is gone is named', async () => {
  const output = await generate((text) =>
    text.replace('operationId: getCase', 'operationId: readCase').replace('client.getCase', 'client.readCase'),
  );
  const tests = ['200', '404'].map((status) => `test/contract/read-case/${status}.test.ts`);
  for (const file of ['src/api/operations/read-case.ts', ...tests]) {
    expect(output).toContain(`wrote ${file}: a stub, to be filled in\n`);
    expect(existsSync(join(project.folder, file))).toBe(true);
  }
  expect(existsSync(join(project.folder, 'test/contract/read-case/401.test.ts'))).toBe(false);
  for (const gone of ['src/api/operations/get-case.ts', 'test/contract/get-case'])
    expect(output).toContain(`${gone} matches nothing in the document: remove it, or rename it with git mv\n`);
  expect(read('src/api/operations/index.ts')).toContain("import { readCase } from './read-case.ts';");
  expect(read('test/contract/read-case/404.test.ts')).toContain("error_code: 'request.cases.case.not-found'");
});

test('stubs are not written over', async () => {
  writeFileSync(join(project.folder, 'src/api/operations/read-case.ts'), '// Written by hand.\n');
  await generate((text) => text.replace('operationId: getCase', 'operationId: readCase'));
  expect(read('src/api/operations/read-case.ts')).toBe('// Written by hand.\n');
});

test('the linter takes a media type that no operation had before, and refuses one that is none', async () => {
  const lint = async (mediaType: string) => {
    const text = authored.replace(/( {10})application\/json:/, `$1${mediaType}:`);
    writeFileSync(join(project.folder, 'openapi/openapi.yaml'), text);
    return project.run('npm', 'run', 'lint:spec');
  };
  await lint('application/merge-patch+json');
  await expect(lint('aplication/json')).rejects.toThrow('A media type or range in lower case, without parameters');
});
