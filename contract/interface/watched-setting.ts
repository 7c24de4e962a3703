import { matchOperation } from '../document/index.ts';
import type { ApiDocument } from '../document/model.ts';
import type { HttpResponse } from '../conformance/response.ts';
import type { Violation } from '../conformance/violation.ts';
import type { RequestSpec } from '../run/model.ts';
import { SettingHistory } from './setting-history.ts';

/** The keys of one organisation, which share a setting. */
const keysOfOrganisation = ['owner_key', 'member_key', 'viewer_key'];

/** Watches the setting through all requests of a run: each reading must return the value saved last. */
export class WatchedSetting {
  readonly #history = new SettingHistory();
  readonly #document: ApiDocument;
  readonly #names: ReadonlyMap<string, string>;

  /** @param names of the known secrets */
  constructor(document: ApiDocument, names: ReadonlyMap<string, string>) {
    this.#document = document;
    this.#names = names;
  }

  /**
   * Records a request as it is sent. @returns a function that takes its response, or undefined, and returns violations
   */
  sending(request: RequestSpec): (response: HttpResponse | undefined) => Violation[] {
    const sentAt = performance.now();
    const operation = matchOperation(this.#document, request.method, request.path)?.operationId;
    const isOwn = this.#isOfOrganisation(request);
    if (operation === 'updateVerificationSetting') {
      const update = this.#history.updating(isOwn ? valueIn(request.body) : undefined, sentAt);
      return (response) => {
        update.end(outcomeOf(response), performance.now());
        return [];
      };
    }
    if (operation !== 'getVerificationSetting' || request.method.toUpperCase() !== 'GET' || !isOwn) return () => [];
    return (response) => {
      const value = response?.status === 200 ? valueIn(response.text) : undefined;
      if (value === undefined || this.#history.readable(value, sentAt, performance.now())) return [];
      return [{ rule: 'saved value', message: `expected enabled ${!value}, the last saved value, got ${value}` }];
    };
  }

  #isOfOrganisation({ headers = [] }: RequestSpec): boolean {
    const keys = headers.filter(([name]) => name.toLowerCase() === 'x-api-key').map(([, value]) => value);
    return keys.length === 1 && keysOfOrganisation.includes(this.#names.get(keys[0] ?? '') ?? '');
  }
}

function outcomeOf(response: HttpResponse | undefined): 'saved' | 'refused' | 'unknown' {
  if (!response || response.status >= 500) return 'unknown';
  return response.status < 300 ? 'saved' : 'refused';
}

/** The value in a body that contains only the setting; undefined if it is ambiguous. */
function valueIn(body: string | Buffer | undefined): boolean | undefined {
  const [, value] = /^\s*\{\s*"enabled"\s*:\s*(true|false)\s*\}\s*$/.exec(String(body)) ?? [];
  return value === undefined ? undefined : value === 'true';
}
