/**
 * Runs the rows of the plan, those of one state together. One that gets another response than the oracle expects, or leaves
 * another state, is shrunk: choice by choice is taken back, and what remains is what it takes to see the fault.
 */
import type { Choice } from '../dimensions/choice.ts';
import { expectedOf } from '../oracle/expected.ts';
import { differenceFrom } from '../oracle/judge.ts';
import type { World } from '../oracle/world.ts';
import { FoundFaults, type FoundFault, NoResponseError, UnmetPreconditionError } from '../run/errors.ts';
import type { CheckContext, HttpResponse } from '../run/model.ts';
import { Asking, type AskingOptions, isUnsent, type Sent } from './asking.ts';
import type { Row } from './rows.ts';
import type { Situation } from './situations.ts';

/** So many different faults are enough to see what is wrong. */
const mostFaults = 5;

/** A fault with the choices that it takes to see it. */
interface Found {
  readonly fault: FoundFault;
  readonly choices: readonly Choice[];
}

/** After so many requests it is looked at whether they have left what they must not. */
const rowsPerLook = 25;

/** How long the requests of one check may take; a slow target, or one with tight limits, gets fewer of them. */
const mostMilliseconds = 30_000;

/** What changes nothing is sent several at once. */
const mostAtOnce = 8;

export interface ExplorationOptions extends AskingOptions {
  /** Whether the requests change nothing if the target is right, so that their order does not matter. */
  readonly changesNothing?: boolean;
  /** The responses to situations asked in the plain way, which explorations of one promise share. */
  readonly plain?: Map<Situation, Sent>;
}

/** What the rows of one promise share. */
export class Exploration {
  readonly #context: CheckContext;
  readonly #world: World;
  readonly #options: ExplorationOptions;
  readonly #asking: Asking;
  readonly #plain: Map<Situation, Sent>;
  readonly #refusals = new Map<string, HttpResponse>();
  /** The choices that alone have shown a fault. */
  readonly #culprits = new Set<Choice>();
  readonly #faults = new Map<string, FoundFault>();
  readonly #broken = new Set<Situation>();
  #missing: string | undefined;
  #sent = 0;

  constructor(context: CheckContext, world: World, options: ExplorationOptions) {
    this.#context = context;
    this.#world = world;
    this.#options = options;
    this.#asking = new Asking(context, world, options);
    this.#plain = options.plain ?? new Map<Situation, Sent>();
  }

