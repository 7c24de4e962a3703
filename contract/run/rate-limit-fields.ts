/** The fields RateLimit and RateLimit-Policy: an item with parameters, as RFC 9651 writes it. */
import type { HttpResponse } from './model.ts';

/** A quoted name with parameters that are whole numbers, in any order. */
function itemOf(value: string | undefined): { name: string; parameters: ReadonlyMap<string, number> } | undefined {
  const [, name, rest = ''] = /^ *"([^"]+)"((?: *; *[a-z*][\w.*-]*=\d+)*) *$/.exec(value ?? '') ?? [];
  if (name === undefined) return undefined;
  const pairs = [...rest.matchAll(/; *([\w.*-]+)=(\d+)/g)];
  return { name, parameters: new Map(pairs.map(([, key = '', number]) => [key, Number(number)])) };
}

/** What the field RateLimit of a response says of the limit that counted. */
export function limitStatedBy({
  headers,
}: Pick<HttpResponse, 'headers'>): { name: string; left: number; seconds: number } | undefined {
  const item = itemOf(headers['ratelimit']);
  const [left, seconds] = [item?.parameters.get('r'), item?.parameters.get('t')];
  return item && left !== undefined && seconds !== undefined ? { name: item.name, left, seconds } : undefined;
}

/** What the field RateLimit-Policy of a response says of that limit. */
export function policyStatedBy({
  headers,
}: Pick<HttpResponse, 'headers'>): { name: string; quota: number; windowSeconds: number } | undefined {
  const item = itemOf(headers['ratelimit-policy']);
  const [quota, windowSeconds] = [item?.parameters.get('q'), item?.parameters.get('w')];
  return item && quota !== undefined && windowSeconds !== undefined
    ? { name: item.name, quota, windowSeconds }
    : undefined;
}
