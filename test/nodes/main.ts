/** `npm test -- nodes`: the checks on other versions of Node.js than the repository's own. */
import { Command, InvalidArgumentError } from 'commander';
import { exitCodes } from '../../src/cli/errors.ts';
import { runAsMain, runScript } from '../../scripts/script.ts';
import { installNode } from './install.ts';
import { runWith, versionWith } from './run-with.ts';

/** The majors besides the repository's own, the oldest of which is that of `engines`. */
const majors = ['22', '26'];
const scripts = ['test', 'contract'];

const command = new Command('npm test -- nodes')
  .description('Run npm test and the own contract on other versions of Node.js, installed from npm.')
  .argument('[majors...]', 'major versions, such as 22', readMajor)
  .option('--script <name...>', 'scripts of package.json to run instead', scripts)
  .addHelpText('after', `\nWithout majors: ${majors.join(' and ')}. Exit code 1 if a script failed on any of them.`);

function readMajor(value: string, former: string[] = []): string[] {
  if (!/^\d+$/.test(value)) throw new InvalidArgumentError('A major version is a number, such as 22.');
  return [...former, value];
}

await runAsMain((argv, context) =>
  runScript(command, argv, context, async () => {
    const given = command.processedArgs[0] as string[];
    const chosen = given.length > 0 ? given : majors;
    const results: string[] = [];
    for (const major of chosen) {
      context.stdout.write(`\n== Node.js ${major}: install\n`);
      const node = await installNode(context.root, major);
      const version = await versionWith(node, context.root);
      for (const name of command.opts<{ script: string[] }>().script) {
        context.stdout.write(`\n== Node.js ${version}: npm run ${name}\n`);
        const code = await runWith(node, context.root, ['run', ...name.split(' ')]);
        results.push(`${code === 0 ? 'passed' : 'FAILED'}  Node.js ${version}  npm run ${name}`);
      }
    }
    context.stdout.write(`\n${results.join('\n')}\n`);
    return results.some((result) => result.startsWith('FAILED')) ? exitCodes.failed : exitCodes.done;
  }),
);
