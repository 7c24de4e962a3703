import { describe, expect, test } from '@jest/globals';
import { harmlessVariants } from '../../contract/mutants/harmless/index.ts';
import { mutantsByKind } from '../../contract/mutants/list/index.ts';
import { runMutant } from '../../contract/mutants/run-mutant.ts';
import { startOwnTarget } from '../../scripts/own-target.ts';

const only = [
  'replay.get*.200',
  'replay.updateVerificationSetting.2*',
  'replay.updateVerificationSetting.41*',
  '2.*-F1*',
  '4.3-*',
  'D16.a-word',
  'D17.HEAD-headers-of-the-setting',
  'D32.a-key',
];

describe('the list of harmless variants', () => {
  test('has at least 40, each with a name of its own', () => {
    const names = [...Object.values(mutantsByKind).flat(), ...harmlessVariants].map(({ name }) => name);
    expect(harmlessVariants.length).toBeGreaterThanOrEqual(40);
    expect(new Set(names).size).toBe(names.length);
  });

  test.each(harmlessVariants.map(({ name, breaks }) => [name, breaks]))('says what %s is', (_name, breaks) => {
    expect(breaks).toMatch(/^\S.*[^.]$/);
  });
});

describe('the suite passes a server that conforms and', () => {
  const quick = [
    'members-reversed',
    'json-names-escaped',
    'numbers-with-exponent',
    'messages-in-another-language',
    'media-type-in-mixed-case',
    'media-type-with-quoted-charset',
    'header-names-in-odd-case',
    'header-values-padded',
    'limit-with-spaces',
    'without-date',
    'chunks-with-trailers',
    'http-1.0',
    'compressed-by-gzip',
    'gateway-headers',
    'limited-once',
    'short-secrets',
  ];
  test.each(
    harmlessVariants.filter(({ name }) => quick.includes(name)).map((variant) => [variant.breaks, variant] as const),
  )('has %s', async (_differs, variant) => {
    const result = await runMutant(variant, startOwnTarget, { only });
    expect(result).toEqual({ name: variant.name, problems: [], seconds: expect.any(Number) });
  });
});

describe('the suite catches a mutant', () => {
  const named = Object.values(mutantsByKind).flat();
  test.each([
    'file-not-waiting-for-upload',
    'lock-seen-late',
    'success-as-text',
    'hundredth-request-let-in',
    'http-1-0-lifts-tenancy',
    'malformed-without-body',
    'label-cut-within-a-letter',
  ])('%s by the check that is about its promise', async (name) => {
    const mutant = named.find((each) => each.name === name);
    const result = mutant && (await runMutant(mutant, startOwnTarget));
    const expected = {
      'file-not-waiting-for-upload': '3.3-S1.waiting-for-upload',
      'lock-seen-late': '3.4-S1.locked-by-the-operator',
      'success-as-text': 'conformance.getVerificationSetting.200.media-type',
      'hundredth-request-let-in': expect.stringMatching(/^explored\.\w+\.(permission|feature)/),
      'http-1-0-lifts-tenancy': 'explored.getCase.not-found.decided',
      'malformed-without-body': 'conformance.service.400.header.X-Request-Id',
      'label-cut-within-a-letter': 'conformance.getCase.200.body',
    }[name];
    expect(result?.first).toEqual(expected);
  });
});
