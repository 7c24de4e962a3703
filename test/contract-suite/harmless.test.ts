import { describe, expect, test } from '@jest/globals';
import { harmlessVariants } from '../../contract/mutants/harmless.ts';
import { mutantsByKind } from '../../contract/mutants/list/index.ts';
import { promisesOf, runMutant } from '../../contract/mutants/run-mutant.ts';
import { serverNamed } from '../../contract/mutants/workers.ts';
import { patternOf } from '../../contract/run/selection.ts';
import { ownTargets } from '../../scripts/own-target.ts';

const startTarget = ownTargets();

const only = [
  'replay.get*.200',
  'replay.updateVerificationSetting.2*',
  'replay.updateVerificationSetting.41*',
  '2.*-F1*',
  '4.3-*',
  'explored.getVerificationSetting.success*',
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
    const result = await runMutant(variant, startTarget, { only });
    expect(result).toEqual({ name: variant.name, problems: [], seconds: expect.any(Number) });
  });
});

describe('the suite catches a mutant', () => {
  test.each([
    'file-not-waiting-for-upload',
    'lock-seen-late',
    'success-as-text',
    'malformed-without-body',
    'label-cut-within-a-letter',
    'foreign-case-readable over HTTP/1.0',
    'permission-to-write-skipped with X-Forwarded-For: 127.0.0.1',
  ])('%s by a check of its promise', async (name) => {
    const result = await runMutant(serverNamed(name), startTarget);
    expect(promisesOf(name).some((pattern) => patternOf(pattern).test(result.first ?? ''))).toBe(true);
  });
});
