import { describe, expect, test } from '@jest/globals';
import { CliError } from '../../src/cli/errors.ts';
import { ConfigError } from '../../src/runtime/config.ts';
import { Refusal } from '../../src/api/errors.ts';
import { ListenError } from '../../src/api/connections/listen.ts';
import { ConflictError, NotFoundError, StoreOpenError, StoreUnavailableError } from '../../src/store/errors.ts';

test.each([
  ['CliError', new CliError('x')],
  ['ConfigError', new ConfigError('x')],
  ['ListenError', new ListenError('x')],
  ['StoreUnavailableError', new StoreUnavailableError('x')],
  ['StoreOpenError', new StoreOpenError('x')],
  ['NotFoundError', new NotFoundError('case', 'x')],
  ['ConflictError', new ConflictError('x')],
])('a log tells a %s by its name', (name, error) => {
  expect(String(error)).toMatch(new RegExp(`^${name}: `));
});

describe('the body of a refusal', () => {
  const described = { error_code: 'request.forbidden', error_message: expect.stringMatching(/^The .*\.$/) as unknown };

  test('holds code and message, and details only if there are some', () => {
    const details = { field: 'enabled' };
    expect(new Refusal('request.forbidden').body).toStrictEqual(described);
    expect(new Refusal('request.forbidden', { details }).body).toStrictEqual({ ...described, error_details: details });
  });

  test('holds none of its headers', () => {
    const refusal = new Refusal('request.forbidden', { headers: { Allow: 'GET' } });
    expect([refusal.body, refusal.headers]).toStrictEqual([described, { Allow: 'GET' }]);
    expect(new Refusal('request.forbidden').headers).toStrictEqual({});
  });
});
