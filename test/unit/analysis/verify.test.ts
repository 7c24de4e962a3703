import { describe, expect, test } from '@jest/globals';
import { isProvisional, verify } from '../../../src/analysis/verify.ts';
import type { Detail, RegistryRecord } from '../../../src/domain/analysis.ts';
import { type Registry, RegistryUnavailableError } from '../../../src/analysis/registries/registry.ts';

const now = () => new Date('2026-03-02T12:00:00.000Z');
const { signal } = new AbortController();

function detail(value: string, kind: Detail['kind'] = 'uk-company-number'): Detail {
  return { kind, value, found_as: value, page: 1 };
}

/** A register of companies that answers as it is told, and the questions that it was asked. */
function register(answer: (value: string) => Promise<RegistryRecord | undefined>): Registry & { asked: string[] } {
  const asked: string[] = [];
  return {
    name: 'the register',
    kinds: ['uk-company-number'],
    asked,
    find: (_kind, value) => {
      asked.push(value);
      return answer(value);
    },
  };
}

const acme = { value: '01234567', name: 'ACME LIMITED', status: 'Active' };

describe('the verdict on a detail', () => {
  test.each([
    ['match: the registry holds it, and the document names its company', true, acme, 'match'],
    ['mismatch: the registry holds it, and the document does not name its company', false, acme, 'mismatch'],
    ['not_found: the registry does not hold it', true, undefined, 'not_found'],
  ])('%s', async (_, named, answer, verdict) => {
    const registries = [register(() => Promise.resolve(answer))];
    const namesCompany = (name: string) => named && name === 'ACME LIMITED';
    expect(await verify([detail('01234567')], { registries, namesCompany, now, signal })).toEqual([
      {
        kind: 'uk-company-number',
        value: '01234567',
        registry: 'the register',
        answer: answer ?? null,
        asked_at: '2026-03-02T12:00:00.000Z',
        verdict,
        reason: null,
      },
    ]);
  });

  test('registry_unavailable: the registry is unavailable; it says why, and may say otherwise later', async () => {
    const registries = [register(() => Promise.reject(new RegistryUnavailableError('the register does not answer')))];
    const evidence = await verify([detail('01234567')], { registries, namesCompany: () => true, now, signal });
    expect(evidence).toMatchObject([
      {
        registry: 'the register',
        answer: null,
        verdict: 'registry_unavailable',
        reason: 'the register does not answer',
      },
    ]);
    expect(isProvisional(evidence)).toBe(true);
  });

  test('registry_unavailable: no registry is configured for its kind, now or later', async () => {
    const registries = [register(() => Promise.resolve(acme))];
    const details = [detail('GB123456782', 'uk-vat-number')];
    const evidence = await verify(details, { registries, namesCompany: () => true, now, signal });
    expect(evidence).toMatchObject([
      { registry: null, verdict: 'registry_unavailable', reason: 'no registry is configured for this kind of detail' },
    ]);
    expect(isProvisional(evidence)).toBe(false);
  });

  test('no_public_register: no registry can ever be asked about its kind', async () => {
    const details = [detail('123456782RT0001', 'ca-gst-hst-account')];
    const evidence = await verify(details, { registries: [], namesCompany: () => true, now, signal });
    const reason = 'there is no public register of GST/HST accounts that a program can ask';
    expect(evidence).toMatchObject([{ registry: null, answer: null, verdict: 'no_public_register', reason }]);
    expect(isProvisional(evidence)).toBe(false);
  });

  test('match: the document names the company by its name in the other language', async () => {
    const registries = [register(() => Promise.resolve({ ...acme, other_names: ['ACMÉ LIMITÉE'] }))];
    const namesCompany = (name: string) => name === 'ACMÉ LIMITÉE';
    const evidence = await verify([detail('01234567')], { registries, namesCompany, now, signal });
    expect(evidence).toMatchObject([{ verdict: 'match', answer: { other_names: ['ACMÉ LIMITÉE'] } }]);
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
});
