import { script } from '@bomb.sh/tab';
import { Argument, Command, Help, type Option } from 'commander';
import { describedCommand, globalOptionsOf, PathArgument } from './arguments.ts';
import type { CliContext } from './context.ts';
import { print } from './output.ts';

const shells = ['bash', 'zsh', 'fish'];

const installation = `
Add one of these lines to the start-up file of your shell:
  ~/.bashrc                    source <(document-analysis completion bash)
  ~/.zshrc, after compinit     source <(document-analysis completion zsh)
  ~/.config/fish/config.fish   document-analysis completion fish | source
The shell must find document-analysis in its PATH; bash needs the package bash-completion.`;

/** The script registers its function without `-o default`, so bash would never complete file names. */
const filesInBash = 'complete -o default -F __document_analysis_complete document-analysis\n';

/** Prints a shell's completion script, which calls `document-analysis complete`. */
export function completionCommand({ stdout }: CliContext): Command {
  return describedCommand('completion', 'Print the completion script for a shell.', ['completion bash'])
    .addArgument(new Argument('<shell>', 'the shell').choices(shells))
    .addHelpText('after', installation)
    .action(async (shell: string) => {
      script(shell, 'document-analysis', 'document-analysis');
      if (shell === 'bash') await print(stdout, filesInBash);
    });
}

/** Completes a command line for a shell, in the protocol of the scripts that `completion` prints. */

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
