import { type Command, CommanderError } from 'commander';
import { UnusableTargetError, UsageError } from '../run/errors.ts';
import { promisify } from 'node:util';
import Table from 'cli-table3';

export const exitCodes = { done: 0, failed: 1, misused: 2, unreachable: 3 } as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** The environment that a command runs in. */
export interface CommandContext {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly environment: NodeJS.ProcessEnv;
  /** Interrupts the command: a check reports the completed checks, a server closes. */
  readonly signal: AbortSignal;
}

/** Makes a command, which calls `end` with its exit code. */
export type MakeCommand = (context: CommandContext, end: (exitCode: ExitCode) => void) => Command;

/** Runs a command line, as in `process.argv`, to its exit code. Never rejects: failures are reported on stderr. */
export async function runCommand(make: MakeCommand, argv: string[], context: CommandContext): Promise<ExitCode> {
  const { stdout, stderr } = context;
  // The write reports a closed pipe itself; without a listener the event would end the process.
  for (const output of [stdout, stderr]) output.on('error', () => undefined);
  let exitCode: ExitCode = exitCodes.done;
  const root = make(context, (code) => (exitCode = code));
  for (const command of [root, ...root.commands])
    command
      .exitOverride()
      .helpOption('-h, --help', 'show this help')
      .showHelpAfterError('For the options, add --help.')
      .configureOutput({ writeOut: (text) => stdout.write(text), writeErr: (text) => stderr.write(text) });
  try {
    await root.parseAsync(argv);
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.misused;
    const lines = messageOf(error).split('\n').map(printable);
    await print(stderr, `error: ${lines.join('\n')}\n`).catch(() => undefined);
    if (error instanceof UsageError) return exitCodes.misused;
    return error instanceof UnusableTargetError ? exitCodes.unreachable : exitCodes.failed;
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** A stream that the command line writes to. */
export type Output = NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };

const borders =
  'top top-mid top-left top-right bottom bottom-mid bottom-left bottom-right left left-mid mid mid-mid right right-mid middle';
const noBorders = Object.fromEntries(borders.split(' ').map((border) => [border, '']));

/** Writes a text; rejects if the stream fails. */
export const print = promisify((output: Output, text: string, done: (error?: Error | null) => void) => {
  output.write(text, done);
});

/** Escapes control and bidirectional characters, so that a text cannot control the terminal. */
export function printable(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200b-\u200f\u202a-\u202e\u2066-\u2069]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** "1 request", "2 requests". */
export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

/** Lays out rows in columns below their headings. */
export function table(head: string[], rows: (string | null)[][]): string {
  const layout = new Table({ head, chars: noBorders, style: { head: [], 'padding-left': 0, 'padding-right': 2 } });
  layout.push(...rows.map((row) => row.map((cell) => printable(cell ?? '-'))));
  return layout.toString().replace(/ +$/gm, '');
}
