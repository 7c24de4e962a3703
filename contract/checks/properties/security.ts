import type { Check, CredentialName, Need } from '../../run/model.ts';
import { type Baseline, type Changes, withQuery } from '../baseline.ts';
import { credentialSchemes, type CredentialScheme, type Headers, isKey, presented } from '../credential-scheme.ts';
import { credentialVariants } from '../credential-variants.ts';
import { defineCheck } from '../define-check.ts';
import { expectSameResponse } from '../deterministic-baseline.ts';
import { expectStatus, expectSuccess } from '../expect.ts';
import { isMocked } from '../../conformance/http-response.ts';
import { UnmetPreconditionError } from '../../run/unmet-precondition-error.ts';

type SecretReader = (name: CredentialName) => string;
type CheckOf = (
  name: string,
  from: readonly Need[],
  changes: (secret: SecretReader) => Changes & { query?: string },
) => Check;

const secretNames = ['access_token', 'api_key', 'token'];

/** Checks that an operation refuses requests without a valid credential, and that a public one ignores credentials. */
export function securityChecks(baseline: Baseline, seed: number): Check[] {
  if (baseline.isPublic) return ignoredCredentialChecks(baseline);
  if (baseline.refusals.credential.length === 0) return alternativeChecks(baseline);
  const check = refusal(baseline);
  const { schemes } = baseline;
  if (schemes.length === 0) return [check('absent', baseline.needs, () => ({ credential: [] }))];
  return [
    ...schemes.flatMap((scheme, index) => schemeChecks(baseline, scheme, index === 0 ? '' : `${scheme.name}.`, seed)),
    ...alternativeRefusals(baseline, seed),
    ...alternativeChecks(baseline),
  ];
}

function refusal(baseline: Baseline, others: readonly CredentialScheme[] = [], prefix = ''): CheckOf {
  return (name, from, changes) =>
    defineCheck(baseline, {
      name: `security.${prefix}${name}`,
      title: `a request whose credential is ${name} is refused with 401`,
      source: isPlainlyInvalid(name) ? 'document' : 'decision',
      needs: [...from, ...others.map(({ credential }) => credential), ...baseline.anonymousNeeds],
      failsToAuthenticate: 'variants',
      ...(isOwedByInterface(name) && { refuses: 'credential' as const }),
      run: async (context) => {
        const secret: SecretReader = (credential) => context.credential(credential);
        const { query = '', credential = [], ...rest } = changes(secret);
        const valid = others.flatMap((other) => presented(other, secret(other.credential)));
        const path = baseline.path(context);
        const request = baseline.request(context, {
          ...rest,
          credential: [...credential, ...valid],
          path: query === '' ? path : withQuery(path, query),
        });
        const response = await context.call(request);
        if (!/^(absent|empty)/.test(name) && isMocked(response))
          throw new UnmetPreconditionError('the mock accepts any credential');
        expectStatus(response, ...baseline.refusals.credential);
      },
    });
}

/**
 * Variants that every server refuses if it requires a credential. Others may be read from elsewhere, or more leniently.
 */
function isPlainlyInvalid(variant: string): boolean {
  return /^(absent|empty|malformed|unknown|one-character-changed)$/.test(variant);
}

/** The interface document does not cover a credential sent twice, the order of checks, or HEAD. */
function isOwedByInterface(variant: string): boolean {
  return !/^doubled-|-HEAD$|-invalid-body$/.test(variant);
}

