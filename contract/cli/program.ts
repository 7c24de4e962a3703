import { Command } from 'commander';
import { ownDocument } from '../document/own-document.ts';
import { checkCommand } from './check.ts';
import { mockCommand } from './mock.ts';
import { proxyCommand } from './proxy.ts';
import type { MakeCommand } from './run-command.ts';

/** The command line of the package. */
export const program: MakeCommand = (context, end) =>
  new Command('document-analysis-contract')
    .description('Check a server, or traffic, against an OpenAPI document; or mock one.')
    .version(ownDocument.version, '-V, --version', 'show the version')
    .addCommand(checkCommand('check')(context, end))
    .addCommand(mockCommand(context, end))
    .addCommand(proxyCommand(context, end));
