import type { errors } from '../../generated/errors.ts';
import { ConflictError } from '../store/errors.ts';
import { CliError } from './errors.ts';

const alreadyLocked = 'request.cases.case.already-locked' satisfies keyof typeof errors;

/** Runs a change of a case. A locked case is reported with the API's own error code. */
export async function unlessLocked<T>(change: () => Promise<T>): Promise<T> {
  try {
    return await change();
  } catch (error) {
    if (error instanceof ConflictError) throw new CliError(`${alreadyLocked}: ${error.message}`);
    throw error;
  }
}
