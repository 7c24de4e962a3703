import { afterEach, describe, expect, test } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import {
  NotOfferedError,
  type OpenedOperator,
  openOperator,
  OperatorError,
  operatorMethods,
} from '../../contract/operator/open-operator.ts';
import { mayBeLeft, runChecks } from '../../contract/run/run-checks.ts';
import { openRemoteTarget } from '../../contract/target/remote-target.ts';
import { freePort } from '../../scripts/free-port.ts';
import { checkOf, optionsFor, eachRun } from '../support/contract.ts';
import { json, respondWith } from '../support/misbehaving-servers.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';
import type { OperatorScript } from '../support/scripted-operator.ts';

const run = eachRun();
const all = { result: { methods: operatorMethods } };
const opened: OpenedOperator[] = [];
afterEach(async () => {
  for (const each of opened.splice(0)) await each.close().catch(() => undefined);
});

const commandOf = (script: OperatorScript) =>
  `node --no-warnings test/support/scripted-operator.ts '${JSON.stringify(script)}'`;

async function open(script: OperatorScript, timeoutSeconds = 20): Promise<OpenedOperator> {
  const operator = await openOperator(commandOf({ setup: all, teardown: { result: null }, ...script }), timeoutSeconds);
  opened.push(operator);
  return operator;
}

test('the guide names each method, and no other', async () => {
  const guide = await readFile('docs/operator.md', 'utf8');
  expect([...guide.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name)).toEqual(operatorMethods);
});

describe('an operator', () => {
  test('gives credentials and what it knows', async () => {
    const credentials = { owner_key: 'dak_uk_1' };
    const identity = { organisation_id: 'o', credential_id: 'c' };
    const { operator, ...setup } = await open({
      setup: { result: { ...all.result, credentials } },
      identify: { result: identity },
      listAuditEntries: { result: [] },
    });
    expect(setup).toMatchObject({ credentials });
    expect(await operator.identify('dak_uk_1')).toEqual(identity);
    expect(await operator.listAuditEntries()).toEqual([]);
  });

  test('may be a server', async () => {
    const asked: string[] = [];
    const url = await run.serve((request, response) => {
      void text(request).then((body) => {
        const { id, method } = JSON.parse(body) as { id: number; method: string };
        asked.push(method);
        response.end(JSON.stringify({ jsonrpc: '2.0', id, result: method === 'setup' ? all.result : null }));
      });
    });
    const { operator, close } = await openOperator(url);
    await operator.lockCase('a');
    const heal = await operator.breakStore();
    await heal();
    await close();
    expect(asked).toEqual(['setup', 'lockCase', 'breakStore', 'healStore', 'teardown']);
  });

  test('at a URL where nothing listens is named with the reason', async () => {
    const url = `http://127.0.0.1:${await freePort()}/operate`;
    await expect(openOperator(url)).rejects.toThrow(`${url} cannot be reached: connect ECONNREFUSED`);
  });

  test.each<[string, OperatorScript]>([
    ['does not list', { setup: { result: { methods: ['lockCase'] } } }],
    ['does not know', { readCase: { error: { code: -32601, message: 'Method not found' } } }],
  ])('lacks a method that it %s', async (_what, script) => {
    const { operator } = await open(script);
    await expect(operator.readCase('a')).rejects.toThrow(new NotOfferedError('readCase'));
  });
});

test('a store that nobody can heal is not broken', async () => {
  const methods = ['breakStore', 'disconnectStore'];
  const { operator } = await open({ setup: { result: { methods } }, breakStore: 'exit', disconnectStore: 'exit' });
  await expect(operator.breakStore()).rejects.toThrow(new NotOfferedError('healStore'));
  await expect(operator.disconnectStore()).rejects.toThrow(new NotOfferedError('healStore'));
});

