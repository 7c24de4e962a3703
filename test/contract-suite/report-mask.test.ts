import { describe, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { curlOf, shownExchange } from '../../contract/run/shown-exchange.ts';
import { maskOf, maskReport } from '../../contract/run/mask.ts';
import type { RequestSpec } from '../../contract/run/model.ts';
import { reportOf, resultOf } from '../support/failing-report.ts';
import { processorMilliseconds } from '../support/process.ts';

const key = 'dak_uk_Jp0vR+sLx/Wq93Tz "\'$`\\ü';
const token = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.sig';
const credentials = {
  base_url: 'http://a.example',
  case_base_url: 'http://b.example',
  owner_key: key,
  access_token: token,
  case_id: '7f000000-0000-4000-8000-000000000001',
};
const mask = maskOf(credentials);

/** Every way in which a text could give a stretch of a secret away. */
function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  return [
    secret,
    secret.toUpperCase(),
    secret.slice(0, -1),
    secret.slice(3),
    JSON.stringify(secret),
    encodeURIComponent(secret),
    encodeURIComponent(secret).toLowerCase(),
    bytes.toString('hex').toUpperCase(),
    bytes.toString('hex').replace(/../g, '%$&'),
    bytes.toString('hex'),
    bytes.toString('base64'),
    bytes.toString('base64url'),
    Buffer.from(`a:${secret}`).toString('base64'),
    Buffer.from(`a:${secret.toUpperCase()}`).toString('base64'),
    Buffer.from(`ab:${secret}:c`).toString('base64'),
  ];
}

describe('a mask', () => {
  test.each([key, token].flatMap(formsOf))('hides %s', (form) => {
    const masked = mask.mask(`before ${form} after`);
    expect(masked).toMatch(/^before .*(\$|part of )(OWNER_KEY|ACCESS_TOKEN).* after$/);
    for (let at = 0; at + 14 <= form.length; at += 1) expect(masked).not.toContain(form.slice(at, at + 14));
  });

  test('tells a whole secret from a part of one, and leaves the rest alone', () => {
    expect(mask.mask(`x ${token}${token} ${token}y ${token.slice(0, 20)} dak_uk_ ${credentials.case_id}`)).toBe(
      'x ${ACCESS_TOKEN}$ACCESS_TOKEN ${ACCESS_TOKEN}y [part of ACCESS_TOKEN] dak_uk_ 7f000000-0000-4000-8000-000000000001',
    );
  });

  test.each(['security', 'other-security', 'lesser-security'])('hides a credential under %s', (place) => {
    const given = maskOf({ ...credentials, [`${place}.aToken`]: 'the-token-of-somebody' });
    expect(given.mask('x the-token-of-somebody')).toBe(`x $${place.toUpperCase().replace('-', '_')}_ATOKEN`);
  });

  test('hides a spare under a name of its own', () => {
    const spare = 'dak_uk_spare_of_the_owner';
    const withSpares = maskOf({ ...credentials, spares: { owner_key: [spare] } });
    expect(withSpares.mask(`x ${spare} ${key} ${spare.slice(4)}`)).toBe(
      'x $OWNER_KEY_SPARE_1 $OWNER_KEY [part of OWNER_KEY_SPARE_1]',
    );
  });

  test('hides a secret between word characters, and one whose underscores are escaped', () => {
    expect(mask.mask(`key${key}key`)).toBe('key${OWNER_KEY}key');
    expect(mask.mask(key.replaceAll('_', '\\u005f'))).toBe('dak\\u005fuk\\u005f[part of OWNER_KEY]');
  });

  test('hides a short secret where it is sent alone, as it cannot be told from a word', () => {
    const short = maskOf({ ...credentials, owner_key: 'owner', access_token: 'tok' });
    expect(['Bearer tok', 'owner'].map((value) => short.maskHeader(value))).toEqual([
      'Bearer $ACCESS_TOKEN',
      '$OWNER_KEY',
    ]);
    expect(short.mask('an owner')).toBe('an owner');
  });

  test.each(['dak_uk_', key.slice(0, 12), 'eyJ-', token])('takes time linear in the text: %s…', (unit) => {
    const text = unit.repeat((512 * 1024) / unit.length);
    // A quadratic search takes minutes.
    expect(processorMilliseconds(() => mask.mask(text))).toBeLessThan(5000);
  });

  test('hides secrets in a text that grows in lower case', () => {
    expect(mask.mask(`İ ${token}`)).toBe('İ $ACCESS_TOKEN');
  });

  test('hides everything in a report but the ids of checks and rules', () => {
    const failure = { message: token, count: 3, curl: 'curl $OWNER_KEY' };
    const result = { ...resultOf('owner-key', 'not run'), reason: `r ${token}`, failures: [failure] };
    const results = [{ ...result, check: { ...result.check, title: `t ${token}` } }];
    const report = maskReport(reportOf(results, { problems: [`p ${key}`] }), credentials);
    expect(report.problems).toEqual(['p $OWNER_KEY']);
    expect(report.results[0]).toMatchObject({
      check: { id: 'owner-key', title: 't $ACCESS_TOKEN' },
      reason: 'r $ACCESS_TOKEN',
      failures: [{ ...failure, message: '$ACCESS_TOKEN' }],
    });
  });
});

