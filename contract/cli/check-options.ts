import { Command, InvalidArgumentError } from 'commander';
import { type Source, sources } from '../run/model.ts';
import { duration, listed, repeated, wholeNumber } from './options.ts';
import { configurationFile } from './configuration.ts';

export const largestSeed = 2 ** 31 - 1;

const closingHelp = (name: string, startsServer: boolean): string => `
${startsServer ? "Without --url the project's own server is started and checked.\n\n" : ''}Examples:
${startsServer ? `  $ ${name.replace(/ --$/, '')}\n` : ''}  $ ${name} --url https://api.example.com --credentials credentials.json --junit contract.xml
  $ ${name} ${startsServer ? '' : '--url https://api.example.com --credentials credentials.json '}--seed 42 --html contract.html
  $ ${name} --list --only 'replay.*' --skip getCase

Exit codes:
  0  every check that ran has passed, known failures apart, and every required check has run
  1  a check has failed, a required check was not run, or no check has passed
  2  wrong usage: the options, a file that they name, or a report that cannot be written
  3  the target cannot be reached or started, is not this API or refuses the credentials, or its operator
     fails before the run`;

/**
 * The command's options, without its action. All but --config, --list and --write-baseline can be set in the
 * configuration file.
 */
export function checkOptions(name: string, startsServer: boolean): Command {
  return new Command(name)
    .helpOption('--help', 'show this help')
    .description(
      'Check a server against the whole contract: each promise, asked for in every way that must change nothing.',
    )
    .option('--url <url>', 'base address of the server to check; needs --credentials, --operator or --openapi')
    .option('--case-url <url>', 'base address of the case operations, if different')
    .option('--credentials <file>', 'credentials and identifiers, in the format of `demo --json`')
    .option(
      '--openapi <file>',
      "check against this document (OpenAPI 3.0 or 3.1), of this or another API, instead of the project's own",
    )
    .option('--config <file>', `read options from this file (default: ${configurationFile}, if it exists)`)
    .option('--only <pattern>', 'run only these checks, by id, operation, rule or layer; * matches anything', listed)
    .option('--skip <pattern>', 'skip these checks, selected likewise', listed)
    .option('--list', 'print the selected checks without running them')
    .option('--baseline <file>', 'accept the known failures in this file')
    .option('--write-baseline', 'write the failures of this run to the file of --baseline')
    .option('--operator <command-or-url>', 'operator of the server, for checks of effects: see docs/operator.md')
    .option('--start <command>', 'start the server with this command, and stop it after the run')
    .option('--promises <sources>', `whose promises to check: ${sources.join(', ')} (default: all)`, promises)
    .option(
      '--require-all',
      'fail if a check is not run, and wait for limits instead of skipping checks (always on for the own server)',
      false,
    )
    .option('--provoke-429', 'use up a rate limit on purpose (always on for the own server)')
    .option('--allow-extra-fields', 'accept fields and error codes that the document does not list', false)
    .option('--dredd', 'replay the documented responses with Dredd, if it is installed', false)
    .option('--workers <number>', 'how many read-only checks may run concurrently', wholeNumber(1, 32), 4)
    .option('--thorough', 'ask for the same things in several times as many ways', false)
    .option('--seed <number>', 'repeat the random choices of an earlier run', wholeNumber(0, largestSeed))
    .option('--wait <seconds>', 'how long the server may take to start responding', duration)
    .option('--timeout-seconds <seconds>', 'how long one response may take', duration, 10)
    .option('--run-timeout-seconds <seconds>', 'how long the whole run may take', duration, 900)
    .option('--header <header>', "send 'Name: value' with every request, for a gateway", repeated)
    .option('--ca <file>', 'trust the certificate authorities in this file (PEM) instead of the default ones')
    .option('--insecure', "do not verify the server's certificate", false)
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
