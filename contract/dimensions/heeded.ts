import type { Operation } from '../document/model.ts';

/** Whether the document gives a header a meaning: as a parameter, or by a status for conditional or partial responses. */
export function isHeeded(operation: Operation | undefined, header: string): boolean {
  if (!operation) return false;
  const { parameters, responses } = operation;
  if (parameters.some(({ in: place, name }) => place === 'header' && name.toLowerCase() === header.toLowerCase()))
    return true;
  const conditional = /^If-(None-Match|Modified-Since)$/i.test(header) && responses['304'] !== undefined;
  const unmet = /^If-(Match|Unmodified-Since)$/i.test(header) && responses['412'] !== undefined;
  return conditional || unmet || (/^(Range|If-Range)$/i.test(header) && responses['206'] !== undefined);
}
