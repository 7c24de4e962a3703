/** Runs the rows of the plan, those of one state together. What fails is shrunk to the choices that it takes to see the fault. */
import type { Choice } from '../dimensions/choice.ts';
import type { Operation } from '../document/model.ts';
import { expectedOf } from '../oracle/expected.ts';
import { differenceFrom } from '../oracle/judge.ts';
import { isSafe } from '../oracle/request.ts';
import type { World } from '../oracle/world.ts';
import { FoundFaults, type FoundFault, NoResponseError, UnmetPreconditionError } from '../run/errors.ts';
import type { CheckContext, HttpResponse } from '../run/model.ts';
import { Asking, type AskingOptions, isUnsent, type Sent } from './asking.ts';
import { placeholderContext } from './placeholders.ts';
import type { Row } from './rows.ts';
import type { Situation } from './situations.ts';

const mostFaults = 5;

interface Found {
  readonly fault: FoundFault;
  readonly choices: readonly Choice[];
}

/** After so many requests it is looked at whether they have left what they must not. */
const rowsPerLook = 100;

/** How long the requests of one check may take; a slow target, or one with tight limits, gets fewer of them. */
const mostMilliseconds = 30_000;

/** What may come in any order is sent several at once. */
const mostAtOnce = 8;

export interface ExplorationOptions extends AskingOptions {
  /** Whether the requests change nothing if the target is right, so that their order does not matter. */
  readonly changesNothing?: boolean;
  /** Whether they may be sent several at once all the same, since the oracle does not know what they change. */
  readonly inAnyOrder?: boolean;
  /** The responses to situations asked in the plain way, which explorations of one promise share. */
  readonly plain?: Map<Situation, Sent>;
}

