import type { Command } from 'commander';
import type { CliContext } from './context.ts';

type CreateCommand = (context: CliContext) => Command;

const commands: readonly (readonly [name: string, load: () => Promise<CreateCommand>])[] = [
  ['serve', async () => (await import('./serve.ts')).serveCommand],
  ['mock', async () => (await import('./moved.ts')).movedCommand('mock')],
  ['proxy', async () => (await import('./moved.ts')).movedCommand('proxy')],
  ['organisation', async () => (await import('./organisation.ts')).organisationCommand],
  ['credential', async () => (await import('./credential.ts')).credentialCommand],
  ['role', async () => (await import('./role.ts')).roleCommand],
  ['case', async () => (await import('./case.ts')).caseCommand],
  ['file', async () => (await import('./file.ts')).fileCommand],
  ['files', async () => (await import('./files.ts')).filesCommand],
  ['analyse', async () => (await import('./analyse.ts')).analyseCommand],
  ['analysis', async () => (await import('./analysis.ts')).analysisCommand],
  ['registry', async () => (await import('./registry.ts')).registryCommand],
  ['audit', async () => (await import('./audit.ts')).auditCommand],
  ['store', async () => (await import('./store.ts')).storeCommand],
  ['backup', async () => (await import('./backup.ts')).backupCommand],
  ['restore', async () => (await import('./restore.ts')).restoreCommand],
  ['demo', async () => (await import('./demo.ts')).demoCommand],
];

/** In the order of the help; each stands in the file of its name. */
export const commandNames = commands.map(([name]) => name);

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
