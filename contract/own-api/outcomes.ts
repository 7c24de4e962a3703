/** What the operations of this API do with a valid request: sections 3.1, 4.1 to 4.3 of the interface, and decisions D16 and D21. */
import type { Principal, World } from '../oracle/world.ts';
import { decodedSegment } from '../oracle/parameters.ts';
import { filesFault, sameCase } from './cases.ts';
import { apiKey, enabledBody, settingIn, updateSetting } from './requests.ts';
import type { CheckContext, RequestSpec } from '../run/model.ts';

/** What a success must be. */
export interface Success {
  readonly bodyFault?: (body: unknown) => string | undefined;
  readonly saves?: boolean;
  readonly after?: (body: unknown) => void;
}

/** By operationId. Of other operations, only what the document says is expected. */
export const outcomes: Readonly<
  Record<string, (request: RequestSpec, world: World, caller: Principal | undefined) => Success | 'not-found'>
> = {
  getVerificationSetting: (_request, world) => ({
    bodyFault: (body) => settingFault(body, world.setting),
    after: (body) => void (world.setting ??= settingIn(body)),
  }),

  updateVerificationSetting: ({ body = '' }, world) => {
    const enabled = settingIn(JSON.parse(new TextDecoder().decode(Buffer.from(body))));
    return {
      ...(enabled !== undefined && { saves: enabled }),
      bodyFault: (saved) => settingFault(saved, enabled),
      after: () => void (world.setting = enabled),
    };
  },

  getCase: ({ path }, { cases }, caller) => {
    const id = decodedSegment(path.replace(/\?.*/s, '').split('/').at(-1) ?? '').toLowerCase();
    const known = cases.get(id);
    if (!known || known.organisation !== caller?.organisation) return 'not-found';
    return {
      bodyFault: (body) => {
        const { case_id: came } = (body ?? {}) as { case_id?: unknown };
        if (String(came).toLowerCase() !== id) return `expected the case ${id}, got ${String(came)}`;
        if (known.content !== undefined && !sameCase(body, known.content))
          return 'expected the case as it was read before';
        return filesFault(body, id, cases);
      },
      after: (body) => void (known.content ??= body),
    };
  },
};

function settingFault(body: unknown, expected: boolean | undefined): string | undefined {
  const enabled = settingIn(body);
  if (enabled === undefined) return 'expected a boolean in enabled';
  return expected === undefined || enabled === expected ? undefined : `expected enabled ${expected}, got ${enabled}`;
}

export function switched(isOn: boolean, { credential }: Pick<CheckContext, 'credential'>): RequestSpec {
  return updateSetting(enabledBody(isOn), apiKey(credential('owner_key')));
}
