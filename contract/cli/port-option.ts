import { UsageError } from '../run/usage-error.ts';
import { wholeNumber } from './arguments.ts';

export const port = wholeNumber(0, 65_535);

/**
 * The port to listen on: that of the option, else of the environment, else the default.
 * @throws {UsageError} if the environment variable is not a port
 */
export function portOf(option: { readonly port?: number }, { PORT }: NodeJS.ProcessEnv, otherwise: number): number {
  if (option.port !== undefined || !PORT) return option.port ?? otherwise;
  if (!/^\d{1,5}$/.test(PORT) || Number(PORT) > 65_535)
    throw new UsageError(`PORT must be a whole number from 0 to 65535, not "${PORT}"`);
  return Number(PORT);
}
