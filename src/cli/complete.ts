/** Completes a command line for a shell, in the protocol of the scripts that `completion` prints. */
import { type Argument, Command, Help, type Option } from 'commander';
import { PathArgument } from './arguments.ts';
import type { CliContext } from './context.ts';
import { globalOptionsOf } from './global-options.ts';
import { print } from './output.ts';

/** What the shell adds by itself: file names, or nothing. */
const directives = { files: 0, nothing: 4 } as const;

interface Completions {
  readonly candidates: readonly (readonly [value: string, description: string])[];
  readonly files?: boolean;
}

/** Completes the last of the words after `--`. */
export function completeCommand({ stdout }: CliContext): Command {
  return new Command('complete')
    .usage('-- [words...]')
    .helpOption(false)
    .allowUnknownOption()
    .allowExcessArguments()
    .argument('[words...]')
    .action((words: string[], _options: object, command: Command) => {
      const typed = words.at(-1) ?? '';
      const { candidates, files = false } = complete(command.parent ?? command, words.slice(0, -1), typed);
      const lines = candidates
        .filter(([value]) => value.startsWith(typed))
        .map(([value, description]) => `${value}\t${description}\n`);
      return print(stdout, `${lines.join('')}:${files ? directives.files : directives.nothing}\n`);
    });
}

function complete(program: Command, words: readonly string[], typed: string): Completions {
  let command = program;
  let position = 0;
  let open: Option | undefined;
  for (const word of words) {
    if (open) open = undefined;
    else if (word.startsWith('-')) open = optionsOf(command).find((option) => takesNext(option, word));
    else {
      const called = command.commands.find((one) => one.name() === word);
      if (called) command = called;
      else position += 1;
    }
  }
  if (open) return { candidates: choices(open.argChoices), files: open.long === '--data-dir' };
  if (typed.startsWith('-'))
    return { candidates: optionsOf(command).map(({ long, short, description }) => [long ?? short ?? '', description]) };
  return command.commands.length > 0 ? subcommandsOf(command) : valuesOf(argumentAt(command, position));
}

function takesNext({ long, short, required, optional }: Option, word: string): boolean {
  return (required || optional) && [long, short].includes(word);
}

function optionsOf(command: Command): Option[] {
  return [...new Help().visibleOptions(command), ...globalOptionsOf(command)];
}

function subcommandsOf(command: Command): Completions {
  const visible = new Help().visibleCommands(command);
  return { candidates: visible.map((one) => [one.name(), firstSentence(one.description())]) };
}

function firstSentence(text: string): string {
  return /^[^.]*/.exec(text)?.[0] ?? text;
}

function argumentAt({ registeredArguments }: Command, position: number): Argument | undefined {
  const last = registeredArguments.at(-1);
  return registeredArguments[position] ?? (last?.variadic ? last : undefined);
}

function valuesOf(argument: Argument | undefined): Completions {
  return { candidates: choices(argument?.argChoices), files: argument instanceof PathArgument };
}

function choices(values: readonly string[] = []): Completions['candidates'] {
  return values.map((value) => [value, '']);
}
