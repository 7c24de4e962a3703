import { type CallTarget, type Observed, unknownCaseId, unknownKey } from './observed.ts';
import { runCommand } from './command.ts';
import { folder } from './folders.ts';

/** Runs a program that reads the target from stdin, calls, and prints what it saw, both as JSON. */
export async function callWithProgram(command: readonly string[], target: CallTarget): Promise<Observed> {
  const input = JSON.stringify({ ...target, unknown_case_id: unknownCaseId, unknown_key: unknownKey });
  return JSON.parse(await runCommand(command, { cwd: folder, input })) as Observed;
}

/** True if a command can be run on this machine. */
export function isHere(...command: string[]): Promise<boolean> {
  return runCommand(command, { cwd: folder }).then(
    () => true,
    () => false,
  );
}
