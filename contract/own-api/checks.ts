/** The checks of rules that the plan does not explore: what the operator of a target makes happen, or alone can see, and files. */
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Check, CheckContext, CredentialName, RequestSpec } from '../run/model.ts';
import { parsed, told } from '../oracle/json.ts';
import { documentationPaths, isPublishedFile } from './response-rules.ts';
import { limitChecks } from './limits.ts';
import { sameCase, timeOf } from './cases.ts';
import { rightsChecks } from './changing-rights.ts';
import { offered } from './effects.ts';
import { givenCases, returnedCase } from './given-cases.ts';
import {
  apiKey,
  bearer,
  enabledBody,
  expectStatus,
  expectThat,
  type Header,
  operatorOf,
  readCase,
  readSetting,
  save,
  savedSetting,
  settingIn,
  updateSetting,
} from './requests.ts';
import { ruleCheck } from './rules.ts';

const operated = ['operator', 'owner_key'] as const;

/** The cases of the credentials, each with the token that may read it. */
const knownCases = [
  ['case_id', 'access_token'],
  ['empty_case_id', 'access_token'],
  ['other_case_id', 'other_access_token'],
] as const;

const operatedChecks: readonly Check[] = [
  ruleCheck({
    id: '4.1-R1.first-value',
    title: 'the setting is off before its first update',
    rules: ['4.1-R1', '2.1-F2'],
    needs: operated,
    run: async (context) => {
      const isUntouched = (await operatorOf(context).listAuditEntries()).length === 0;
      const saved = await savedSetting(context);
      expectThat(!isUntouched || !saved, 'false before the first update', String(saved));
      await save(context, saved);
      const entries = await operatorOf(context).listAuditEntries();
      const first = entries.filter(({ organisation_id: id }) => id === entries[0]?.organisation_id).at(-1);
      expectThat(first?.before.enabled === false, 'false before the first update', told(first?.before));
    },
  }),
  ...knownCases.map(([id, token]) =>
    ruleCheck({
      id: `4.3-O1.as-stored-${id.replaceAll('_', '-')}`,
      title: `${id} is returned as stored`,
      rules: ['4.3-O1', 'D8', '2.3-F3'],
      needs: ['operator', id, token],
      inAllWays: true,
      run: async (context) => {
        const expected = (await operatorOf(context).readCase(context.credential(id))) as Record<string, unknown>;
        const came = await readCaseOf(context, context.credential(id), token);
        for (const name of Object.keys({ ...expected, ...came })) {
          const isSame = sameCase({ [name]: came[name] }, { [name]: expected[name] });
          expectThat(isSame, `${told(expected[name])} as ${name} of ${id}`, told(came[name]));
        }
      },
    }),
  ),
  ...Object.entries(givenCases).map(([what, make]) =>
    ruleCheck({
      id: `4.3-O1.as-given-with-${what}`,
      title: `a case with ${what.replaceAll('-', ' ')} is returned as it was given, once it is there`,
      rules: ['4.3-O1', '2.3-F2', '2.3-F3', '2.3-F10', '2.3-F11', 'D8', 'D28', 'D30'],
      needs: ['operator', 'access_token'],
      inAllWays: what === 'few-files',
      run: async (context) => {
        const { way } = context;
        // One in each other way: all of them would use up the limit of the credential.
        for (const made of make(context.seed).filter((_made, at, { length }) => at === (way ?? at) % length)) {
          const isLarge = made.files.length > manyFiles;
          const given = isLarge ? { ...made, locked_at: null } : made;
          const before = await context.call(readCase(given.case_id, bearer(context.credential('access_token'))));
          await operatorOf(context).importCase(given);
          expectStatus(before, 'reading a case that is not there yet', 404);
          await expectCase(context, given.case_id, returnedCase(given));
          await expectOthers(context, given.case_id);
          if (isLarge) await expectLargeCase(context, given.case_id);
        }
      },
    }),
  ),
  ruleCheck({
    id: '3.3-S1.waiting-for-upload',
    title: 'a file that is not uploaded yet is waiting_for_upload, and its case is not complete',
    rules: ['3.3-S1', '3.2-S1', 'D6', 'D28'],
    needs: ['operator', 'access_token'],
    inAllWays: true,
    run: async (context) => {
      const { case_id: id, file_id: fileId } = await operatorOf(context).createCase();
      const { files, file_analysis_status: status } = await readCaseOf(context, id);
      const [file, ...others] = files as { file_id: string; analysis_status: string }[];
      expectThat(file?.file_id === fileId && others.length === 0, `only the file ${fileId}`, told(files));
      expectThat(file?.analysis_status === 'waiting_for_upload', 'waiting_for_upload', told(file));
      expectThat(status === 'waiting_for_file_analysis', 'waiting_for_file_analysis', told(status));
    },
  }),
  ruleCheck({
    id: '3.4-S1.locked-by-the-operator',
    title: 'a locked case has is_locked and locked_at from the next read on',
    rules: ['3.4-S1', '2.3-F4', '2.3-F5', 'D29'],
    needs: ['operator', 'access_token'],
    inAllWays: true,
    run: async (context) => {
      const operator = operatorOf(context);
      const { case_id: id } = await operator.createCase();
      const before = await readCaseOf(context, id);
      expectThat(before['is_locked'] === false && before['locked_at'] === null, 'a case without a lock', told(before));
      await operator.lockCase(id);
      const { is_locked: isLocked, locked_at: lockedAt } = await readCaseOf(context, id);
      expectThat(isLocked === true, 'is_locked true', told(isLocked));
      expectThat(!Number.isNaN(Date.parse(String(lockedAt))), 'a time in locked_at', told(lockedAt));
    },
  }),
  ruleCheck({
    id: 'D29.last-change',
    title: 'the lock of a case is a change of it',
    needs: ['operator', 'access_token'],
    run: async (context) => {
      const { case_id: id } = await operatorOf(context).createCase();
      await operatorOf(context).lockCase(id);
      const { locked_at: locked, updated_at: updated } = await readCaseOf(context, id);
      const isUpdated = Date.parse(String(updated)) >= Date.parse(String(locked));
      expectThat(isUpdated, `${String(locked)} or later as updated_at`, told(updated));
    },
  }),
];

