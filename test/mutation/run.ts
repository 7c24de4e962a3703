/** `npm test -- mutation`: installs Stryker on first use and runs it with this folder's settings and the given arguments. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, relative } from 'node:path';
import { installPackages } from '../../scripts/install-packages.ts';

const folder = import.meta.dirname;

await installPackages(folder);
const stryker = join(folder, 'node_modules/@stryker-mutator/core/bin/stryker.js');
const settings = relative('.', join(folder, 'stryker.config.js'));
const child = spawn(process.execPath, [stryker, 'run', settings, ...process.argv.slice(2)], { stdio: 'inherit' });
const [code] = (await once(child, 'close')) as [number | null];
process.exitCode = code ?? 1;
