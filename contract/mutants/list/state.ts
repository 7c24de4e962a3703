/** States that are not what was saved: after an update, at a read, over time, and while other requests are in flight. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Behaviour, Handler, Mutant, ProxiedRequest, ProxiedResponse } from '../mutant.ts';
import { asJson, enabledOf, isReading, isUpdate } from '../requests.ts';
import { breaking, changeOf, type Edits, firstBody, refused, row } from '../rows.ts';

/** The checks that read what has been saved. */
const saved = 'generated.updateVerificationSetting.relation.saved explored.*';

const isOff: Edits = { set: { enabled: false } };
const opposite: Edits = { set: { enabled: (value: string) => value !== 'true' } };
const asAsked: Edits = { save: enabledOf };

export const stateMutants: readonly Mutant[] = [
  ...breaking(saved, [
    row('an update is not saved', 'update 200', { save: (_request, before) => before }),
    row('switching off is not saved', 'update 200', { save: (request, before) => before || enabledOf(request) }),
    row('updates save the opposite', 'update 200', { save: (request) => enabledOf(request) !== true }),
    row('an update to the saved value inverts it', 'update 200', {
      save: (request, before) => (enabledOf(request) === before ? !before : undefined),
    }),
    row('each HEAD inverts the setting', 'read 200 HEAD', { save: (_request, before) => !before }),
    row('an update returns the opposite', 'update 200', opposite),
    row('every read returns the opposite', 'read 200', opposite),
    row('a read is cached per key, whoever updates', 'read 200 by member_key', firstBody),
    row('the setting changes half a second after an update', 'setting 200', {
      remember: () => {
        let updatedAt = Infinity;
        return (response, request, server) => {
          if (isUpdate(request)) updatedAt = performance.now();
          const isMoved = performance.now() - updatedAt >= 500;
          return isMoved ? changeOf(opposite)(response, request, server) : response;
        };
      },
    }),
  ]),
  ...breaking('explored.updateVerificationSetting.*', [
    row('an update with an extra field is refused, but saved', 'update 400', asAsked),
    row('an update that is too large is refused, but saved', 'update 413', asAsked),
    row('an update of another media type is refused, but saved', 'update 415', asAsked),
    row('an update beyond the limit is refused, but saved', 'update 429', asAsked),
  ]),
  ...breaking('conformance.updateVerificationSetting.status explored.*', [
    row('an update to the saved value gets 409', 'update 200', {
      remember: () => {
        let last: string | undefined;
        return (response) => {
          const isRepeated = last === response.body;
          last = response.body;
          return isRepeated ? refused(response, 409) : response;
        };
      },
    }),
  ]),
];

const updateMilliseconds = 3;

type Meanwhile = (request: ProxiedRequest, updating: () => number) => Promise<ProxiedResponse>;

/** Handles each request by the number of updates in flight, each of which takes a moment longer. */
const duringUpdates = (handling: (...of: Parameters<Behaviour['start']>) => Meanwhile): Behaviour => ({
  start: (server, matches) => {
    const handle = handling(server, matches);
    let updating = 0;
    return async (request) => {
      if (!isUpdate(request)) return handle(request, () => updating);
      updating += 1;
      const response = await handle(request, () => updating);
      await sleep(updateMilliseconds);
      updating -= 1;
      return response;
    };
  },
});

/** Edits the response to a read while an update is in flight. */
const readMeanwhile = (edits: Edits) =>
  duringUpdates((server, matches) => async (request, updating) => {
    const response = await server.forward(request);
    const isEdited = updating() > 0 && isReading(request) && matches(request, response);
    return (isEdited && (await changeOf(edits)(response, request, server))) || response;
  });

/** Treats updates differently that arrive while another one is in flight. */
const secondUpdate = (second: (request: ProxiedRequest, forward: Handler) => Promise<ProxiedResponse>) =>
  duringUpdates(
    ({ forward }) =>
      (request, updating) =>
        isUpdate(request) && updating() > 1 ? second(request, forward) : forward(request),
  );

const inverted = secondUpdate(async (request, forward) => {
  const response = await forward(request);
  if (response.status === 200) await forward(asJson(request, { enabled: enabledOf(request) !== true }));
  return response;
});

const unavailable = secondUpdate(async (request, forward) =>
  refused(await forward({ ...request, method: 'GET' }), 503),
);

const lost = secondUpdate(async (request, forward) => {
  const read = await forward({ ...request, method: 'GET' });
  return read.status === 200 ? { ...read, body: request.body.toString() } : read;
});

/** Keeps what was saved before an update in flight for all reads until the next update. */
const kept = duringUpdates(({ forward }) => {
  let [held, old]: (string | undefined)[] = [];
  return async (request, updating) => {
    if (isUpdate(request)) old = undefined;
    const response = await forward(request);
    if (response.status !== 200) return response;
    if (isUpdate(request)) held = response.body;
    if (!isReading(request)) return response;
    if (updating() > 0) old ??= held;
    return { ...response, body: old ?? response.body };
  };
});

export const concurrencyMutants: readonly Mutant[] = breaking('explored.walks*', [
  row('a read during an update gets 503', 'read 200', readMeanwhile({ refuse: 503 })),
  row('a read during an update is false', 'read 200', readMeanwhile(isOff)),
  row('a read during an update is cached until the next update', 'read 200', kept),
  row('a concurrent update gets 503', 'update', unavailable),
  row('concurrent updates save the opposite', 'update', inverted),
  row('a concurrent update is not saved', 'update', lost),
]);