/** Sends the rows of one promise. @throws {FoundFaults} with each different fault, shrunk */
export async function explore(rows: readonly Row[], context: CheckContext, world: World, options: ExplorationOptions) {
  const { judgement, changesNothing = false, inAnyOrder = changesNothing } = options;
  const { plain: plainResponses = new Map<Situation, Sent>() } = options;
  const isDecision = judgement === 'decision';
  const asking = new Asking(context, world, options);
  const refusals = new Map<string, HttpResponse>();
  /** The choices that alone have shown a fault. */
  const culprits = new Set<Choice>();
  const faults = new Map<string, FoundFault>();
  const broken = new Set<Situation>();
  const switches = world.isOwn && changesNothing && options.follow !== undefined;
  const endsAt = performance.now() + mostMilliseconds;
  let missing: string | undefined;
  let sentRows = 0;

  // What has been reported is no matter of decisions.
  if (isDecision) for (const [situation, { fault }] of plainResponses) if (fault !== undefined) broken.add(situation);
  await asking.start();
  for (const [state, ofState] of Map.groupBy(rows, ({ situation }) => situation.state)) {
    asking.begin(state);
    try {
      for (const [isOn, inPhase] of switches ? bySetting(ofState, options.follow) : new Map([[false, ofState]])) {
        if (asking.isOn !== isOn) await asking.switch(isOn);
        if (switches) forgetSuccesses();
        await runRows(inTurns(inPhase, changesNothing ? 2 : 1));
      }
    } finally {
      await asking.end();
    }
  }
  if (missing !== undefined) context.tell(`${sentRows} of ${rows.length} requests of the plan sent; ${missing}`);
  if (faults.size > 0) throw new FoundFaults([...faults.values()]);
  if (sentRows === 0) throw new UnmetPreconditionError(missing ?? 'the plain requests fail already');

  /** What was read while the setting had another value says nothing. */
  function forgetSuccesses(): void {
    for (const [situation, { response }] of plainResponses)
      if (response && response.status < 300) plainResponses.delete(situation);
  }

  async function runRows(ofState: readonly Row[]): Promise<void> {
    const waiting = [...ofState];
    const untraced: Row[] = [];
    const run = async (row: Row) => {
      const isEssential = row.situation.isEssential && row.choices.length === 0;
      if (broken.has(row.situation)) return;
      if (performance.now() > endsAt && !isEssential) {
        missing ??= 'there was no time for the others';
        return;
      }
      try {
        note(await runRow(row), row);
        sentRows += 1;
        untraced.push(row);
      } catch (error) {
        // Limits and absent credentials leave rows out; what was sent still counts.
        if (!isUnsent(error)) throw error;
        missing ??= error.message;
        if (error instanceof NoResponseError) waiting.length = 0;
        // What another API does not know or refuse, it will not in any other way.
        if (!world.isOwn && !plainResponses.has(row.situation)) broken.add(row.situation);
      }
    };
    const trace = async () => {
      const [last] = untraced;
      if (last) note(await traced(untraced.splice(0)), last);
    };
    while (waiting.length > 0 && faults.size < mostFaults) {
      const isUnordered = inAnyOrder && sentRows > 0;
      const together = waiting.splice(0, isUnordered ? rowsPerLook : 1).values();
      const work = async () => {
        for (const row of together) if (faults.size < mostFaults) await run(row);
      };
      await Promise.all(Array.from({ length: isUnordered ? mostAtOnce : 1 }, work));
      if (untraced.length >= rowsPerLook) await trace();
    }
    if (faults.size === 0) await trace();
  }

  function note(noted: Found | undefined, { situation }: Row): void {
    if (!noted) return;
    const { fault, choices } = noted;
    if (choices.length === 0) broken.add(situation);
    const key = choices.map(({ name }) => name).join() || `${situation.name} ${fault.message}`;
    if (!faults.has(key)) faults.set(key, fault);
  }

  /** Looks at what the rows have left, and if it is wrong, which of them leaves it. */
  async function traced(sentLast: readonly Row[]): Promise<Found | undefined> {
    const trace = asking.looksAtEach ? undefined : await asking.trace();
    if (!trace) return undefined;
    asking.looksAtEach = true;
    await asking.restart();
    try {
      for (const row of sentLast) {
        plainResponses.delete(row.situation);
        const shown = await runRow(row);
        if (shown) return shown;
      }
    } finally {
      asking.looksAtEach = false;
    }
    const message = `seen after ${sentLast.length} requests of which none alone leaves it: ${trace.fault}`;
    const shown = (trace.read ?? plainResponses.get(sentLast[0]?.situation as Situation)) as Sent;
    return { fault: { message, shown }, choices: [] };
  }

  async function runRow({ situation, choices }: Row): Promise<Found | undefined> {
    const plain = await plainly(situation);
    if (plain.fault !== undefined) return found(situation, plain);
    if (choices.length === 0) {
      const unlike = isDecision ? unlikeOthers(plain) : undefined;
      return unlike === undefined ? undefined : found(situation, { ...plain, fault: unlike });
    }
    const sent = await asking.ask(situation, choices, plain);
    if (sent.fault === undefined) return undefined;
    const others = choices.filter((choice) => !culprits.has(choice));
    const again = others.length < choices.length ? await asking.ask(situation, others, plain) : sent;
    // What a choice that is known has caused need not be told twice.
    if (again.fault === undefined) return undefined;
    const shrunk = await shrink(situation, others, again, plain);
    const [culprit, ...more] = shrunk.choices;
    if (culprit && more.length === 0) culprits.add(culprit);
    return found(situation, shrunk.sent, shrunk.choices, plain);
  }

  /** The response to a situation asked in the plain way, which is sent once. */
  async function plainly(situation: Situation): Promise<Sent> {
    const known = plainResponses.get(situation);
    const sent = known ?? (await asking.ask(situation));
    plainResponses.set(situation, sent);
    if (!known?.response || situation.documented) return sent;
    return { ...known, fault: asking.faultOf(known.request, known.response) };
  }

  /** Refusals that disclose nothing are all the same (decisions D16 and D22). */
  function unlikeOthers({ request, response }: Sent): string | undefined {
    const { promise } = expectedOf(request, world);
    if (!response || (promise !== 'credential' && promise !== 'not-found')) return undefined;
    const challenge = promise === 'credential' ? response.headers['www-authenticate'] : '';
    const key = `${request.method} ${challenge ?? ''}`;
    const first = refusals.get(key) ?? response;
    refusals.set(key, first);
    const difference = differenceFrom(first, response, {});
    return difference && `${difference} (the refusal of another request of this kind)`;
  }

  /** Takes back each choice without which the fault is still seen. */
  async function shrink(situation: Situation, choices: readonly Choice[], seen: Sent, plain: Sent) {
    let [kept, sent] = [choices, seen];
    try {
      kept = await fewest(choices, async (fewer) => {
        const again = await asking.ask(situation, fewer, plain);
        if (again.fault !== undefined) [kept, sent] = [fewer, again];
        return again.fault !== undefined;
      });
      // It may depend on none of them, but on when the request comes.
      for (let again = 0; again < confirmations; again += 1)
        if ((await asking.ask(situation, kept, plain)).fault === undefined)
          return { choices: [], sent: { ...sent, fault: `${sent.fault ?? ''}, but not each time` } };
    } catch (error) {
      if (!isUnsent(error)) throw error;
    }
    return { choices: kept, sent };
  }
}

