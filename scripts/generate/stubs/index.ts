/** Files that are generated once for a new operation and then edited by hand: its handler and its tests. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ApiDocument, Operation } from '../../../contract/document/index.ts';
import { installPackages } from '../../install-packages.ts';
import { fileNameOf, writeIfChanged } from '../files.ts';
import { isDerived } from './requests.ts';
import { testStub } from './test-stub.ts';

const handlers = 'src/api/operations';
const tests = 'test/contract';
/** Tests of responses that belong to no operation. */
const testsOfService = 'service';

/** Writes the missing files of operations, formatted, and returns their names. */
export async function writeStubs({ operations }: ApiDocument): Promise<string[]> {
  const stubs = operations.flatMap((operation) => {
    const name = fileNameOf(operation.operationId);
    return [
      [join(handlers, `${name}.ts`), handlerStub(operation)] as const,
      ...statusesOf(operation.responses)
        .filter((status) => !isDerived(operation, status))
        .map((status) => [join(tests, name, `${status}.test.ts`), testStub(operation, status)] as const),
    ];
  });
  const written = writeIfChanged(Object.fromEntries(stubs.filter(([file]) => !existsSync(file))));
  if (written.length > 0) {
    await installPackages('scripts/lint');
    execFileSync('scripts/lint/node_modules/.bin/oxfmt', written, { stdio: 'ignore' });
  }
  return written;
}

function handlerStub({ operationId, summary }: Operation): string {
  return `import type { OperationHandler } from '../operation.ts';

/** ${summary.replaceAll('*/', '* /').replace(/\.?$/, '.')} */
export const ${operationId}: OperationHandler<'${operationId}'> = () => {
  throw new Error('The operation ${operationId} is not implemented.');
};
`;
}

/** Handlers and tests of operations and statuses that are no longer in the document. */
export function removable({ operations }: ApiDocument): string[] {
  const statuses = new Map(operations.map((one) => [fileNameOf(one.operationId), statusesOf(one.responses)]));
  const staleHandlers = readdirSync(handlers).filter(
    (file) => file !== 'index.ts' && !statuses.has(file.replace(/\.ts$/, '')),
  );
  const folders = readdirSync(tests, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const staleTests = folders.flatMap(({ name: folder }) => {
    if (folder === testsOfService) return [];
    const documented = statuses.get(folder);
    if (!documented) return [folder];
    const stale = readdirSync(join(tests, folder)).filter(
      (file) => file.endsWith('.test.ts') && !documented.includes(file.replace(/\.test\.ts$/, '')),
    );
    return stale.map((file) => join(folder, file));
  });
  return [...staleHandlers.map((file) => join(handlers, file)), ...staleTests.map((file) => join(tests, file))];
}

function statusesOf(responses: object): string[] {
  return Object.keys(responses).filter((status) => /^\d{3}$/.test(status));
}
