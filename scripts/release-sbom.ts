import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Command } from 'commander';
import { exitCodes } from '../src/cli/errors.ts';
import { print } from '../src/cli/output.ts';
import { runIn } from './release/run.ts';
import { type Bom, bomOf, containedIn, imageBomOf, type Packaged } from './release/sbom.ts';
import { runAsMain, runScript } from './script.ts';

const command = new Command('node scripts/release-sbom.ts')
  .description('Write the bill of materials (CycloneDX) of each package and image; the packages must be built.')
  .argument('<folder>', 'where the files go');

await runAsMain((argv, context) =>
  runScript(command, argv, context, async ({ args: [folder = ''] }) => {
    const { root, stdout } = context;
    const installed = JSON.parse(await runIn(root)('npm', 'sbom', '--sbom-format', 'cyclonedx')) as Bom;
    await mkdir(folder, { recursive: true });
    const write = async (name: string, bom: Bom) => {
      const file = join(folder, `${name}.cdx.json`);
      await writeFile(file, `${JSON.stringify(bom, null, 2)}\n`);
      await print(stdout, `${file}: ${bom.components.length} components\n`);
    };
    for (const place of ['.', 'contract', 'client']) {
      const packaged = await readPackage(join(root, place));
      const { name, version } = packaged;
      const bom = bomOf(installed, packaged);
      await write(`${name}-${version}`, bom);
      const [, base] = (await readIfThere(join(root, place, 'Dockerfile'))).match(/^FROM (\S+)/m) ?? [];
      if (base !== undefined) await write(`${name}-image-${version}`, imageBomOf(bom, base));
    }
    return exitCodes.done;
  }),
);

async function readPackage(folder: string): Promise<Packaged> {
  const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Packaged;
  return { ...manifest, contained: containedIn(await readIfThere(join(folder, 'dist/THIRD-PARTY-LICENSES.txt'))) };
}

async function readIfThere(file: string): Promise<string> {
  return existsSync(file) ? readFile(file, 'utf8') : '';
}
