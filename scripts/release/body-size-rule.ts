import { breaking, type Change, compatible } from './change.ts';
import { type Json, object } from './document.ts';

/** Judges the largest body. To state a bound that the operation had already, as its 413 says, breaks nobody. */
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
