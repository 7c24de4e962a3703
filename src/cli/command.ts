import { Command } from 'commander';
import type { Organisation } from '../domain/organisation.ts';
import { forRegion } from '../domain/region.ts';
import type { Config } from '../runtime/config.ts';
import { NotFoundError } from '../store/errors.ts';
import type { Store } from '../store/store.ts';
import { DescribedCommand, identifier, wholeNumber } from './arguments.ts';
import type { CliContext } from './context.ts';
import { OperatorError } from '../domain/errors.ts';
import { printable } from './errors.ts';
import { type Columns, type LayOut, printResult } from './output.ts';
import { configOf, withNewStore, withStore } from './with-store.ts';

export interface Run<Options = object> {
  readonly config: Config;
  readonly options: Options;
  /** Prints the result: as text, or as one JSON document with `--json`. */
  readonly report: (result: unknown, text: (layOut: LayOut) => string) => Promise<void>;
  /** Prints a list: as a table, or if it is empty as the text for that. */
  readonly reportList: <Row>(rows: readonly Row[], none: string, columns: Columns<Row>) => Promise<void>;
}

export interface StoreRun<Options = object> extends Run<Options> {
  readonly store: Store;
}

type Work<Given> = (run: Given, ...words: never[]) => Promise<void>;

interface Selection {
  readonly organisationId: string | undefined;
  readonly limit: number;
}

/** A command that prints a report: as text, or as JSON with `--json`. Its work gets the arguments as further parameters. */
export class ReportingCommand extends DescribedCommand {
  readonly #context: CliContext;

  constructor(context: CliContext, name: string, description: string, examples: string[]) {
    super(name, description, examples);
    this.#context = context;
    this.option('--json', 'print JSON');
  }

  run(work: Work<Run<never>>): this {
    return this.#act((run, words) => work(run(configOf(this.#context, this)), ...words));
  }

  /** Sets work on the configured store, which must exist. */
  onStore(work: Work<StoreRun<never>>): this {
    return this.#act((run, words) =>
      withStore(this.#context, this, (store, config) => work({ ...run(config), store }, ...words)),
    );
  }

  /** Sets work on the configured store, which is created if it does not exist. */
  onNewStore(work: Work<StoreRun<never>>): this {
    return this.#act((run, words) =>
      withNewStore(this.#context, this, (store, config) => work({ ...run(config), store }, ...words)),
    );
  }

  /** Sets work that lists the newest of these things, of one organisation with `--organisation`. */
  onSelection(things: string, work: (run: StoreRun, selection: Selection) => Promise<void>): this {
    return this.option('--organisation <id>', `only the ${things} of this organisation`, identifier)
      .option('--limit <number>', `the maximum number of ${things}`, wholeNumber(1, 100_000), 100)
      .onStore(async (run: StoreRun<{ organisation?: string; limit: number }>) => {
        const { organisation: organisationId, limit } = run.options;
        if (organisationId !== undefined) await readOrganisation(run.store, organisationId);
        await work(run, { organisationId, limit });
      });
  }

  #act(act: (run: (config: Config) => Run<never>, words: never[]) => Promise<void>): this {
    return this.action((...given: unknown[]) => {
      const options = this.opts<{ json?: boolean }>();
      const report: Run['report'] = (result, text) => printResult(this.#context, options, result, text);
      const run = (config: Config): Run<never> => ({
        config,
        options: options as never,
        report,
        reportList: (rows, none, columns) =>
          report(rows, (layOut) => (rows.length === 0 ? forRegion(none, config.region) : layOut(rows, columns))),
      });
      // After the arguments come the options and the command.
      return act(run, given.slice(0, -2) as never[]);
    });
  }
}

export function commandGroup(
  context: CliContext,
  name: string,
  description: string,
  subcommands: readonly ((context: CliContext) => Command)[],
): Command {
  const group = new Command(name).description(description);
  for (const create of subcommands) group.addCommand(create(context));
  return group;
}

export function refuseUnlessKnown(kind: 'permission' | 'feature', name: string, known: readonly string[]): void {
  if (!known.includes(name))
    throw new OperatorError(`Unknown ${kind} ${printable(name)}. Known ${kind}s: ${known.join(', ')}.`);
}

export async function readOrganisation(store: Store, organisationId: string): Promise<Organisation> {
  const organisations = await store.listOrganisations();
  const found = organisations.find((organisation) => organisation.organisation_id === organisationId);
  if (!found) throw new NotFoundError('organisation', organisationId);
  return found;
}
