import { ConfigError } from '../runtime/config.ts';
import { OperatorError } from '../domain/errors.ts';
import { ConflictError, NotFoundError, StoreUnavailableError } from '../store/errors.ts';

/** The exit codes. They are not those of sysexits: scripts need to distinguish only these three. */
export const exitCodes = { done: 0, failed: 1, misused: 2 } as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

const listCommands = {
  organisation: 'organisation list',
  credential: 'credential list',
  role: 'role list',
  case: 'case list',
  file: 'case show CASE',
} as const satisfies Record<NotFoundError['what'], string>;

export function describeFailure(error: unknown, environment: NodeJS.ProcessEnv): { exitCode: ExitCode; text: string } {
  // The reader of a pipe has closed it, as in `… | head -1`.
  if (asError(error).code === 'EPIPE') return { exitCode: exitCodes.failed, text: '' };
  if (error instanceof ConfigError)
    return { exitCode: exitCodes.misused, text: lines(error.message.replace(/^/gm, 'error: ')) };
  const expected = expectedFailure(error);
  if (expected !== undefined) return { exitCode: exitCodes.failed, text: lines(`error: ${expected}`) };
  const { message, stack } = asError(error);
  const debugging = /^(debug|trace)$/.test(environment['LOG_LEVEL'] ?? '');
  const text = lines(`unexpected error: ${message.replace(/\s+/g, ' ')}`);
  return { exitCode: exitCodes.failed, text: text + (debugging && stack ? `${stack}\n` : '') };
}

/** Explains why a file cannot be read; undefined if it is not a file system error. */
export function fileFault(error: unknown): string | undefined {
  const { code, syscall, message } = asError(error);
  if (typeof code !== 'string' || typeof syscall !== 'string') return undefined;
  return fileFaults[code] ?? message;
}

const fileFaults: Record<string, string | undefined> = {
  ENOENT: 'no such file',
  EACCES: 'permission denied',
  EISDIR: 'it is a directory',
};

function expectedFailure(error: unknown): string | undefined {
  if (error instanceof OperatorError) return error.message;
  if (error instanceof NotFoundError)
    return `${error.message} To see what exists: document-analysis ${listCommands[error.what]}`;
  if (error instanceof ConflictError)
    return error.place === undefined ? error.message : `${error.place}: ${error.message} Nothing was imported.`;
  if (error instanceof StoreUnavailableError && error.outcomeUnknown)
    return `${error.message}. The change may or may not have been made: check before you repeat it.`;
  if (error instanceof StoreUnavailableError)
    return `${error.message}. Nothing was changed. Try again when no other program uses it, and check the disk.`;
  return fileFault(error) === undefined ? undefined : asError(error).message;
}

/** Platform errors are not always instances of this realm's `Error`, so check the shape instead. */
function asError(error: unknown): { message: string; stack?: string; code?: unknown; syscall?: unknown } {
  return typeof error === 'object' && error !== null && 'message' in error && typeof error.message === 'string'
    ? (error as { message: string })
    : { message: String(error) };
}

function lines(messages: string): string {
  return `${messages.split('\n').map(printable).join('\n')}\n`;
}

/** Escapes control characters and text direction characters, which could manipulate the terminal. */
export function printable(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200b-\u200f\u202a-\u202e\u2066-\u2069]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
