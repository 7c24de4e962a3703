import { Argument, Command, InvalidArgumentError } from 'commander';
import { millisecondsOf } from '../domain/duration.ts';

/** A command whose help ends with examples. */
export function describedCommand(name: string, description: string, examples: string[]): Command {
  const lines = examples.map((example) => `  $ document-analysis ${example}`);
  return new Command(name)
    .description(description)
    .addHelpText('after', `\n${examples.length > 1 ? 'Examples' : 'Example'}:\n${lines.join('\n')}`);
}

/** A command that prints a report: as text, or as JSON with `--json`. */
export function reportingCommand(name: string, description: string, examples: string[], json = 'print JSON'): Command {
  return describedCommand(name, description, examples).option('--json', json);
}

/** Parses an integer within bounds. */
export function wholeNumber(minimum: number, maximum: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < minimum || value > maximum)
      throw new InvalidArgumentError(`It must be a whole number from ${minimum} to ${maximum}.`);
    return value;
  };
}

/** Parses a duration, as in `90d`, `12h`, `30m` or `90s`, to milliseconds. */
export function duration(text: string): number {
  const milliseconds = millisecondsOf(text);
  if (milliseconds === undefined)
    throw new InvalidArgumentError(
      'It must be a number of days, hours, minutes or seconds, such as 90d, 12h, 30m or 90s.',
    );
  return milliseconds;
}

/** Parses an identifier to lower case, as the store saves it. */
export function identifier(text: string): string {
  return text.toLowerCase();
}

/** Collects the values of an option that may be given several times. */
export function collect(value: string, earlier: string[] = []): string[] {
  return [...earlier, value];
}

/** An argument that is the path of a file or folder, which shells complete. */
export class PathArgument extends Argument {}
