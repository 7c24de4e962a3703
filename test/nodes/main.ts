/** `npm test -- nodes`: the checks on other versions of Node.js than the repository's own. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { runCommandLine } from '../../scripts/command-line.ts';
import { run, runIn } from '../../scripts/release/run.ts';

/** The majors besides the repository's own, the oldest of which is that of `engines`. */
const majors = ['22', '26'];

function readMajor(value: string, former: string[] = []): string[] {
  if (!/^\d+$/.test(value)) throw new InvalidArgumentError('A major version is a number, such as 22.');
  return [...former, value];
}

/**
 * Installs the newest release of a major from npm below `reports/nodes/`, out of the tree of the packages, and has the scripts
 * that npm runs find it first. npm puts `node_modules/.bin`, and so the repository's own Node.js, first in the PATH of every
 * script. Its setting `script-shell` comes after that, and reaches scripts that call npm again.
 * @returns its version. @throws {Error} if a command that npm runs sees another one
 */
async function useNode(major: string): Promise<string> {
  const folder = resolve('reports/nodes', major);
  await mkdir(folder, { recursive: true });
  // The package fetches its binary by an install script.
  const manifest = { private: true, dependencies: { node: major }, allowScripts: { node: true } };
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
  delete process.env['npm_config_script_shell'];
  await runIn(folder)('npm', 'install', '--no-package-lock', '--no-audit', '--no-fund');
  const [bin, shell] = [join(folder, 'node_modules/node/bin'), join(folder, 'shell')];
  await writeFile(shell, `#!/bin/sh\nPATH='${bin.replaceAll("'", `'\\''`)}':"$PATH"\nexport PATH\nexec sh "$@"\n`);
  await chmod(shell, 0o755);
  process.env['npm_config_script_shell'] = shell;
  const installed = await run(join(bin, 'node'), '--version');
  const seen = await run('npm', 'exec', '--call', 'node --print process.version');
  if (seen !== installed) throw new Error(`npm runs ${seen} in place of the installed Node.js ${installed}`);
  return seen;
}

await runCommandLine(
  new Command('npm test -- nodes')
    .description('Run npm test and the own contract on other versions of Node.js, installed from npm.')
    .argument('[majors...]', 'major versions, such as 22', readMajor)
    .option('--script <name...>', 'scripts of package.json to run instead', ['test', 'contract'])
    .addHelpText('after', `\nWithout majors: ${majors.join(' and ')}. Exit code 1 if a script failed on any of them.`)
    .action(async (given: string[], { script }: { script: string[] }) => {
      const results: string[] = [];
      for (const major of given.length > 0 ? given : majors) {
        console.log(`\n== Node.js ${major}: install`);
        const version = await useNode(major);
        for (const name of script) {
          console.log(`\n== Node.js ${version}: npm run ${name}`);
          const child = spawn('npm', ['run', ...name.split(' ')], { stdio: 'inherit' });
          const [code] = (await once(child, 'close')) as [number | null];
          if (code !== 0) process.exitCode = 1;
          results.push(`${code === 0 ? 'passed' : 'FAILED'}  Node.js ${version}  npm run ${name}`);
        }
      }
      console.log(`\n${results.join('\n')}`);
    }),
);