/** Expects each field of a case as it was given, whatever the spelling of times. */
async function expectCase(context: CheckContext, id: string, expected: Record<string, unknown>): Promise<void> {
  const came = await readCaseOf(context, id);
  for (const name of Object.keys(expected)) {
    const [one, other] = [came, expected].map((body): unknown =>
      JSON.parse(JSON.stringify({ [name]: body[name] }), timeOf),
    );
    expectThat(isDeepStrictEqual(one, other), `${told(expected[name])} as ${name}`, told(came[name]));
  }
}

/** HEAD has the length of GET, and another organisation finds nothing, with either. */
async function expectOthers(context: CheckContext, id: string): Promise<void> {
  const read = readCase(id, bearer(context.credential('access_token')));
  const [whole, head] = [await context.call(read), await context.call({ ...read, method: 'HEAD' })];
  const length = head.headers['content-length'];
  const isOfWhole = length === undefined || Number(length) === whole.bytes?.length;
  expectThat(isOfWhole, `the Content-Length of ${whole.bytes?.length} bytes in a response to HEAD`, String(length));
  const { other_access_token: other } = context.credentials;
  for (const method of other === undefined ? [] : ['GET', 'HEAD', 'GET']) {
    const foreign = await context.call({ ...readCase(id, bearer(other ?? '')), method });
    expectStatus(foreign, `another organisation reading ${id} with ${method}`, 404);
  }
}

/** Over what pages, batches and buffers usually hold: such a case may be sent in another way. */
const manyFiles = 1000;

/** The same to several readers at once, after a response that was broken off, and once the case is locked. */
async function expectLargeCase(context: CheckContext, id: string): Promise<void> {
  const read = readCase(id, bearer(context.credential('access_token')));
  const [first, ...others] = await Promise.all([1, 2, 3].map(() => context.call(read)));
  const ways: Partial<RequestSpec>[] = [
    { wire: { afterBroken: 'response' } },
    { wire: { version: '1.0' } },
    { headers: [...(read.headers ?? []), ['Accept-Encoding', 'gzip']] },
  ];
  for (const way of ways) others.push(await context.call({ ...read, ...way }));
  const whole = parsed(first?.text ?? '');
  const isSame = others.every(({ text }) => isDeepStrictEqual(parsed(text), whole));
  expectThat(isSame, 'the same body for each reader, and in each way', 'another one');
  await operatorOf(context).lockCase(id);
  const { is_locked: isLocked } = await readCaseOf(context, id);
  expectThat(isLocked === true, 'is_locked true of a case of many files', told(isLocked));
}

async function readCaseOf(context: CheckContext, id: string, token: CredentialName = 'access_token') {
  const response = await context.call(readCase(id, bearer(context.credential(token))));
  expectStatus(response, `${token} reading ${id}`, 200);
  return (parsed(response.text) ?? {}) as Record<string, unknown>;
}