/** The checks of one of the schemes that are required together; the credentials of the others are valid. */
function schemeChecks(baseline: Baseline, scheme: CredentialScheme, prefix: string, seed: number): Check[] {
  const { document, operation, json, schemes } = baseline;
  const { credential, header } = scheme;
  const accepted = operation.security.flat();
  const unaccepted = credentialSchemes(document).filter(({ name }) => !accepted.includes(name));
  const others = schemes.filter((other) => other !== scheme);
  const check = refusal(baseline, others, prefix);
  return [
    ...credentialVariants(scheme, unaccepted, seed).map(({ name, from, headers }) =>
      check(name, from, (secret) => ({ credential: headers(secret) })),
    ),
    check('in-query', [credential], (secret) => ({
      query: [header.toLowerCase(), ...secretNames]
        .map((name) => `${name}=${encodeURIComponent(secret(credential))}`)
        .join('&'),
    })),
    check('in-cookie', [credential], (secret) => ({
      headers: [['Cookie', [header, ...secretNames].map((name) => `${name}=${secret(credential)}`).join('; ')]],
    })),
    ...(operation.method === 'get' ? [check('absent-HEAD', [], () => ({ method: 'HEAD' }))] : []),
    ...(json ? [check('absent-and-invalid-body', [], () => ({ body: '{' }))] : []),
    ...(json
      ? [check('invalid-and-invalid-body', [], () => ({ credential: presented(scheme, 'invalid'), body: '[]' }))]
      : []),
  ];
}

/** The schemes of each alternative that the other checks do not use. */
function otherAlternatives({ document, operation, schemes }: Baseline): CredentialScheme[][] {
  const known = credentialSchemes(document);
  const taken = schemes.map(({ name }) => name).join();
  return operation.security
    .filter((names) => names.join() !== taken && names.every((name) => known.some((scheme) => scheme.name === name)))
    .map((names) => names.flatMap((name) => known.filter((scheme) => scheme.name === name)));
}

/** Checks that each alternative refuses obviously invalid credentials, because a server may verify only one of them. */
function alternativeRefusals(baseline: Baseline, seed: number): Check[] {
  const checked = new Set(baseline.schemes.map(({ name }) => name));
  return otherAlternatives(baseline).flatMap((alternative) =>
    alternative.flatMap((scheme) => {
      if (checked.has(scheme.name)) return [];
      checked.add(scheme.name);
      const others = alternative.filter((other) => other !== scheme);
      const check = refusal(baseline, others, `${scheme.name}.`);
      return credentialVariants(scheme, [], seed)
        .filter(({ name }) => isPlainlyInvalid(name) && name !== 'absent')
        .map(({ name, from, headers }) => check(name, from, (secret) => ({ credential: headers(secret) })));
    }),
  );
}

/** Checks that each of several alternatives is sufficient. */
function alternativeChecks(baseline: Baseline): Check[] {
  const { operation, success } = baseline;
  return otherAlternatives(baseline).map((alternative) => {
    const names = alternative.map(({ name }) => name);
    // Only the role of a key has permissions.
    const mayLackPermission = operation.requiredPermission !== null && !alternative.some(isKey);
    return defineCheck(baseline, {
      name: `security.accepted-${names.join('-and-')}`,
      title: `a request with ${names.join(' and ')} gets ${success}${mayLackPermission ? ', or 403' : ''}`,
      needs: [...alternative.map(({ credential }) => credential), ...baseline.anonymousNeeds],
      run: async (context) => {
        const credential = alternative.flatMap((scheme) => presented(scheme, context.credential(scheme.credential)));
        const response = await context.call(baseline.request(context, { credential }));
        if (!mayLackPermission || response.status !== 403) expectSuccess(baseline, response);
      },
    });
  });
}

function ignoredCredentialChecks(baseline: Baseline): Check[] {
  return credentialSchemes(baseline.document).flatMap((scheme) => {
    const variants: Record<string, Headers> = {
      malformed: presented(scheme, 'not a credential'),
      empty: [[scheme.header, '']],
      doubled: [...presented(scheme, 'a'), ...presented(scheme, 'b')],
    };
    return Object.entries(variants).map(([name, credential]) =>
      defineCheck(baseline, {
        name: `security.ignored-${scheme.name}-${name}`,
        title: `a credential (${scheme.name}, ${name}) is ignored, because the operation is public`,
        source: 'decision',
        run: (context) =>
          expectSameResponse(baseline, () => context.call(baseline.request(context)), [
            () => context.call(baseline.request(context, { credential })),
          ]),
      }),
    );
  });
}
