/** What the operations of this API do with a valid request: sections 3.1, 4.1 to 4.3 of the interface, and decisions D16 and D21. */
import { isDeepStrictEqual } from 'node:util';
import type { Principal, World } from '../oracle/world.ts';
import { apiKey, enabledBody, updateSetting } from '../interface/requests.ts';
import type { CheckContext, RequestSpec } from '../run/model.ts';

/** What a success must be. */
export interface Success {
  /** What is wrong with its body. */
  readonly bodyFault?: (body: unknown) => string | undefined;
  /** The value that the request saves in the setting. */
  readonly saves?: boolean;
  /** Updates the state once the response has come. */
  readonly after?: (body: unknown) => void;
}

/** By operationId. Of other operations, only what the document says is expected. */
export const outcomes: Readonly<
  Record<string, (request: RequestSpec, world: World, caller: Principal | undefined) => Success | 'not-found'>
> = {
  getVerificationSetting: (_request, world) => ({
    bodyFault: (body) => settingFault(body, world.setting),
    after: (body) => {
      world.setting ??= enabledOf(body);
    },
  }),

  updateVerificationSetting: ({ body = '' }, world) => {
    const enabled = enabledOf(JSON.parse(new TextDecoder().decode(Buffer.from(body))));
    return {
      ...(enabled !== undefined && { saves: enabled }),
      bodyFault: (saved) => settingFault(saved, enabled),
      after: () => {
        world.setting = enabled;
      },
    };
  },

  getCase: ({ path }, { cases }, caller) => {
    const id = decoded(path.replace(/\?.*/s, '').split('/').at(-1) ?? '').toLowerCase();
    const known = cases.get(id);
    if (!known || known.organisation !== caller?.organisation) return 'not-found';
    return {
      bodyFault: (body) => {
        const { case_id: came } = (body ?? {}) as { case_id?: unknown };
        if (String(came).toLowerCase() !== id) return `expected the case ${id}, got ${String(came)}`;
        return known.content === undefined || isDeepStrictEqual(body, known.content)
          ? undefined
          : 'expected the case as it was read before';
      },
      after: (body) => {
        known.content ??= body;
      },
    };
  },
};

function enabledOf(body: unknown): boolean | undefined {
  const { enabled } = (body ?? {}) as { enabled?: unknown };
  return typeof enabled === 'boolean' ? enabled : undefined;
}

function settingFault(body: unknown, expected: boolean | undefined): string | undefined {
  const enabled = enabledOf(body);
  if (enabled === undefined) return 'expected a boolean in enabled';
  return expected === undefined || enabled === expected ? undefined : `expected enabled ${expected}, got ${enabled}`;
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** An update that switches the setting off: the examples of the document switch it on. */
export function switchedOff({ credential }: Pick<CheckContext, 'credential'>): RequestSpec {
  return updateSetting(enabledBody(false), apiKey(credential('owner_key')));
}