async function expectValidators(context: CheckContext, path: string): Promise<void> {
  const whole = await context.call({ method: 'GET', path });
  if (whole.status === 404) return;
  const { etag = '' } = whole.headers;
  expectThat(/^(W\/)?"[!#-~]*"$/.test(etag), `an ETag of ${path}`, told(etag));
  const opaque = etag.replace(/^W\//, '');
  const since: Header = ['If-Modified-Since', new Date(Date.now() + 86_400_000).toUTCString()];
  const same = [etag, opaque, `W/${opaque}`, `"other", ${etag}`].map((tags): Header => ['If-None-Match', tags]);
  const other: Header = ['If-None-Match', '"other"'];
  for (const method of ['GET', 'HEAD'])
    for (const headers of [...same.map((header) => [header]), [other], [other, since]]) {
      const { status, text, headers: came } = await context.call({ method, path, headers });
      const isSame = headers.every((header) => same.includes(header));
      const isRight = status === (isSame ? 304 : 200) && text === (isSame || method === 'HEAD' ? '' : whole.text);
      const promised = `${isSame ? '304 without a body' : 'the whole file'} to ${method} of ${path} with ${told(headers)}, and the ETag ${etag}`;
      expectThat(isRight && came['etag'] === etag, promised, `${status} and ${came['etag'] ?? 'no ETag'}`);
    }
}

/** Longer than caches and timers of a few seconds usually last, but no longer than the other checks take. */
const watchedSeconds = { least: 5, most: 12 };

/** Bodies that a lenient server may take for an update. */
const refusedBodies = [
  '{"enabled":1}',
  '{"enabled":"true"}',
  '{"enabled":null}',
  '{}',
  '[]',
  '{"enabled":true,"x":1}',
  '{',
];

/** More than a pool, a queue or a limit of connections usually has. */
const atOnce = 60;

/** All checks of the layer `rules`. Those that use the operator come early, before any update. */
export const ruleChecks: readonly Check[] = [
  ...operatedChecks,
  ruleCheck({
    id: 'D12.late-body',
    title: 'a body that comes more than a second after its head is read as a whole',
    needs: ['owner_key'],
    readsOnly: true,
    isRefused: true,
    run: async (context) => {
      const request = updateSetting('{"enabled":1}', apiKey(context.credential('owner_key')));
      const response = await context.call({ ...request, wire: { writes: 'body much later' } });
      expectStatus(response, 'an invalid body that comes late', 400);
      const { text } = await context.call(request);
      expectThat(response.text === text, `the response to the same body in time, ${text}`, response.text);
    },
  }),
  ruleCheck({
    id: 'D185.at-once',
    title: `${atOnce} requests at the same time get what one gets`,
    needs: ['owner_key', 'access_token', 'case_id'],
    run: async (context) => {
      const setting = readSetting(apiKey(context.credential('owner_key')));
      const ofCase = readCase(context.credential('case_id'), bearer(context.credential('access_token')));
      for (const request of [setting, ofCase]) {
        const { status } = await context.call(request);
        const responses = await Promise.all(Array.from({ length: atOnce }, () => context.call(request)));
        const other = responses.find((response) => response.status !== status);
        expectThat(!other, `${status} to each of ${atOnce} requests at once`, String(other?.status), other);
      }
    },
  }),
  ruleCheck({
    id: '5-S1.cookies',
    title: 'what a response to a valid request sets as a cookie opens nothing without a credential',
    needs: ['owner_key'],
    readsOnly: true,
    run: async (context) => {
      const { fieldLines = {} } = await context.call(readSetting(apiKey(context.credential('owner_key'))));
      const cookies = (fieldLines['set-cookie'] ?? []).map((line) => line.replace(/;.*/, ''));
      if (cookies.length === 0) return;
      const response = await context.call(readSetting(['Cookie', cookies.join('; ')]));
      expectStatus(response, `a request without a credential, with the cookies ${told(cookies)}`, 401);
    },
  }),
  ruleCheck({
    id: '4.2-R1.every-organisation',
    title: 'an invalid body of any organisation is refused alike',
    needs: ['owner_key', 'other_owner_key'],
    readsOnly: true,
    isRefused: true,
    run: async (context) => {
      const keys = [context.credential('owner_key'), context.credential('other_owner_key')];
      for (const body of refusedBodies) {
        const [own, other] = await Promise.all(keys.map((key) => context.call(updateSetting(body, apiKey(key)))));
        const isAlike = other?.status === 400 && other.text === own?.text;
        expectThat(isAlike, `400 and the body ${own?.text} for ${body} of another organisation`, told(other?.text));
      }
    },
  }),
  ruleCheck({
    id: '3.1-S1.own-alone',
    title: 'an update changes the setting of its own organisation alone, also beside an update of another one',
    rules: ['3.1-S1', '3.1-S2'],
    needs: ['owner_key', 'other_owner_key'],
    run: async (context) => {
      const [own, other] = [context.credential('owner_key'), context.credential('other_owner_key')];
      const readBoth = () => Promise.all([own, other].map((key) => savedSetting(context, key)));
      const expectBoth = async (expected: readonly boolean[], when: string) => {
        const came = await readBoth();
        expectThat(isDeepStrictEqual(came, expected), `${told(expected)} of two organisations ${when}`, told(came));
      };
      const [saved = false, ofOther] = await readBoth();
      for (const enabled of [!saved, saved]) {
        await save(context, enabled);
        // What a server keeps in memory is read anew once somebody else has written.
        if (context.operator) await offered(context.operator.createCase(), undefined);
        await expectBoth([enabled, ofOther === true], `after an update of one to ${enabled}`);
      }
      // That of the other one stays on, which shows if it is forgotten.
      for (const both of [
        [!saved, true],
        [saved, false],
        [saved, true],
      ] as const) {
        await Promise.all([own, other].map((key, at) => save(context, both[at] === true, key)));
        await expectBoth(both, 'after updates of both at the same time');
      }
    },
  }),
  /** The checks meanwhile update the setting of `owner_key` alone. */
  ruleCheck({
    id: '3.1-S1.stays',
    title: 'the setting stays as it was saved for some seconds, while another organisation updates its own',
    rules: ['3.1-S1', '3.1-S2'],
    needs: ['owner_key', 'other_owner_key'],
    runsBeside: true,
    run: async (context) => {
      const other = context.credential('other_owner_key');
      const before = await savedSetting(context, other);
      const { least, most } = watchedSeconds;
      const startedAt = performance.now();
      await Promise.all([
        sleep(least * 1000),
        Promise.race([context.others, sleep(most * 1000, undefined, { ref: false })]),
      ]);
      const seconds = Math.round((performance.now() - startedAt) / 1000);
      // The operator may have the store fail just now, for another check.
      let response = await context.call(readSetting(apiKey(other)));
      for (let tries = 0; tries < 20 && response.status >= 500; tries += 1) {
        await sleep(100);
        response = await context.call(readSetting(apiKey(other)));
      }
      const after = settingIn(parsed(response.text));
      expectThat(after === before, `${before} after ${seconds} s`, String(after));
    },
  }),
  ruleCheck({
    id: 'D185.in-order',
    title: 'a read in the same bytes as the update before it gets what that has saved, and a second update is saved',
    needs: ['owner_key'],
    run: async (context) => {
      const key = apiKey(context.credential('owner_key'));
      const saved = await savedSetting(context);
      for (const enabled of [!saved, saved]) {
        const behind = [updateSetting(enabledBody(enabled), key)];
        const { text } = await context.call({ ...readSetting(key), wire: { behind } });
        const came = settingIn(parsed(text));
        // To a server that closes each connection, the update was not sent.
        if ((await savedSetting(context)) !== enabled) continue;
        expectThat(came === enabled, `${enabled} after an update in the same bytes`, told(text));
        const update = updateSetting(enabledBody(!enabled), key);
        const second = await context.call({ ...update, wire: { behind: [updateSetting(enabledBody(enabled), key)] } });
        const both = [settingIn(parsed(second.text)), await savedSetting(context)];
        expectThat(
          isDeepStrictEqual(both, [!enabled, !enabled]),
          `${!enabled} of the second of two updates`,
          told(both),
        );
        await save(context, enabled);
      }
    },
  }),
  ...rightsChecks,
  /** Decision D80: published files have validators, and conditional requests with them get no content. */
  ruleCheck({
    id: 'D80.validators',
    title: 'a published file gets 304 without a body for its own ETag, and for no other',
    needs: ['case_id', 'access_token'],
    readsOnly: true,
    run: async (context) => {
      const { files } = await readCaseOf(context, context.credential('case_id'));
      const urls = (files as { thumbnail_url: string }[]).map(({ thumbnail_url: url }) => url);
      // The address is that of the public, which may be another one than the suite's.
      const thumbnail = urls.flatMap((url) => (URL.canParse(url) ? new URL(url).pathname : [])).find(isPublishedFile);
      for (const path of [...documentationPaths, thumbnail ?? []].flat()) await expectValidators(context, path);
      const { status, headers } = await context.call({ method: 'GET', path: thumbnail ?? '/' });
      const isImage =
        thumbnail === undefined || status !== 200 || headers['content-type']?.startsWith('image/') === true;
      expectThat(isImage, 'an image as a thumbnail', told(headers['content-type']));
    },
  }),
  ...limitChecks,
];
