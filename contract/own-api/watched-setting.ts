import { matchOperation } from '../document/index.ts';
import type { ApiDocument } from '../document/model.ts';
import type { HttpResponse, Violation } from '../oracle/messages.ts';
import type { RequestSpec } from '../run/model.ts';

/**
 * The values that a reading of the verification setting may return, even while updates are in flight: a value that was
 * being saved meanwhile, or the last one saved before. A correct server is never reported, whatever the delays and the
 * order of responses. If the setting changes by itself, or an update takes effect late, any later reading shows it.
 */
interface Update {
  /** Undefined if it is uncertain which value was saved. */
  readonly value: boolean | undefined;
  readonly sentAt: number;
  endedAt: number;
  saved: boolean;
}

/** The updates of one setting, timed by the clock of the clients. */
export class SettingHistory {
  #updates: Update[] = [];
  #first: boolean | undefined;

  /** @param value undefined if it cannot be read from the request */
  updating(value: boolean | undefined, sentAt: number) {
    const update: Update = { value, sentAt, endedAt: Infinity, saved: false };
    this.#updates.push(update);
    return {
      /** @param outcome what the response shows */
      end: (outcome: 'saved' | 'refused' | 'unknown', at: number): void => {
        update.endedAt = at;
        update.saved = outcome === 'saved';
        if (outcome === 'refused') this.#updates = this.#updates.filter((each) => each !== update);
      },
    };
  }

  /** Whether a reading may have returned this value. The first reading determines the initial value. */
  readable(value: boolean, sentAt: number, endedAt: number): boolean {
    const before = this.#updates.filter((update) => update.saved && update.endedAt < sentAt);
    // Updates that ended before the last of these began were overwritten.
    const overwrittenBefore = Math.max(-Infinity, ...before.map((update) => update.sentAt));
    const seen = this.#updates.filter((update) => update.sentAt < endedAt && update.endedAt >= overwrittenBefore);
    if (seen.some((update) => update.value === undefined || update.value === value)) return true;
    if (before.length > 0) return false;
    if (seen.length === 0) this.#first ??= value;
    return this.#first === undefined || this.#first === value;
  }
}

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
