import type { Command } from 'commander';
import type { CliContext } from './context.js';

type CreateCommand = (context: CliContext) => Command;

const commands: readonly (readonly [name: string, load: () => Promise<CreateCommand>])[] = [
  ['serve', async () => (await import('./serve.js')).serveCommand],
  ['mock', async () => (await import('./mock.js')).mockCommand],
  ['proxy', async () => (await import('./proxy.js')).proxyCommand],
  ['organisation', async () => (await import('./organisation.js')).organisationCommand],
  ['credential', async () => (await import('./credential.js')).credentialCommand],
  ['role', async () => (await import('./role.js')).roleCommand],
  ['case', async () => (await import('./case.js')).caseCommand],
  ['file', async () => (await import('./file.js')).fileCommand],
  ['analyse', async () => (await import('./analyse.js')).analyseCommand],
  ['analysis', async () => (await import('./analysis.js')).analysisCommand],
  ['registry', async () => (await import('./registry.js')).registryCommand],
  ['audit', async () => (await import('./audit.js')).auditCommand],
  ['store', async () => (await import('./store.js')).storeCommand],
  ['demo', async () => (await import('./demo.js')).demoCommand],
];

/**
 * The commands that a command line may call, in the order of the help: those whose names are among its words, so that the
 * server does not load what the others need; all of them if it asks for help or names none.
 */
export async function loadCommands(words: readonly string[]): Promise<CreateCommand[]> {
  const called = commands.filter(([name]) => words.includes(name));
  const asksForHelp = ['help', '--help', '-h'].some((word) => words.includes(word));
  const chosen = called.length === 0 || asksForHelp ? commands : called;
  const loaded: CreateCommand[] = [];
  for (const [, load] of chosen) loaded.push(await load());
  return loaded;
}