/** One more failure may come by chance, of a server that fails now and then. */
const confirmations = 2;

/** The fewest choices that still fail: halves of them are taken back, then quarters, down to single ones. */
export async function fewest<Item = Choice>(
  choices: readonly Item[],
  stillFails: (fewer: readonly Item[]) => Promise<boolean>,
): Promise<readonly Item[]> {
  let kept = choices;
  for (let size = Math.ceil(kept.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2))
    for (let start = 0; start < kept.length;) {
      const fewer = [...kept.slice(0, start), ...kept.slice(start + size)];
      if (await stillFails(fewer)) kept = fewer;
      else start += size;
    }
  return kept;
}

/**
 * What could switch the setting on is sent while it is off, and all else while it is on, so that it shows if it is saved. The
 * setting itself is read with either value, and other reads take turns.
 */
function bySetting(rows: readonly Row[], reading: Operation | undefined): Map<boolean, readonly Row[]> {
  if (rows.every(({ situation }) => situation.operation === reading))
    return new Map([false, true].map((isOn) => [isOn, rows]));
  const byValue = Map.groupBy(rows, ({ situation }, at) => {
    const { method, body = '' } = situation.request(placeholderContext);
    return isSafe(method) ? at % 2 === 1 : !/true|yes|1/i.test(String(body));
  });
  return new Map([...byValue].sort(([one], [other]) => Number(one) - Number(other)));
}

/**
 * Each situation in the plain way first, then some rows of each in turn: an unsaved write must not hide behind one of the same
 * value, and what changes nothing is also asked twice in a row.
 */
function inTurns(rows: readonly Row[], together: number): Row[] {
  const counts = new Map<Situation, number>();
  const turns = rows.map((row) => {
    const count = row.choices.length === 0 ? 0 : (counts.get(row.situation) ?? 0) + 1;
    if (count > 0) counts.set(row.situation, count);
    return { row, turn: Math.ceil(count / together) };
  });
  return turns.sort((one, other) => one.turn - other.turn).map(({ row }) => row);
}

function found(situation: Situation, sent: Sent, choices: readonly Choice[] = [], plain?: Sent): Found {
  const only = choices.map(({ name }) => name).join(' and ');
  const message = `${situation.name}: ${sent.fault ?? ''}${only === '' ? '' : `, only with ${only}`}`;
  return { fault: { message, shown: sent, ...(plain && only !== '' && { right: plain }) }, choices };
}
