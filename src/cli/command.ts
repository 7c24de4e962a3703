import { existsSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { Command } from 'commander';
import { OperatorError } from '../domain/errors.ts';
import type { Organisation } from '../domain/organisation.ts';
import { forRegion, regions } from '../domain/region.ts';
import { type Config, type ConfigFlags, readConfig } from '../runtime/config.ts';
import { NotFoundError } from '../store/errors.ts';
import { openStore } from '../store/open.ts';
import type { Store } from '../store/store.ts';
import { identifier, wholeNumber } from './arguments.ts';
import type { CliContext } from './context.ts';
import { printable } from './errors.ts';
import { type Column, type LayOut, printResult } from './output.ts';

export class DescribedCommand extends Command {
  constructor(name: string, description: string, examples: string[]) {
    super(name);
    const lines = examples.map((example) => `  $ document-analysis ${example}`);
    const heading = examples.length > 1 ? 'Examples' : 'Example';
    this.description(description).addHelpText('after', `\n${heading}:\n${lines.join('\n')}`);
  }
}

export interface Run<Options = object> {
  readonly config: Config;
  readonly options: Options;
  /** Prints the result: as text, or as one JSON document with `--json`. */
  readonly report: (result: unknown, text: (layOut: LayOut) => string) => Promise<void>;
  /** Prints a list: as a table, or if it is empty as the text for that. */
  readonly reportList: <Row>(rows: readonly Row[], none: string, columns: readonly Column<Row>[]) => Promise<void>;
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
    return this.#act((words) => work(this.#runOf(configOf(this.#context, this)), ...words));
  }

  /** Sets work on the configured store, which must exist. */
  onStore(work: Work<StoreRun<never>>): this {
    return this.#act((words) => {
      requireData(configOf(this.#context, this));
      return this.#onStore(work, words);
    });
  }

  /** Sets work on the configured store, which is created if it does not exist. */
  onNewStore(work: Work<StoreRun<never>>): this {
    return this.#act((words) => this.#onStore(work, words));
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

  #act(act: (words: never[]) => Promise<void>): this {
    // After the arguments come the options and the command.
    return this.action((...given: unknown[]) => act(given.slice(0, -2) as never[]));
  }

  #onStore(work: Work<StoreRun<never>>, words: never[]): Promise<void> {
    return withStore(this.#context, this, (store, config) => work({ ...this.#runOf(config), store }, ...words));
  }

  #runOf(config: Config): Run<never> {
    const options = this.opts<{ json?: boolean }>();
    const report: Run['report'] = (result, text) => printResult(this.#context, options, result, text);
    return {
      config,
      options: options as never,
      report,
      reportList: (rows, none, columns) =>
        report(rows, (layOut) => (rows.length === 0 ? forRegion(none, config.region) : layOut(rows, columns))),
    };
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

/** The configuration of a command: the environment, overridden by the command's flags and the global ones. */
export function configOf(context: CliContext, command: Command): Config {
  return readConfig(context.environment, command.optsWithGlobals<ConfigFlags>());
}

/** Works on the configured store, which is created if it does not exist, and always closes it. */
export async function withStore(
  context: CliContext,
  command: Command,
  work: (store: Store, config: Config) => Promise<void>,
): Promise<void> {
  const config = configOf(context, command);
  const store = await openStore(config);
  try {
    await work(store, config);
  } finally {
    await store.close();
  }
}

/** A missing SQLite database is not created: the folder or the region is probably wrong. @throws {OperatorError} */
function requireData({ database, databasePath, region }: Config): void {
  if (database || existsSync(databasePath)) return;
  const pathOf = (other: string) => databasePath.replace(basename(databasePath), `document-analysis-${other}.sqlite`);
  const found = regions.filter((other) => existsSync(pathOf(other)));
  throw new OperatorError(
    `No data of region ${region} in ${resolve(dirname(databasePath))}: there is no ${basename(databasePath)}. ` +
      found.map((other) => `The folder has data of region ${other}: add --region ${other}. `).join('') +
      'Run the command in another folder, name the folder with --data-dir (DATA_DIR), or create data: document-analysis demo',
  );
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
