// @ts-nocheck
import { describe, expect, test } from '@jest/globals';
import { ConfigError, readConfig } from '../../src/config.js';

describe('readConfig', () => {
  test('has a default for everything', () => {
    expect(readConfig({})).toEqual({
      production: false,
      region: 'uk',
      host: '127.0.0.1',
      port: 8080,
      databasePath: 'data/document-analysis-uk.sqlite',
      logLevel: 'info',
      rateLimits: { requests: 600, failedAuthentications: 30, windowSeconds: 60 },
    });
  });

  test('reads every variable', () => {
    const environment = {
      NODE_ENV: 'production',
      REGION: 'ca',
      HOST: '::',
      PORT: '0',
      DATA_DIR: '/var/lib/x',
      LOG_LEVEL: 'silent',
      RATE_LIMIT_REQUESTS: '1',
      RATE_LIMIT_FAILED_AUTHENTICATIONS: '2',
      RATE_LIMIT_WINDOW_SECONDS: '3',
    };
    expect(readConfig(environment)).toEqual({
      production: true,
      region: 'ca',
      host: '::',
      port: 0,
      databasePath: '/var/lib/x/document-analysis-ca.sqlite',
      logLevel: 'silent',
      rateLimits: { requests: 1, failedAuthentications: 2, windowSeconds: 3 },
    });
  });

  test('lets a flag win over its variable', () => {
    const environment = { REGION: 'uk', PORT: '1', HOST: 'a', DATA_DIR: 'b' };
    const config = readConfig(environment, { region: 'ca', port: '2', host: 'c', dataDir: 'd' });
    expect(config).toMatchObject({ region: 'ca', port: 2, host: 'c', databasePath: 'd/document-analysis-ca.sqlite' });
  });

  test('is frozen', () => {
    expect(Object.isFrozen(readConfig({}))).toBe(true);
    expect(Object.isFrozen(readConfig({}).rateLimits)).toBe(true);
  });

  test('names every mistake at once', () => {
    const read = () => readConfig({ PORT: 'x', REGION: 'fr', HOST: '', RATE_LIMIT_REQUESTS: '0' });
    expect(read).toThrow(ConfigError);
    expect(read).toThrow(
      [
        'REGION must be one of uk, ca, not "fr"',
        'HOST must not be empty',
        'PORT must be a whole number from 0 to 65535, not "x"',
        'RATE_LIMIT_REQUESTS must be a whole number from 1 to 1000000000, not "0"',
      ].join('\n'),
    );
  });

  test.each(['65536', '-1', '1.5', '1e3', ' 80', ''])('refuses the port %j', (port) => {
    expect(() => readConfig({ PORT: port })).toThrow('PORT must be a whole number');
  });
});
