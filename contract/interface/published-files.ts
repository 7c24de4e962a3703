import { documentationPaths, isPublishedFile } from '../conformance/published-files.ts';
import type { Check, CheckContext, HttpResponse } from '../run/model.ts';
import { readKnownCase } from './cases.ts';
import { expectThat, shown } from './expect.ts';
import { ruleCheck } from './rule-check.ts';

/** Decision D80: published files have validators, and conditional requests with them get no content. */
export const publishedFileChecks: readonly Check[] = [
  ruleCheck({
    id: 'D80.validators',
    title: 'a published file gets 304 without a body for its own ETag, and for no other',
    rules: ['D80'],
    needs: ['case_id', 'access_token'],
    readsOnly: true,
    run: async (context) => {
      for (const path of [...documentationPaths, ...(await thumbnailPaths(context)).slice(0, 1)])
        await expectValidators(context, path);
    },
  }),
];

/** The thumbnails that this server serves itself. */
async function thumbnailPaths(context: CheckContext): Promise<string[]> {
  const { files } = await readKnownCase(context, { id: 'case_id', token: 'access_token' });
  const base = context.credentials.base_url.replace(/\/$/, '');
  return files
    .map(({ thumbnail_url: url }) => String(url))
    .flatMap((url) => (url.startsWith(`${base}/`) ? [url.slice(base.length)] : []))
    .filter(isPublishedFile);
}

async function expectValidators(context: CheckContext, path: string): Promise<void> {
  const get = (method: string, ...conditions: [string, string][]) =>
    context.call({ method, path, headers: conditions });
  const whole = await get('GET');
  if (whole.status === 404) return;
  const { etag = '' } = whole.headers;
  expectThat(/^(W\/)?"[!#-~]*"$/.test(etag), `an ETag of ${path}`, shown(etag));
  const opaque = etag.replace(/^W\//, '');
  for (const method of ['GET', 'HEAD'])
    for (const condition of [etag, opaque, `W/${opaque}`, `"other", ${etag}`])
      expectNotModified(
        await get(method, ['If-None-Match', condition]),
        `${method} with If-None-Match: ${condition}`,
        etag,
      );
  const later = new Date(Date.now() + 86_400_000).toUTCString();
  for (const conditions of [
    [['If-None-Match', '"other"']],
    [
      ['If-None-Match', '"other"'],
      ['If-Modified-Since', later],
    ],
  ]) {
    const response = await get('GET', ...(conditions as [string, string][]));
    const same = response.status === 200 && response.text === whole.text && response.headers['etag'] === etag;
    expectThat(same, `the complete ${path} for another ETag`, String(response.status));
  }
}

function expectNotModified({ status, headers, text }: HttpResponse, what: string, etag: string): void {
  expectThat(
    status === 304 && text === '',
    `304 without a body to ${what}`,
    `${status} with ${text.length} characters`,
  );
  expectThat(headers['etag'] === etag, `the ETag ${etag} in it`, shown(headers['etag']));
}
