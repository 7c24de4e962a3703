import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { type Verification, verify } from '../../../src/analysis/verify.ts';
import { type Detail, isProvisional, type RegistryRecord } from '../../../src/domain/analysis.ts';
import { type Registry, RegistryUnavailableError } from '../../../src/analysis/registries/registry.ts';
import { register } from './fixture.ts';

/** What is verified, unless a test says otherwise: one number of a company that the document names. */
function evidenceOf(
  registries: Registry[],
  details: string[] | Pick<Detail, 'kind' | 'value'>[] = ['01234567'],
  { milliseconds, ...replaced }: Partial<Verification> & { milliseconds?: number } = {},
) {
  const { signal } = new AbortController();
  const verification = { registries, namesCompany: () => true, now: () => now, signal, ...replaced };
  const questions = details.map((one) =>
    typeof one === 'string' ? { kind: 'uk-company-number' as const, value: one } : one,
  );
  return verify(questions, verification, milliseconds);
}
const now = new Date('2026-03-02T12:00:00.000Z');

const responding = (find: Registry['find'], more?: Partial<Registry>): Registry => register({ ...more, find }).registry;
const acme: RegistryRecord = { value: '01234567', name: 'ACME LIMITED', status: 'Active' };
const bilingual = { ...acme, other_names: ['ACMÉ LIMITÉE'] };
const found = (record?: RegistryRecord) => responding(() => Promise.resolve(record));

/** Waits for longer than any test, or until it is aborted. */
const waitUntil = (signal?: AbortSignal) => sleep(600_000, undefined, { ...(signal && { signal }) });

test.each([
  ['match: the registry holds it, and the document names its company', 'ACME LIMITED', acme, 'match'],
  ['match: the document names its company in the other language', 'ACMÉ LIMITÉE', bilingual, 'match'],
  ['mismatch: the registry holds it, and the document does not name its company', '', acme, 'mismatch'],
  ['not_found: the registry does not hold it', 'ACME LIMITED', undefined, 'not_found'],
])('the verdict on a detail %s', async (_, named, record, verdict) => {
  const namesCompany = (name: string) => name === named;
  expect(await evidenceOf([found(record)], undefined, { namesCompany })).toEqual([
    {
      kind: 'uk-company-number',
      value: '01234567',
      registry: 'the register',
      edition: null,
      record: record ?? null,
      asked_at: '2026-03-02T12:00:00.000Z',
      verdict,
      reason: null,
    },
  ]);
});

const unconfigured = 'no registry is configured for this kind of detail';
const noRegister = 'there is no public register of GST/HST accounts that a program can ask';
const foreign = 'VAT numbers of countries other than the United Kingdom are not supported';
test.each<[string, Detail['kind'], string | null, string, boolean]>([
  ['registry_unavailable', 'uk-company-number', 'the register', 'it does not respond', true],
  ['registry_unavailable', 'uk-vat-number', null, unconfigured, false],
  ['no_public_register', 'ca-gst-hst-account', null, noRegister, false],
  ['not_supported', 'unsupported-vat-number', null, foreign, false],
])(
  'the verdict on a detail %s on a %s says why, and whether it may be another one later',
  async (verdict, kind, registry, reason, later) => {
    const evidence = await evidenceOf([register().registry], [{ kind, value: '1' }]);
    expect(evidence).toMatchObject([{ registry, record: null, verdict, reason }]);
    expect(evidence.map(isProvisional)).toEqual([later]);
  },
);

test('a verification asks nothing more after it was aborted, and takes that for no fault of a registry', async () => {
  const controller = new AbortController();
  const { registry, asked, respondWith } = register();
  respondWith(() => {
    controller.abort(new Error('lost'));
    return Promise.reject(new RegistryUnavailableError('aborted'));
  });
  const { signal } = controller;
  await expect(evidenceOf([registry], ['00000001', '00000002'], { signal })).rejects.toThrow('lost');
  expect(asked).toEqual(['00000001']);
});

test('a verification asks about each detail once, as many at once as the registry says, and gives evidence in their order', async () => {
  let [inFlight, most] = [0, 0];
  const asked: string[] = [];
  const slow = (kind: Detail['kind'], questionsAtOnce?: number): Registry => ({
    name: kind,
    kinds: [kind],
    ...(questionsAtOnce !== undefined && { questionsAtOnce }),
    find: async (_kind, value) => {
      asked.push(value);
      most = Math.max(most, (inFlight += 1));
      await sleep(20);
      inFlight -= 1;
      return undefined;
    },
  });
  const [companies, vat] = [slow('uk-company-number', 3), slow('uk-vat-number')];
  const ask = async (...given: Registry[]) => {
    most = 0;
    const details = given.flatMap(({ kinds: [kind = 'uk-vat-number'] }) =>
      Array.from({ length: 7 }, (_, index) => ({ kind, value: `${kind} ${9 - index}` })),
    );
    const evidence = await evidenceOf(given, details);
    expect(evidence.map(({ kind, value }) => ({ kind, value }))).toEqual(details);
    expect(asked.splice(0).sort()).toEqual(details.map(({ value }) => value).sort());
    return most;
  };
  expect([await ask(companies), await ask(vat), await ask(companies, vat)]).toEqual([3, 1, 4]);
});

test('a verification ends in time however slow a registry is: what is open then is provisional, and was not asked twice', async () => {
  const { registry, asked, respondWith } = register({ questionsAtOnce: 2 });
  respondWith((_kind, value, given) => (value === '1' ? Promise.resolve(undefined) : waitUntil(given)));
  const begun = performance.now();
  const evidence = await evidenceOf([registry], ['1', '2', '3', '4', '5'], { milliseconds: 300 });
  expect(performance.now() - begun).toBeLessThan(10_000);
  expect(asked).toEqual(['1', '2', '3']);
  const expected = ['not_found', ...Array<string>(4).fill('registry_unavailable')];
  expect(evidence.map(({ verdict }) => verdict)).toEqual(expected);
  expect(evidence.map(isProvisional)).toEqual([false, true, true, true, true]);
  expect(evidence[4]?.reason).toBe('the registry did not respond within the time limit for a document');
});

test('a verification does not take a document that cannot be read, after the time is over, for a registry that is too slow', async () => {
  const namesCompany = async () => {
    await sleep(100);
    throw new Error('the file cannot be read again');
  };
  const verifying = evidenceOf([found(acme)], undefined, { namesCompany, milliseconds: 50 });
  await expect(verifying).rejects.toThrow('the file cannot be read again');
});

test('a verification ends all questions in flight when one of them fails in a way nobody expects', async () => {
  let aborted = 0;
  const find: Registry['find'] = async (_kind, value, given) => {
    if (value === '2') throw new TypeError('a defect');
    return waitUntil(given).catch((error: unknown) => {
      aborted += 1;
      throw error;
    });
  };
  const verifying = evidenceOf([responding(find, { questionsAtOnce: 2 })], ['1', '2', '3']);
  await expect(verifying).rejects.toThrow('a defect');
  await sleep(10);
  expect(aborted).toBe(1);
});

test('a verification names the edition that the registry had before it was asked', async () => {
  let edition = 'import 1 of then';
  const find = () => Promise.resolve(void (edition = 'import 2 of now'));
  const registry = responding(find, { edition: () => Promise.resolve(edition) });
  expect(await evidenceOf([registry])).toMatchObject([{ edition: 'import 1 of then' }]);
});
