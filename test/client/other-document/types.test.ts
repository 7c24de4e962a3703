import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { expect, test } from '@jest/globals';
import { compile } from '../../support/compile.ts';
import { generateClient } from './other-server.ts';

const usage = `
import { createClient, type Account, type Case, type ErrorCode, isApiError } from './index.ts';

type Equal<One, Other> =
  (<T>() => T extends One ? 1 : 2) extends <T>() => T extends Other ? 1 : 2 ? true : false;
function expectType<Expected>() {
  return <Actual>(_call: PromiseLike<Actual>, _same: Equal<Actual, Expected>) => undefined;
}

const client = createClient({ region: 'uk' });
expectType<{ version: string }>()(client.getStatus(), true);
expectType<Case[] | undefined>()(client.listCases(), true);
expectType<Case[] | undefined>()(client.listCases({ limit: 1, locked: true, state: ['open'], 'If-None-Match': 'a' }, {}), true);
expectType<Case>()(client.createCase({ label: 'one' }), true);
expectType<void>()(client.lockCase('1', { timeoutSeconds: 1 }), true);
expectType<Blob>()(client.readFileContent('1', 2), true);
expectType<void>()(client.writeFileContent('1', 2, { Priority: 3 }, new Uint8Array(1)), true);
expectType<void>()(client.writeFileContent('1', 2, { Priority: 3 }, new Blob(['1']).stream()), true);
expectType<void>()(client.addFile('1', new Blob(['1'], { type: 'image/png' })), true);
expectType<string | Case>()(client.readReport(2026), true);
expectType<void>()(client.correctReport(2026, { rows: 1 }), true);
expectType<void>()(client.correctReport(2026), true);
expectType<{ account_id: string; name: string }>()(client.addAccount({ name: 'a', secret: 'b' }), true);
expectType<Account>()(client.addAccount({ name: 'a', secret: 'b' }), true);
expectType<{ readonly data: Case; readonly status: number; readonly headers: Headers }>()(
  client.createCase({ label: 'one' }).withResponse(),
  true,
);

// @ts-expect-error -- a number
client.listCases({ limit: '1' });
// @ts-expect-error -- no such parameter
client.listCases({ offset: 1 });
// @ts-expect-error -- none of the states
client.listCases({ state: ['closed'] });
// @ts-expect-error -- a required header
client.writeFileContent('1', 2, {}, new Uint8Array(1));
// @ts-expect-error -- its media type is not known
client.addFile('1', new Uint8Array(1));
// @ts-expect-error -- only responses have it
client.addAccount({ account_id: '1', name: 'a', secret: 'b' });
// @ts-expect-error -- only requests have it
void (await client.addAccount({ name: 'a', secret: 'b' })).secret;
// @ts-expect-error -- no body
client.createCase();
// @ts-expect-error -- nothing to read
void (await client.lockCase('1')).case_id;

const code: ErrorCode<'lockCase', 409> = 'case.already-locked';
// @ts-expect-error -- a code of another status
const other: ErrorCode<'lockCase', 409> = 'service.failed';
declare const error: unknown;
if (isApiError(error, 'lockCase') && error.status === 503) {
  const known: 'service.failed' | (string & {}) = error.code;
  void known;
}
// @ts-expect-error -- not a status of the operation
if (isApiError(error, 'lockCase') && error.status === 418) void code;
void other;
`;

test('every shape of operation has its types', async () => {
  const { folder } = await generateClient();
  await writeFile(join(folder, 'usage.ts'), usage);
  const compilerOptions = { rootDir: '.' };
  const config = { extends: resolve('client/tsconfig.json'), compilerOptions, files: ['usage.ts'] };
  expect(await compile(folder, config)).toBe('');
});
