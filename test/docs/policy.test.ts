import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { buildDocs } from '../../scripts/docs/build.ts';
import type { DocsManifest } from '../../src/api/steps/serve-docs.ts';
import { TemporaryFolder } from '../support/temporary-folder.ts';

test('the policy of the page allows its own scripts and styles by their hashes, and nothing else', async () => {
  const folder = await TemporaryFolder.make();
  try {
    await buildDocs(folder.path);
    const manifest = JSON.parse(await readFile(join(folder.path, 'docs.json'), 'utf8')) as DocsManifest;
    const hashes = (count: number) => `( 'sha256-[\\w+/]{43}='){${count}}`;
    expect(manifest['/docs']?.headers['Content-Security-Policy']).toMatch(
      new RegExp(
        `^default-src 'none'; script-src${hashes(2)}; style-src${hashes(2)}; img-src data:; worker-src blob:; ` +
          "base-uri 'none'; form-action 'none'; frame-ancestors 'none'$",
      ),
    );
  } finally {
    await folder.remove();
  }
});
