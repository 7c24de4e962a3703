import { createHash } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { finishPage } from '../../scripts/docs/render-site.ts';
import { renderPage } from '../../scripts/docs/page.ts';
import { ownBundle } from '../../contract/document/own-document.ts';
import type { RawDocument } from '../../contract/document/raw.ts';

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

test('the policy of the reference allows its own scripts and styles by their hashes, and nothing else', () => {
  const hashes = (count: number) => `( 'sha256-[\\w+/]{43}='){${count}}`;
  expect(renderPage({ document: ownBundle as RawDocument, changelog: '# Changelog\n' }).policy).toMatch(
    new RegExp(
      `^default-src 'none'; script-src${hashes(2)}; style-src${hashes(2)}; img-src data:; worker-src blob:; ` +
        "base-uri 'none'; form-action 'none'$",
    ),
  );
});

test('the policy of another page allows files of the site, and what stands in it by its hash', () => {
  const head =
    '<meta charset="utf-8"/><style>p { margin: 0 }</style><script>first()</script><script src="/a.js"></script>';
  const { html, policy } = finishPage(`${head}<p style="--a: &quot;b&quot;">Text</p>`, 'guides/client.html');
  expect(policy).toBe(
    `default-src 'none'; script-src 'self' 'wasm-unsafe-eval' ${hashOf('first()')}; ` +
      `style-src 'self' 'unsafe-hashes' ${hashOf('p { margin: 0 }')} ${hashOf('--a: "b"')}; ` +
      "img-src 'self' data:; connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'",
  );
  expect(html).toContain(`<meta http-equiv="Content-Security-Policy" content="${policy}">`);
});

test('the links of a page do not depend on where the folder is published', () => {
  const { html } = finishPage(
    '<meta charset="utf-8"><a href="/">a</a><img src="/b.svg"><a href="//c/">c</a>',
    'd/e.html',
  );
  expect(html).toContain('<a href="../index.html">a</a><img src="../b.svg"><a href="//c/">c</a>');
});
