/** The checks of rules that are no exploration of single requests: response times, files, and those beside. */
import { setTimeout as sleep } from 'node:timers/promises';
import { documentationPaths, isPublishedFile } from './decided-responses.ts';
import { parsed, told } from '../oracle/json.ts';
import type { Check, CheckContext } from '../run/model.ts';
import { limitChecks } from './limit-checks.ts';
import { operatedChecks } from './operated-checks.ts';
import { bearer, expectStatus, expectThat, readCase } from './requests.ts';
import { savedSetting, unknownCaseId } from './requests.ts';
import { ruleCheck } from './rules.ts';

/** Decision D16: a case of another organisation is indistinguishable from an unknown one, by response time too. */
const responseTimeCheck = ruleCheck({
  id: 'D16.response-times',
  title: 'response times do not distinguish a foreign case from an unknown one',
  rules: ['D16'],
  needs: ['access_token', 'other_case_id'],
  run: async (context) => {
    const refused = (id: string) => async () => {
      const response = await context.call(readCase(id, bearer(context.credential('access_token'))));
      expectStatus(response, 'a case that the token may not read', 404);
    };
    const [foreign, unknown] = [refused(context.credential('other_case_id')), refused(unknownCaseId)];
    // The first response may have to open a connection or fill a cache.
    for (const request of [foreign, unknown]) await request();
    const { medians, dominance, responses, isLarge } = await compareTimes(foreign, unknown);
    const [ofForeign, ofUnknown] = medians.map((median) => `${median.toFixed(1)} ms`);
    const measured = `a foreign case ${ofForeign ?? ''}, an unknown one ${ofUnknown ?? ''} (medians of ${responses} responses; the foreign one slower in ${Math.round(dominance * 100)} % of all pairs)`;
    context.tell(measured);
    expectThat(!isLarge, 'no large difference in response times', measured);
  },
});

const sampleStep = 8;
const largestSample = 24;
const smallestShiftMs = 5;
const smallestDominance = 0.8;

/**
 * Compares the response times of two requests. They are measured alternately, so that a slowdown of the server or the
 * network affects both, and compared by rank, so that one slow response in a hundred has no influence. A difference
 * counts only if the medians differ by 5 ms and one request is slower in four of five pairs, in three successive
 * samples of increasing size, always with the same slower request. Without a real difference, this happens less than
 * once in a hundred million runs, whatever the distribution of the times.
 */
export async function compareTimes(first: () => Promise<unknown>, second: () => Promise<unknown>) {
  let direction = 0;
  for (let size = sampleStep; ; size += sampleStep) {
    const times: [number[], number[]] = [[], []];
    for (let turn = 0; turn < size; turn += 1)
      for (const which of turn % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
        const began = performance.now();
        await (which === 0 ? first : second)();
        times[which].push(performance.now() - began);
      }
    const medians = [medianOf(times[0]), medianOf(times[1])] as const;
    const dominance = dominanceOf(...times);
    const shift = medians[0] - medians[1];
    const isLarge =
      Math.abs(shift) >= smallestShiftMs &&
      Math.max(dominance, 1 - dominance) >= smallestDominance &&
      Math.sign(shift) !== -direction;
    direction = Math.sign(shift);
    if (!isLarge || size === largestSample) return { medians, dominance, responses: 2 * size, isLarge };
  }
}

function dominanceOf(first: readonly number[], second: readonly number[]): number {
  const above = first.flatMap((a) => second.map((b) => (a > b ? 1 : a === b ? 0.5 : 0)));
  return above.reduce<number>((sum, each) => sum + each, 0) / above.length;
}

function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return ((sorted[Math.floor((sorted.length - 1) / 2)] ?? 0) + (sorted[Math.floor(sorted.length / 2)] ?? 0)) / 2;
}

/** Decision D80: published files have validators, and conditional requests with them get no content. */
const publishedFileCheck = ruleCheck({
  id: 'D80.validators',
  title: 'a published file gets 304 without a body for its own ETag, and for no other',
  rules: ['D80'],
  needs: ['case_id', 'access_token'],
  readsOnly: true,
  run: async (context) => {
    const thumbnails = await thumbnailPaths(context);
    for (const path of [...documentationPaths, ...thumbnails.slice(0, 1)]) await expectValidators(context, path);
  },
});

async function thumbnailPaths(context: CheckContext): Promise<string[]> {
  const request = readCase(context.credential('case_id'), bearer(context.credential('access_token')));
  const { files } = parsed((await context.call(request)).text) as { files: { thumbnail_url: string }[] };
  const base = context.credentials.base_url.replace(/\/$/, '');
  return files
    .flatMap(({ thumbnail_url: url }) => (url.startsWith(`${base}/`) ? [url.slice(base.length)] : []))
    .filter(isPublishedFile);
}

async function expectValidators(context: CheckContext, path: string): Promise<void> {
  const get = (method: string, conditions: Record<string, string> = {}) =>
    context.call({ method, path, headers: Object.entries(conditions) });
  const whole = await get('GET');
  if (whole.status === 404) return;
  const { etag = '' } = whole.headers;
  expectThat(/^(W\/)?"[!#-~]*"$/.test(etag), `an ETag of ${path}`, told(etag));
  const opaque = etag.replace(/^W\//, '');
  for (const method of ['GET', 'HEAD'])
    for (const condition of [etag, opaque, `W/${opaque}`, `"other", ${etag}`]) {
      const { status, headers, text } = await get(method, { 'If-None-Match': condition });
      const came = `${status} with ${text.length} characters and ${headers['etag'] ?? 'no ETag'}`;
      const isRight = came === `304 with 0 characters and ${etag}`;
      expectThat(isRight, `304 to ${method} with ${condition}, and the ETag ${etag}`, came);
    }
  const later = new Date(Date.now() + 86_400_000).toUTCString();
  const another = { 'If-None-Match': '"other"' };
  for (const method of ['GET', 'HEAD'])
    for (const condition of [{}, another, { ...another, 'If-Modified-Since': later }]) {
      const { status, text, headers } = await get(method, condition);
      const isSame = status === 200 && text === (method === 'HEAD' ? '' : whole.text) && headers['etag'] === etag;
      expectThat(isSame, `the complete ${path} for another ETag`, String(status));
    }
}

/** Longer than most timers; the checks that use up limits read the setting later still. */
const watchedSeconds = 3;

/** Nobody updates the setting meanwhile: other checks that only read run at the same time. */
const settingStaysCheck = ruleCheck({
  id: '3.1-S1.stays',
  title: 'the setting stays as it is for some seconds',
  rules: ['3.1-S1'],
  needs: ['owner_key'],
  readsOnly: true,
  run: async (context) => {
    const before = await savedSetting(context);
    await sleep(watchedSeconds * 1000);
    const after = await savedSetting(context);
    expectThat(after === before, `${before} after ${watchedSeconds} s`, String(after));
  },
});

/** All checks of the layer `rules`. Those that use the operator come early, before any update. */
export const ruleChecks: readonly Check[] = [
  ...operatedChecks,
  responseTimeCheck,
  settingStaysCheck,
  publishedFileCheck,
  ...limitChecks,
];
