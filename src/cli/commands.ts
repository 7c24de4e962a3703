import type { Command } from 'commander';
import type { CliContext } from './context.ts';

type CreateCommand = (context: CliContext) => Command;

const commands: readonly (readonly [name: string, load: () => Promise<CreateCommand>])[] = [
  ['serve', async () => (await import('./serve.ts')).serveCommand],
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
  ['restore', async () => (await import('./backup.ts')).restoreCommand],
  ['demo', async () => (await import('./demo.ts')).demoCommand],
  ['completion', async () => (await import('./completion.ts')).completionCommand],
  ['complete', async () => (await import('./completion.ts')).completeCommand],
];

const globalOptions = ['--region', '--data-dir'];

/** In the order of the help. */
export const commandNames = commands.map(([name]) => name);

export const hiddenCommands = ['complete'];

const needAll = ['help', '--help', '-h', 'complete'];

/** Loads the named command alone, as the server needs no other; all for help and completion, or if none is named. */
export async function loadCommands(words: readonly string[]): Promise<CreateCommand[]> {
  const name = words.find((word, index) => !word.startsWith('-') && !globalOptions.includes(words[index - 1] ?? ''));
  const called = commands.filter(([known]) => known === name);
  const chosen = called.length === 0 || words.some((word) => needAll.includes(word)) ? commands : called;
  const loaded: CreateCommand[] = [];
  for (const [, load] of chosen) loaded.push(await load());
  return loaded;
}
