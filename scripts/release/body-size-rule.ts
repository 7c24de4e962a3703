import { breaking, type Change, compatible } from './change.ts';
import { type Json, object } from './document.ts';

/**
 * Judges the size limit of a body. Adding `x-max-body-bytes` to an operation that already documents 413 breaks no
 * client.
 */
export function bodySizeRule(where: string, before: Json, after: Json): Change[] {
  const [old, current] = [sizeOf(before), sizeOf(after)];
  if (old === current) return [];
  const shown = (size: number) => (Number.isFinite(size) ? `${size} bytes` : 'no bound');
  const text = `the largest body changed from ${shown(old)} to ${shown(current)}`;
  const isStatedNow = !Number.isFinite(old) && '413' in object(before['responses']);
  return [current > old || isStatedNow ? compatible(where, text) : breaking(where, text)];
}

function sizeOf({ requestBody }: Json): number {
  return Number(object(requestBody)['x-max-body-bytes'] ?? Number.POSITIVE_INFINITY);
}
