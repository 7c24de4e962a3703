import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { verify } from '../../../src/analysis/verify.ts';
import { type Detail, isProvisional, type RegistryRecord } from '../../../src/domain/analysis.ts';
import { type Registry, RegistryUnavailableError } from '../../../src/analysis/registries/registry.ts';

const now = () => new Date('2026-03-02T12:00:00.000Z');
const { signal } = new AbortController();

function detail(value: string, kind: Detail['kind'] = 'uk-company-number'): Detail {
  return { kind, value, found_as: value, page: 1 };
}

/** A register of companies with the given responses, and the questions that it was asked. */
function register(find: (value: string) => Promise<RegistryRecord | undefined>): Registry & { asked: string[] } {
  const asked: string[] = [];
  return {
    name: 'the register',
    kinds: ['uk-company-number'],
    asked,
    find: (_kind, value) => {
      asked.push(value);
      return find(value);
    },
  };
}

const acme = { value: '01234567', name: 'ACME LIMITED', status: 'Active' };

describe('the verdict on a detail', () => {
  test.each([
    ['match: the registry holds it, and the document names its company', true, acme, 'match'],
    ['mismatch: the registry holds it, and the document does not name its company', false, acme, 'mismatch'],
    ['not_found: the registry does not hold it', true, undefined, 'not_found'],
  ])('%s', async (_, named, found, verdict) => {
    const registries = [register(() => Promise.resolve(found))];
    const namesCompany = (name: string) => named && name === 'ACME LIMITED';
    expect(await verify([detail('01234567')], { registries, namesCompany, now, signal })).toEqual([
      {
        kind: 'uk-company-number',
        value: '01234567',
        registry: 'the register',
        edition: null,
        record: found ?? null,
        asked_at: '2026-03-02T12:00:00.000Z',
        verdict,
        reason: null,
      },
    ]);
  });

  test('registry_unavailable: the registry is unavailable; it says why, and may say otherwise later', async () => {
    const registries = [register(() => Promise.reject(new RegistryUnavailableError('the register does not respond')))];
    const evidence = await verify([detail('01234567')], { registries, namesCompany: () => true, now, signal });
    expect(evidence).toMatchObject([
      {
        registry: 'the register',
        record: null,
        verdict: 'registry_unavailable',
        reason: 'the register does not respond',
      },
    ]);
    expect(evidence.map(isProvisional)).toEqual([true]);
  });

  test('registry_unavailable: no registry is configured for its kind, now or later', async () => {
    const registries = [register(() => Promise.resolve(acme))];
    const details = [detail('GB123456782', 'uk-vat-number')];
    const evidence = await verify(details, { registries, namesCompany: () => true, now, signal });
    expect(evidence).toMatchObject([
      { registry: null, verdict: 'registry_unavailable', reason: 'no registry is configured for this kind of detail' },
    ]);
    expect(evidence.map(isProvisional)).toEqual([false]);
  });

  test.each([
    [
      'no_public_register',
      detail('123456782RT0001', 'ca-gst-hst-account'),
      'there is no public register of GST/HST accounts that a program can ask',
    ],
    [
      'not_supported',
      detail('DE136695976', 'unsupported-vat-number'),
      'VAT numbers of countries other than the United Kingdom are not supported',
    ],
  ])('%s: no registry is ever asked about its kind', async (verdict, asked, reason) => {
    const evidence = await verify([asked], { registries: [], namesCompany: () => true, now, signal });
    expect(evidence).toMatchObject([{ registry: null, record: null, verdict, reason }]);
    expect(evidence.map(isProvisional)).toEqual([false]);
  });

  test('match: the document names the company by its name in the other language', async () => {
    const registries = [register(() => Promise.resolve({ ...acme, other_names: ['ACMÉ LIMITÉE'] }))];
    const namesCompany = (name: string) => name === 'ACMÉ LIMITÉE';
    const evidence = await verify([detail('01234567')], { registries, namesCompany, now, signal });
    expect(evidence).toMatchObject([{ verdict: 'match', record: { other_names: ['ACMÉ LIMITÉE'] } }]);
  });
});

