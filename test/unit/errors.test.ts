import { expect, test } from '@jest/globals';
import { CliError } from '../../src/cli/errors.ts';
import { ConfigError } from '../../src/runtime/config.ts';
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
