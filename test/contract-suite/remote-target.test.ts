import { ownDocument } from '../../contract/document/own-document.ts';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { plainUrls } from '../../contract/run/reach-target.ts';
import { openRemoteTarget } from '../../contract/target/remote-target.ts';
import { UsageError } from '../../contract/run/errors.ts';

let folder: string;
let credentialsFile: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'document-analysis-remote-'));
  credentialsFile = join(folder, 'credentials.json');
  await writeFile(
    credentialsFile,
    '\ufeff{"base_url": "http://elsewhere.example", "region": "uk", "owner_key": "dak_uk_x"}',
  );
});
afterEach(() => rm(folder, { recursive: true }));

const open = (url: string, caseUrl?: string) => openRemoteTarget({ url, caseUrl, credentialsFile, provoke429: false });

describe('a remote target', () => {
  test('has the credentials of the file, at the addresses of the command line', async () => {
    const target = await open('https://api.example.com/v1/', 'https://cases.example.com');
    expect(target).toMatchObject({
      credentials: {
        base_url: 'https://api.example.com/v1',
        case_base_url: 'https://cases.example.com',
        region: 'uk',
        owner_key: 'dak_uk_x',
      },
      mayExhaustLimits: false,
    });
    expect(target.operator).toBeUndefined();
    await target.close();
  });

  test('has its cases where everything is, unless it is told otherwise', async () => {
    const { credentials } = await open('http://[::1]:8080');
    expect(credentials.case_base_url).toBe('http://[::1]:8080');
    expect(plainUrls(credentials, ownDocument).flat()).toEqual([
      'http://[::1]:8080/organisations/features/verification',
      'http://[::1]:8080/cases/00000000-0000-4000-8000-000000000000',
    ]);
  });

  test.each([
    '',
    'api.example.com',
    'ftp://api.example.com',
    'file:///etc/passwd',
    'http://',
    'https://user:hunter2hunter2@api.example.com',
    'https://api.example.com/?token=hunter2hunter2',
    'https://api.example.com/#hunter2hunter2',
  ])('refuses the address "%s" without repeating what may be secret', async (url) => {
    await expect(open(url)).rejects.toThrow(UsageError);
    await expect(open(url)).rejects.toThrow(
      /^--url must be a base address such as https:\/\/api\.example\.com, without/,
    );
    await expect(open('http://a.example', url)).rejects.toThrow(/^--case-url must be a base address/);
    await expect(open(url)).rejects.not.toThrow(/hunter2/);
  });

  test('says why the credentials file cannot be read', async () => {
    credentialsFile = join(folder, 'missing.json');
    await expect(open('http://a.example')).rejects.toThrow(
      `the credentials file ${credentialsFile} cannot be read: there is no such file`,
    );
    credentialsFile = folder;
    await expect(open('http://a.example')).rejects.toThrow('cannot be read: it is a directory');
  });
});