describe('an operator that fails is told', () => {
  test.each<[string, OperatorScript, string]>([
    ['with its own error', { readCase: { error: { code: -32000, message: 'no table' } } }, 'readCase: no table'],
    ['for another result', { readCase: { result: 'a case' } }, 'readCase responded with a result that must be object'],
    ['when it ends', { readCase: 'exit' }, 'readCase: its process has ended with exit code 7: out of order'],
    ['when it babbles', { readCase: 'babble' }, 'readCase: it wrote a line that is not JSON: Listening on port 8080'],
    ['when it responds with nothing', { readCase: {} }, 'readCase: An unexpected error occurred'],
  ])('%s', async (_when, script, message) => {
    const { operator } = await open(script);
    await expect(operator.readCase('a')).rejects.toThrow(new OperatorError(message));
  });

  test('when it hangs, and is then asked nothing more', async () => {
    const { operator } = await open({ readCase: 'hang', lockCase: { result: null } }, 3);
    const late = new OperatorError('readCase: no response within 3 s');
    await expect(operator.readCase('a')).rejects.toThrow(late);
    await expect(operator.lockCase('a')).rejects.toThrow(late);
  });

  test('when a cached result is not there after it was saved', async () => {
    const { operator } = await open({ countCachedResults: { result: 3 }, saveCachedResult: { result: null } });
    await expect(operator.saveCachedResults('another')).rejects.toThrow(
      new OperatorError('saveCachedResult did not add a result: there were 3, and are 3'),
    );
  });

  test('before the run, if it cannot set up', async () => {
    const url = 'http://127.0.0.1:1';
    const opening = openRemoteTarget({ url, operator: commandOf({ setup: 'exit' }), provoke429: false });
    await expect(opening).rejects.toThrow('the operator failed: setup: its process has ended with exit code 7');
    const withKey = commandOf({ setup: { result: { methods: [], credentials: { key: 'secret' } } } });
    await expect(openRemoteTarget({ url, operator: withKey, provoke429: false })).rejects.toThrow(
      /^the operator has a field key that is unknown/,
    );
  });
});

test('a check whose operator lacks a method may be left, one whose operator fails may not', async () => {
  const { operator } = await open({ setup: { result: { methods: ['lockCase'] } }, lockCase: 'exit' });
  const options = optionsFor('http://127.0.0.1:1');
  const results = await runChecks(
    [
      checkOf('reads', { run: async (context) => void (await context.operator?.readCase('a')) }),
      checkOf('locks', { run: async (context) => context.operator?.lockCase('a') }),
    ],
    { ...options, target: { ...options.target, operator } },
  );
  expect(results.map(({ outcome, reason }) => [outcome, reason])).toEqual([
    ['not run', 'missing: operator (readCase)'],
    ['not run', 'the operator failed: lockCase: its process has ended with exit code 7: out of order'],
  ]);
  expect(results.map(mayBeLeft)).toEqual([true, false]);
});

describe('a server that the suite starts', () => {
  const serve = (port: number) =>
    `node --eval 'process.on("SIGTERM", () => process.exit()); require("http").createServer((a, b) => b.end()).listen(${port})' & wait`;

  test('is not taken for another that responds there already', async () => {
    const url = await run.serve(respondWith(404, json, '{}'));
    const opening = openRemoteTarget({ url, start: 'sleep 60', provoke429: false });
    await expect(opening).rejects.toThrow(`a server responds at ${url} already, so that --start cannot start one`);
  });

  test('is there when it is checked, and ended afterwards, with all that its command has started', async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    const { close } = await openRemoteTarget({ url, start: serve(Number(new URL(url).port)), provoke429: false });
    expect((await fetch(url)).status).toBe(200);
    await close();
    await until('the server has ended', () =>
      fetch(url).then(
        () => false,
        () => true,
      ),
    );
  });

  test('is told with what it printed if it ends', async () => {
    const opening = openRemoteTarget({ url: 'http://127.0.0.1:1', start: 'echo no disk; exit 3', provoke429: false });
    await expect(opening).rejects.toThrow('the server of --start ended before it responded; it printed:\nno disk');
  });
});

test.each([
  ['node docs/examples/operator.mjs', ['setup', 'listAuditEntries', 'readCase', 'lockCase', 'createCase']],
  ['python3 docs/examples/operate.py', ['setup', 'listAuditEntries', 'readCase']],
])('the example %s operates a server by its command line', async (command, methods) => {
  const folder = await makeTemporaryFolder();
  const environment = `DATA_DIR='${folder}' DOCUMENT_ANALYSIS='node --no-warnings src/main.ts'`;
  // On a loaded machine, the commands take their time.
  const { operator, credentials, close } = await openOperator(`${environment} ${command}`, 300);
  try {
    const caseId = String(credentials['case_id']);
    expect(await operator.readCase(caseId)).toMatchObject({ case_id: caseId, is_locked: false });
    expect(await operator.listAuditEntries(5)).toEqual([]);
    if (!methods.includes('createCase')) {
      await expect(operator.createCase()).rejects.toThrow(NotOfferedError);
      return;
    }
    const { case_id: created, file_id: fileId } = await operator.createCase();
    await operator.lockCase(created);
    const expected = { is_locked: true, files: [{ file_id: fileId, analysis_status: 'waiting_for_upload' }] };
    expect(await operator.readCase(created)).toMatchObject(expected);
  } finally {
    await close();
  }
});
