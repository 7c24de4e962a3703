import { Argument, Command, Help, type Option } from 'commander';
import { globalOptionsOf, PathArgument } from './arguments.ts';
import { DescribedCommand } from './command.ts';
import type { CliContext } from './context.ts';
import { print } from './output.ts';

const files = ':files';

const scripts = new Map([
  [
    'bash',
    `__document_analysis_complete() {
  local IFS=$'\\n'
  COMPREPLY=($(document-analysis complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f 1))
  if [[ \${COMPREPLY[0]} == ${files} ]]; then COMPREPLY=(); else compopt +o default 2>/dev/null; fi
}
complete -o default -F __document_analysis_complete document-analysis`,
  ],
  [
    'zsh',
    `#compdef document-analysis
_document_analysis() {
  local -a lines
  lines=(\${(f)"$(document-analysis complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)"})
  if [[ $lines[1] == ${files} ]]; then _files; return; fi
  lines=("\${(@)lines/$'\\t'/:}")
  _describe document-analysis lines
}
compdef _document_analysis document-analysis`,
  ],
  [
    'fish',
    `function __document_analysis_complete
  set -l lines (document-analysis complete -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)
  if test "$lines" = ${files}; __fish_complete_path (commandline -ct); else; string join -- \\n $lines; end
end
complete -c document-analysis -f -a '(__document_analysis_complete)'`,
  ],
]);

const installation = `
Add one of these lines to the start-up file of your shell:
  ~/.bashrc                    source <(document-analysis completion bash)
  ~/.zshrc, after compinit     source <(document-analysis completion zsh)
  ~/.config/fish/config.fish   document-analysis completion fish | source
The shell must find document-analysis in its PATH.`;

export function completionCommand({ stdout }: CliContext): Command {
  return new DescribedCommand('completion', 'Print the completion script for a shell.', ['completion bash'])
    .addArgument(new Argument('<shell>', 'the shell').choices([...scripts.keys()]))
    .addHelpText('after', installation)
    .action((shell: string) => print(stdout, `${scripts.get(shell)}\n`));
}

interface Completions {
  readonly candidates: readonly (readonly [value: string, description: string])[];
  readonly areFiles?: boolean;
}

/** Completes the last of the words after `--`: a line for each candidate, with its description after a tab. */
export function completeCommand({ stdout }: CliContext): Command {
  return new Command('complete')
    .usage('-- [words...]')
    .helpOption(false)
    .allowUnknownOption()
    .allowExcessArguments()
    .argument('[words...]')
    .action((given: string[], _options: object, command: Command) => {
      // bash makes three words of `--region=uk`.
      const words = given.filter((word) => word !== '=');
      const typed = words.at(-1) ?? '';
      const { candidates, areFiles = false } = complete(command.parent ?? command, words.slice(0, -1), typed);
      const lines = candidates
        .filter(([value]) => value.startsWith(typed))
        .map(([value, description]) => `${value}\t${description}\n`);
      return print(stdout, areFiles ? `${files}\n` : lines.join(''));
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
  if (open) return { candidates: choices(open.argChoices), areFiles: open.long === '--data-dir' };
  if (typed.startsWith('-'))
    return { candidates: optionsOf(command).map(({ long, short, description }) => [long ?? short ?? '', description]) };
  if (command.commands.length > 0) {
    const firstSentence = (text: string) => text.replace(/\..*/s, '');
    const visible = new Help().visibleCommands(command);
    return { candidates: visible.map((one) => [one.name(), firstSentence(one.description())]) };
  }
  const last = command.registeredArguments.at(-1);
  const argument = command.registeredArguments[position] ?? (last?.variadic ? last : undefined);
  return { candidates: choices(argument?.argChoices), areFiles: argument instanceof PathArgument };
}

function takesNext({ long, short, required, optional }: Option, word: string): boolean {
  return (required || optional) && [long, short].includes(word);
}

function optionsOf(command: Command): Option[] {
  return [...new Help().visibleOptions(command), ...globalOptionsOf(command)];
}

function choices(values: readonly string[] = []): Completions['candidates'] {
  return values.map((value) => [value, '']);
}
