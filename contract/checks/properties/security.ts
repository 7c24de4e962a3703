import type { Check, CredentialName, Need } from '../../run/model.ts';
import { type Baseline, type Changes, withQuery } from '../baseline.ts';
import { presented, schemeNamesOf } from '../credential-scheme.ts';
import { credentialVariants } from '../credential-variants.ts';
import { defineCheck } from '../define-check.ts';
import { expectStatus } from '../expect.ts';

type SecretReader = (name: CredentialName) => string;

const secretNames = ['access_token', 'api_key', 'token'];

/** Checks that an operation with a security scheme refuses whoever presents no valid credential in it. */
export function securityChecks(baseline: Baseline, seed: number): Check[] {
  const { scheme, operation, json } = baseline;
  const accepted = schemeNamesOf(operation);
  if (accepted.length === 0) return [];
  const check = (
    name: string,
    from: readonly Need[],
    changes: (secret: SecretReader) => Changes & { query?: string },
  ) =>
    defineCheck(baseline, {
      name: `security.${name}`,
      title: `a request whose credential is ${name} is refused with 401`,
      needs: [...from, ...baseline.anonymousNeeds],
      status: 401,
      run: async (context) => {
        const secret: SecretReader = (credential) => context.credential(credential);
        const { query = '', ...rest } = changes(secret);
        const path = baseline.path(context);
        const request = baseline.request(context, { ...rest, path: query === '' ? path : withQuery(path, query) });
        expectStatus(await context.call(request), 401);
      },
    });
  if (!scheme) return [check('absent', baseline.needs, () => ({ credential: [] }))];
  const { credential, header } = scheme;
  return [
    ...credentialVariants(scheme, accepted, seed).map(({ name, from, headers }) =>
      check(name, from, (secret) => ({ credential: headers(secret) })),
    ),
    check('in-query', [credential], (secret) => ({
      credential: [],
      query: [header.toLowerCase(), ...secretNames]
        .map((name) => `${name}=${encodeURIComponent(secret(credential))}`)
        .join('&'),
    })),
    check('in-cookie', [credential], (secret) => ({
      credential: [],
      headers: [['Cookie', [header, ...secretNames].map((name) => `${name}=${secret(credential)}`).join('; ')]],
    })),
    ...(operation.method === 'get' ? [check('absent-HEAD', [], () => ({ method: 'HEAD', credential: [] }))] : []),
    ...(json ? [check('absent-and-invalid-body', [], () => ({ credential: [], body: '{' }))] : []),
    ...(json
      ? [check('invalid-and-invalid-body', [], () => ({ credential: presented(scheme, 'invalid'), body: '[]' }))]
      : []),
  ];
}