  /** @throws {FoundFaults} with each different fault, shrunk */
  async run(rows: readonly Row[]): Promise<void> {
    // What has been reported is no matter of decisions.
    if (this.#options.judgement === 'decision')
      for (const [situation, { fault }] of this.#plain) if (fault !== undefined) this.#broken.add(situation);
    const endsAt = performance.now() + mostMilliseconds;
    await this.#asking.start();
    for (const state of new Set(rows.map(({ situation }) => situation.state))) {
      this.#asking.begin(state);
      try {
        await this.#runRows(inTurns(rows.filter(({ situation }) => situation.state === state)), endsAt);
      } finally {
        await this.#asking.end();
      }
    }
    if (this.#missing !== undefined)
      this.#context.tell(`${this.#sent} of ${rows.length} requests of the plan sent; ${this.#missing}`);
    if (this.#faults.size > 0) throw new FoundFaults([...this.#faults.values()]);
    if (this.#sent === 0) throw new UnmetPreconditionError(this.#missing ?? 'the plain requests fail already');
  }

  async #runRows(rows: readonly Row[], endsAt: number): Promise<void> {
    const waiting = [...rows];
    const untraced: Row[] = [];
    const run = async (row: Row) => {
      const isEssential = row.situation.isEssential && row.choices.length === 0;
      if (this.#broken.has(row.situation)) return;
      if (performance.now() > endsAt && !isEssential) {
        this.#missing ??= 'there was no time for the others';
        return;
      }
      try {
        this.#note(await this.#runRow(row), row);
        this.#sent += 1;
        untraced.push(row);
      } catch (error) {
        // Limits and absent credentials leave rows out; what was sent still counts.
        if (!isUnsent(error)) throw error;
        this.#missing ??= error.message;
        if (error instanceof NoResponseError) waiting.length = 0;
        // What another API does not know or refuse, it will not in any other way.
        if (!this.#world.isOwn && !this.#plain.has(row.situation)) this.#broken.add(row.situation);
      }
    };
    const trace = async () => {
      const [last] = untraced;
      if (last) this.#note(await this.#traced(untraced.splice(0)), last);
    };
    while (waiting.length > 0 && this.#faults.size < mostFaults) {
      const isUnordered = this.#options.changesNothing === true && this.#sent > 0;
      const together = waiting.splice(0, isUnordered ? rowsPerLook : 1).values();
      const work = async () => {
        for (const row of together) if (this.#faults.size < mostFaults) await run(row);
      };
      await Promise.all(Array.from({ length: isUnordered ? mostAtOnce : 1 }, work));
      if (untraced.length >= rowsPerLook) await trace();
    }
    if (this.#faults.size === 0) await trace();
  }

  #note(noted: Found | undefined, { situation }: Row): void {
    if (!noted) return;
    const { fault, choices } = noted;
    if (choices.length === 0) this.#broken.add(situation);
    const key = choices.map(({ name }) => name).join() || `${situation.name} ${fault.message}`;
    if (!this.#faults.has(key)) this.#faults.set(key, fault);
  }

  /** Looks at what the rows have left, and if it is wrong, which of them leaves it. */
  async #traced(rows: readonly Row[]): Promise<Found | undefined> {
    const trace = this.#asking.looksAtEach ? undefined : await this.#asking.trace();
    if (!trace) return undefined;
    this.#asking.looksAtEach = true;
    await this.#asking.restart();
    try {
      for (const row of rows) {
        this.#plain.delete(row.situation);
        const shown = await this.#runRow(row);
        if (shown) return shown;
      }
    } finally {
      this.#asking.looksAtEach = false;
    }
    const message = `seen after ${rows.length} requests of which none alone leaves it: ${trace.fault}`;
    return {
      fault: { message, shown: trace.read ?? (this.#plain.get(rows[0]?.situation as Situation) as Sent) },
      choices: [],
    };
  }

  async #runRow({ situation, choices }: Row): Promise<Found | undefined> {
    const plain = await this.#plainly(situation);
    if (plain.fault !== undefined) return found(situation, plain);
    const unlike =
      choices.length === 0 && this.#options.judgement === 'decision' ? this.#unlikeOthers(plain) : undefined;
    if (unlike !== undefined) return found(situation, { ...plain, fault: unlike });
    if (choices.length === 0) return undefined;
    const sent = await this.#asking.ask(situation, choices, plain);
    if (sent.fault === undefined) return undefined;
    const others = choices.filter((choice) => !this.#culprits.has(choice));
    const again = others.length < choices.length ? await this.#asking.ask(situation, others, plain) : sent;
    // What a choice that is known has caused need not be told twice.
    if (again.fault === undefined) return undefined;
    const shrunk = await this.#shrink(situation, others, again, plain);
    if (shrunk.choices.length === 1) for (const choice of shrunk.choices) this.#culprits.add(choice);
    return found(situation, shrunk.sent, shrunk.choices, plain);
  }

  /** The response to a situation asked in the plain way, which is sent once. */
  async #plainly(situation: Situation): Promise<Sent> {
    const known = this.#plain.get(situation);
    const sent = known ?? (await this.#asking.ask(situation));
    this.#plain.set(situation, sent);
    if (!known?.response || situation.documented) return sent;
    return { ...known, fault: this.#asking.faultOf(known.request, known.response) };
  }

  /** Refusals that disclose nothing are all the same (decisions D16 and D22). */
  #unlikeOthers({ request, response }: Sent): string | undefined {
    const { promise } = expectedOf(request, this.#world);
    if (!response || (promise !== 'credential' && promise !== 'not-found')) return undefined;
    const challenge = promise === 'credential' ? response.headers['www-authenticate'] : '';
    const key = `${request.method} ${challenge ?? ''}`;
    const first = this.#refusals.get(key) ?? response;
    this.#refusals.set(key, first);
    const difference = differenceFrom(first, response, {});
    return difference && `${difference} (the refusal of another request of this kind)`;
  }

  /** Takes back each choice without which the fault is still seen. */
  async #shrink(situation: Situation, choices: readonly Choice[], seen: Sent, plain: Sent) {
    let [kept, sent] = [choices, seen];
    try {
      kept = await fewest(choices, async (fewer) => {
        const again = await this.#asking.ask(situation, fewer, plain);
        if (again.fault !== undefined) [kept, sent] = [fewer, again];
        return again.fault !== undefined;
      });
      // It may depend on none of them, but on when the request comes.
      for (let again = 0; again < confirmations; again += 1)
        if ((await this.#asking.ask(situation, kept, plain)).fault === undefined)
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
export async function fewest(
  choices: readonly Choice[],
  stillFails: (fewer: readonly Choice[]) => Promise<boolean>,
): Promise<readonly Choice[]> {
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
 * Each situation in the plain way first, so that a slow target gets all of them; then one row of each in turn, so that a write
 * that is not saved does not go unseen behind another one of the same value.
 */
function inTurns(rows: readonly Row[]): Row[] {
  const counts = new Map<Situation, number>();
  const turnOf = ({ situation, choices }: Row) => {
    if (choices.length === 0) return 0;
    counts.set(situation, (counts.get(situation) ?? 0) + 1);
    return counts.get(situation) ?? 0;
  };
  const turns = rows.map((row) => ({ row, turn: turnOf(row) }));
  return turns.sort((one, other) => one.turn - other.turn).map(({ row }) => row);
}

function found(situation: Situation, sent: Sent, choices: readonly Choice[] = [], plain?: Sent): Found {
  const only = choices.map(({ name }) => name).join(' and ');
  const message = `${situation.name}: ${sent.fault ?? ''}${only === '' ? '' : `, only with ${only}`}`;
  return { fault: { message, shown: sent, ...(plain && only !== '' && { right: plain }) }, choices };
}