describe('a verification', () => {
  test('asks about each detail once, and gives evidence in their order', async () => {
    const registry = register(() => Promise.resolve(undefined));
    const details = ['00000003', '00000001', '00000002'].map((value) => detail(value));
    const evidence = await verify(details, { registries: [registry], namesCompany: () => true, now, signal });
    expect(registry.asked).toEqual(['00000003', '00000001', '00000002']);
    expect(evidence.map(({ value }) => value)).toEqual(registry.asked);
  });

  test('asks nothing more after it was aborted, and takes that for no fault of a registry', async () => {
    const controller = new AbortController();
    const registry = register(() => {
      controller.abort(new Error('lost'));
      return Promise.reject(new RegistryUnavailableError('aborted'));
    });
    const verification = { registries: [registry], namesCompany: () => true, now, signal: controller.signal };
    await expect(verify([detail('00000001'), detail('00000002')], verification)).rejects.toThrow('lost');
    expect(registry.asked).toEqual(['00000001']);
  });

  test('is not ended by evidence when a registry fails in a way nobody expects', async () => {
    const registries = [register(() => Promise.reject(new TypeError('a defect')))];
    const verifying = verify([detail('00000001')], { registries, namesCompany: () => true, now, signal });
    await expect(verifying).rejects.toThrow('a defect');
  });

  test('has as many questions in flight as the registry says, beside those of another registry', async () => {
    let [inFlight, most] = [0, 0];
    const slow = (kind: Detail['kind'], questionsAtOnce?: number): Registry => ({
      name: kind,
      kinds: [kind],
      ...(questionsAtOnce !== undefined && { questionsAtOnce }),
      find: async () => {
        most = Math.max(most, (inFlight += 1));
        await sleep(20);
        inFlight -= 1;
        return undefined;
      },
    });
    const [companies, vat] = [slow('uk-company-number', 3), slow('uk-vat-number')];
    const ask = async (...given: Registry[]) => {
      most = 0;
      const details = given.flatMap(({ kinds }) =>
        Array.from({ length: 7 }, (_, index) => detail(`${index}`, kinds[0])),
      );
      const evidence = await verify(details, { registries: given, namesCompany: () => true, now, signal });
      expect(evidence.map(({ kind, value }) => [kind, value])).toEqual(details.map(({ kind, value }) => [kind, value]));
      return most;
    };
    expect([await ask(companies), await ask(vat), await ask(companies, vat)]).toEqual([3, 1, 4]);
  });

  test('ends in time however slow a registry is: what is open then is provisional, and was not asked twice', async () => {
    const asked: string[] = [];
    const registry: Registry = {
      name: 'the register',
      kinds: ['uk-company-number'],
      questionsAtOnce: 2,
      find: async (_kind, value, given) => {
        asked.push(value);
        if (value !== '1') await sleep(60_000, undefined, { signal: given });
        return undefined;
      },
    };
    const details = ['1', '2', '3', '4', '5'].map((value) => detail(value));
    const begun = performance.now();
    const evidence = await verify(details, { registries: [registry], namesCompany: () => true, now, signal }, 300);
    expect(performance.now() - begun).toBeLessThan(10_000);
    expect(asked).toEqual(['1', '2', '3']);
    expect(evidence.map(({ verdict }) => verdict)).toEqual([
      'not_found',
      ...Array<string>(4).fill('registry_unavailable'),
    ]);
    expect(evidence.map(isProvisional)).toEqual([false, true, true, true, true]);
    expect(evidence[4]?.reason).toBe('the registry did not respond within the time limit for a document');
  });

  test('does not take a document that cannot be read, after the time is over, for a registry that is too slow', async () => {
    const namesCompany = async () => {
      await sleep(100);
      throw new Error('the file cannot be read again');
    };
    const registries = [register(() => Promise.resolve(acme))];
    const verifying = verify([detail('01234567')], { registries, namesCompany, now, signal }, 50);
    await expect(verifying).rejects.toThrow('the file cannot be read again');
  });

  test('ends all questions in flight when one of them fails in a way nobody expects', async () => {
    let aborted = 0;
    const registry: Registry = {
      name: 'the register',
      kinds: ['uk-company-number'],
      questionsAtOnce: 2,
      find: async (_kind, value, given) => {
        if (value === '2') throw new TypeError('a defect');
        return sleep(60_000, undefined, { signal: given }).catch((error: unknown) => {
          aborted += 1;
          throw error;
        });
      },
    };
    const details = ['1', '2', '3'].map((value) => detail(value));
    const verifying = verify(details, { registries: [registry], namesCompany: () => true, now, signal });
    await expect(verifying).rejects.toThrow('a defect');
    await sleep(10);
    expect(aborted).toBe(1);
  });

  test('names the edition that the registry had before it was asked', async () => {
    let edition = 'import 1 of then';
    const registry: Registry = {
      name: 'the register',
      kinds: ['uk-company-number'],
      edition: () => Promise.resolve(edition),
      find: () => {
        edition = 'import 2 of now';
        return Promise.resolve(undefined);
      },
    };
    const verification = { registries: [registry], namesCompany: () => true, now, signal };
    expect(await verify([detail('1')], verification)).toMatchObject([{ edition: 'import 1 of then' }]);
  });
});
