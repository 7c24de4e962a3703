import type { HttpResponse } from '../run/model.ts';

/** The header by which the mock says what it does not do. */
export const mockHeader = 'X-Mock-Accepts';

/** Whether a response is the mock's. */
export function isMocked({ headers }: Pick<HttpResponse, 'headers'>): boolean {
  return headers[mockHeader.toLowerCase()] !== undefined;
}