describe('a line of curl', () => {
  const lineOf = (request: RequestSpec) => curlOf({ request, url: `http://a.example${request.path}` }, credentials);

  function argumentsOf(request: RequestSpec): string[] {
    const curl = lineOf(request);
    const script = `curl() { printf '%s\\0' "$@"; }; ${curl}`;
    const environment = { OWNER_KEY: key, ACCESS_TOKEN: token };
    const output = execFileSync('bash', ['--norc', '-c', script], { env: environment, encoding: 'latin1' });
    return Buffer.from(output, 'latin1').toString().split('\0').slice(0, -1);
  }

  test.each<[string, RequestSpec, string[]]>([
    ['secrets', { method: 'get', path: '/', headers: [['x-api-key', key]] }, ['--header', `x-api-key: ${key}`]],
    ['a secret with more', { method: 'get', path: '/', headers: [['a', `${token}x`]] }, ['--header', `a: ${token}x`]],
    ['signs of the shell', { method: 'PUT', path: '/$(id)`id`"\\\'!', body: '$HOME "' }, ['--data-binary', '$HOME "']],
    ['controls', { method: 'PUT', path: '/', body: 'a\nb\t\u0001\u0085\'\\"$HOME' }, ['a\nb\t\u0001\u0085\'\\"$HOME']],
    ['a secret with controls', { method: 'PUT', path: '/', body: `\n${key}\n` }, [`\n${key}\n`]],
    ['an empty header', { method: 'get', path: '/', headers: [['x-api-key', '']] }, ['--header', 'x-api-key;']],
  ])('means what was sent: %s', (_name, request, expected) => {
    const given = argumentsOf(request);
    expect(given.slice(0, 4)).toEqual(['--include', '--path-as-is', '--request', request.method.toUpperCase()]);
    expect(given).toEqual(expect.arrayContaining(expected));
    expect(given.at(-1)).toBe(`http://a.example${request.path}`);
  });

  test('can be pasted if secrets are as short as words of its URL and body', () => {
    const short = { ...credentials, base_url: 'http://owner.example', owner_key: 'owner', access_token: 'to' };
    const headers = [['x-api-key', 'owner'] as const, ['Authorization', 'Bearer to'] as const];
    const request = { method: 'PUT', path: '/Owner', headers, body: '{"role":"owner"}' };
    const curl = curlOf({ request, url: 'http://owner.example/Owner' }, short);
    expect(curl).toBe(
      'curl --include --path-as-is --request PUT --header "x-api-key: $OWNER_KEY" ' +
        '--header "Authorization: Bearer $ACCESS_TOKEN" --header "Content-Type:" ' +
        '--data-binary "{\\"role\\":\\"owner\\"}" "http://owner.example/Owner"',
    );
  });

  test('asks for the head alone, and has curl add no type to a body that was sent without', () => {
    expect(lineOf({ method: 'HEAD', path: '/' })).toBe('curl --include --path-as-is --head "http://a.example/"');
    expect(lineOf({ method: 'PUT', path: '/', body: '' })).toContain(' --header "Content-Type:" --data-binary ""');
    const typed = lineOf({ method: 'PUT', path: '/', headers: [['content-type', 'a/b']], body: '' });
    expect(typed).not.toContain('Type:"');
  });

  test.each<[RequestSpec['wire'], string]>([
    [{ version: '1.0' }, '--http1.0 --data'],
    [{ chunked: { bytes: 1 } }, '--header "Transfer-Encoding: chunked"'],
    [{ connection: 'closing' }, '--header "Connection: close"'],
    [{ expectContinue: '100-continue' }, '--header "Expect: 100-continue"'],
  ])('sends the bytes as they were sent: %j', (wire = {}, expected) => {
    const request = { method: 'PUT', path: '/', headers: [['Content-Type', 'a/b'] as const], body: '{}', wire };
    const curl = lineOf(request);
    expect(curl.replace(' --header "Content-Type: a/b"', '')).toContain(` ${expected}`);
  });

  test('can be pasted into a shell that looks for a history', () => {
    expect(lineOf({ method: 'GET', path: '/a!b' })).toContain(`a"'!'"b`);
  });

  test.each([
    ['bytes that are no text', Buffer.from([0xff, 0xfe, 0x41])],
    ['a text that is too long for a line', 'a!'.repeat(9_000)],
  ])('packs %s', (_name, body) => {
    const curl = lineOf({ method: 'PUT', path: '/', body });
    expect(curl.length).toBeLessThan(300);
    expect(unpacked('--data-binary', curl)).toEqual(Buffer.from(body));
  });

  test('packs a header that is too long for a line', () => {
    const curl = lineOf({ method: 'GET', path: '/', headers: [['X-Long', 'a'.repeat(9_000)]] });
    expect(unpacked('--header', curl).toString()).toBe(`X-Long: ${'a'.repeat(9_000)}\n`);
  });

  /** What curl would send of an option that is packed. */
  function unpacked(option: string, curl: string): Buffer {
    const [, file = ''] = new RegExp(`${option} @(<\\(.*?\\))`).exec(curl) ?? [];
    return execFileSync('bash', ['-c', `cat ${file}`]);
  }

  test('packs no secret', () => {
    const curl = lineOf({ method: 'PUT', path: '/', body: `${'a'.repeat(9_000)}${token}` });
    expect(curl.endsWith('aa$ACCESS_TOKEN" "http://a.example/"')).toBe(true);
  });
});

describe('a shown exchange', () => {
  const request = {
    method: 'PUT',
    path: '/a?b',
    headers: [['x-api-key', key] as const],
    body: `${'a'.repeat(1_990)}${token}${'b'.repeat(600)}`,
  };
  const response = { status: 404, headers: { 'content-type': 'text/plain', a: token }, text: 'first\n\nsecond' };
  const shown = shownExchange({ request, url: 'http://a.example/a?b', response }, credentials);

  test('has first line, headers and body, without secrets', () => {
    expect(shown.request).toMatch(
      /^PUT \/a\?b\nhost: a\.example\nx-api-key: \$OWNER_KEY\n\na{1990}\$\{ACCESS_T… \(\d+ characters\)$/,
    );
    expect(shown.response).toBe('404 Not Found\ncontent-type: text/plain\na: $ACCESS_TOKEN\n\nfirst\n\nsecond');
  });

  test('shows bytes that are no text as such', () => {
    const bytes = { method: 'PUT', path: '/', body: Buffer.from([0xff, 0xfe, 0x41]) };
    expect(shownExchange({ request: bytes, url: 'http://a.example' }, credentials).request).toBe(
      'PUT /\nhost: a.example\n\n3 bytes: fffe41',
    );
  });
});
