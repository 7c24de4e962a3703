import { Command, InvalidArgumentError } from 'commander';
import { type Source, sources } from '../run/model.ts';
import { duration, listed, repeated, wholeNumber } from './arguments.ts';
import { configurationFile } from './configuration.ts';

export const largestSeed = 2 ** 31 - 1;

const closingHelp = (name: string, startsServer: boolean): string => `
${startsServer ? "Without --url the project's own server is started and checked.\n\n" : ''}Examples:
${startsServer ? `  $ ${name.replace(/ --$/, '')}\n` : ''}  $ ${name} --url https://api.example.com --credentials credentials.json --junit contract.xml
  $ ${name} ${startsServer ? '' : '--url https://api.example.com --credentials credentials.json '}--seed 42 --html contract.html
  $ ${name} --list --only 'replay.*' --skip getCase

Exit codes:
  0  all that was checked conforms, known failures apart, and every check that must run has run
  1  a promise is broken, a check that must run was not run, or no check has passed
  2  wrong usage: the options, a file that they name, or a report that cannot be written
  3  the target cannot be reached or started, what responds is not this API or refuses the credentials, or its operator
     fails before the run`;

/**
 * The command's options, without its action. All but --config, --list and --write-baseline can be set in the
 * configuration file.
 */
export function checkOptions(name: string, startsServer: boolean): Command {
  return new Command(name)
    .helpOption('--help', 'show this help')
    .description('Check a server against the whole contract: the replay, the rules and the generated checks.')
    .option('--url <url>', 'base address of the server to check; needs --credentials, --operator or --openapi')
    .option('--case-url <url>', 'base address of the case operations, if it is another')
    .option('--credentials <file>', 'credentials and identifiers, in the form that `demo --json` prints')
    .option(
      '--openapi <file>',
      "check against this document (OpenAPI 3.0 or 3.1), also of another API, in place of the project's own",
    )
    .option('--config <file>', `read options from this file, by default ${configurationFile} if there is one`)
    .option('--only <pattern>', 'run these checks alone: an id, operation, rule or layer; * is anything', listed)
    .option('--skip <pattern>', 'leave these checks out, likewise', listed)
    .option('--list', 'print the chosen checks, and run none')
    .option('--baseline <file>', 'accept the known failures that this file names')
    .option('--write-baseline', 'write the failures of this run to the file of --baseline')
    .option('--operator <command-or-url>', 'who operates the server, for the checks of effects: see docs/operator.md')
    .option('--start <command>', 'start the server with this command, and end it after the run')
    .option('--promises <sources>', `whose promises to check, of ${sources.join(', ')} (default: all)`, promises)
    .option(
      '--require-all',
      'fail if a check is not run, and wait for limits rather than leave one out (always so for the own server)',
      false,
    )
    .option('--provoke-429', 'use up a rate limit on purpose (always so for the own server)')
    .option('--allow-extra-fields', 'accept fields and error codes that the document does not know', false)
    .option('--dredd', 'have Dredd replay the documented responses, if it is installed', false)
    .option('--workers <number>', 'how many checks that only read may run at once', wholeNumber(1, 32), 4)
    .option('--seed <number>', 'repeat the random choices of an earlier run', wholeNumber(0, largestSeed))
    .option('--wait <seconds>', 'how long the server may take to come up', duration)
    .option('--timeout-seconds <seconds>', 'how long one response may take', duration, 10)
    .option('--run-timeout-seconds <seconds>', 'how long the whole run may take', duration, 900)
    .option('--header <header>', "send 'Name: value' with every request, for a gateway", repeated)
    .option('--ca <file>', 'trust the authorities of this file (PEM) in place of the known ones')
    .option('--insecure', "accept the server's certificate unchecked", false)
    .option('--junit <file>', 'write a report as JUnit XML')
    .option('--json <file>', 'write a report as JSON')
    .option('--html <file>', 'write a report as one HTML page')
    .option('--sarif <file>', 'write a report as SARIF 2.1.0')
    .option('--markdown <file>', 'write the summary as Markdown')
    .addHelpText('after', closingHelp(name === 'check' ? 'document-analysis-contract check' : name, startsServer));
}

function promises(text: string): Source[] {
  const chosen = text.split(',').map((part) => part.trim());
  if (!chosen.every((each) => (sources as readonly string[]).includes(each)))
    throw new InvalidArgumentError(`It must be of ${sources.join(', ')}, separated by commas.`);
  return sources.filter((source) => chosen.includes(source));
}
