/** What is watched through all requests of a run: the limit of each credential, and the verification setting. */
import { matchOperation } from '../document/index.ts';
import type { ApiDocument } from '../document/model.ts';
import type { HttpResponse, Violation } from '../oracle/messages.ts';
import { limitStatedBy } from '../run/limits.ts';
import type { RequestSpec } from '../run/model.ts';

/** Takes the response to a request; undefined if there is none. */
type Receive = (response: HttpResponse | undefined) => Violation[];

/** What is known of the current window of a limit, from the responses so far. */
interface Window {
  /** The least that a response has stated to be left. */
  left: number;
  /** Between which times the window ends, on the clock of the suite: a response states whole seconds, rounded up. */
  endsAfter: number;
  endsBefore: number;
}

/** A server may state the seconds of a moment that lies a little before or after its response. */
const toleratedMilliseconds = 1000;

/**
 * Watches the limit of each credential (D32 and D186): within a window, a request lowers what is left, and the window ends at a
 * fixed time. Less may be left than the suite has sent, as somebody else may use the credential, too; and anything is allowed
 * that the order of responses, their delays or the end of a window may explain.
 * @returns a function to call as a request is sent, with what it counts against if that is known, and a monotonic clock
 */
export function watchedLimits() {
  const windows = new Map<string, Window>();
  return (limit: string | undefined, now = () => performance.now()): Receive => {
    const sentAt = now();
    // Responses that come while this request is in flight do not tell whether the server has counted it before them.
    const known = limit === undefined ? undefined : windows.get(limit);
    const least = known?.left ?? Infinity;
    return (response) => {
      if (limit === undefined || !response) return [];
      // A server that fails may have lost its counts.
      if (response.status >= 500) windows.delete(limit);
      const stated = limitStatedBy(response);
      // A refusal may be due to another limit, such as that of a gateway.
      if (response.status >= 500 || response.status === 429 || stated?.name !== 'credential') return [];
      const { left, seconds } = stated;
      const endsAfter = sentAt + (seconds - 1) * 1000 - toleratedMilliseconds;
      const endsBefore = now() + seconds * 1000 + toleratedMilliseconds;
      const current = windows.get(limit);
      if (!current || sentAt >= current.endsBefore) {
        windows.set(limit, { left, endsAfter, endsBefore });
        return [];
      }
      if (current !== known || now() >= current.endsAfter) return [];
      const broken = (promised: string, came: string): Violation[] => {
        windows.delete(limit);
        return [{ rule: 'own rule', promise: 'remainder', message: `expected ${promised}, got ${came}` }];
      };
      if (left >= least)
        return broken(least > 0 ? `RateLimit with less than r=${least}` : '429', `${response.status} with r=${left}`);
      if (endsAfter > current.endsBefore || endsBefore < current.endsAfter)
        return broken('RateLimit with the end of the window that earlier responses state', `t=${seconds}`);
      current.left = Math.min(current.left, left);
      current.endsAfter = Math.max(current.endsAfter, endsAfter);
      current.endsBefore = Math.min(current.endsBefore, endsBefore);
      return [];
    };
  };
}

interface Update {
  /** Undefined if it is uncertain which value was saved. */
  readonly value: boolean | undefined;
  readonly sentAt: number;
  endedAt: number;
  saved: boolean;
}

/**
 * The updates of one setting, timed by the clock of the clients. A reading may return a value that was being saved meanwhile, or
 * the last one saved before: a correct server is never reported, whatever the delays and the order of responses. If the setting
 * changes by itself, or an update takes effect late, any later reading shows it.
 */
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

/**
 * Watches the setting: each reading must return the value saved last.
 * @param names of the known secrets
 * @returns a function to call as a request is sent
 */
export function watchedSetting(document: ApiDocument, names: ReadonlyMap<string, string>) {
  const history = new SettingHistory();
  return (request: RequestSpec): Receive => {
    const sentAt = performance.now();
    const operation = matchOperation(document, request.method, request.path)?.operationId;
    const keys = (request.headers ?? []).filter(([name]) => name.toLowerCase() === 'x-api-key');
    const isOwn = keys.length === 1 && keysOfOrganisation.includes(names.get(keys[0]?.[1] ?? '') ?? '');
    if (operation === 'updateVerificationSetting') {
      const update = history.updating(isOwn ? valueIn(request.body) : undefined, sentAt);
      return (response) => {
        update.end(outcomeOf(response), performance.now());
        return [];
      };
    }
    if (operation !== 'getVerificationSetting' || request.method.toUpperCase() !== 'GET' || !isOwn) return () => [];
    return (response) => {
      const value = response?.status === 200 ? valueIn(response.text) : undefined;
      if (value === undefined || history.readable(value, sentAt, performance.now())) return [];
      return [{ rule: 'saved value', message: `expected enabled ${!value}, the last saved value, got ${value}` }];
    };
  };
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
