import { script } from '@bomb.sh/tab';
import { Argument, type Command } from 'commander';
import { describedCommand } from './arguments.ts';
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
