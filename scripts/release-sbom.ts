/** `node scripts/release-sbom.ts FOLDER`: the bills of materials of a release. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { runCommandLine } from './command-line.ts';
import { run } from './release/run.ts';

await runCommandLine(
  new Command('node scripts/release-sbom.ts')
    .description('Write the bill of materials (CycloneDX) of each package and image; the packages must be built.')
    .argument('<folder>', 'where the files go')
    .action(writeBoms),
);

async function writeBoms(folder: string): Promise<void> {
  const installed = JSON.parse(await run('npm', 'sbom', '--sbom-format', 'cyclonedx')) as Bom;
  mkdirSync(folder, { recursive: true });
  const write = (name: string, bom: Bom) => {
    const file = join(folder, `${name}.cdx.json`);
    writeFileSync(file, `${JSON.stringify(bom, null, 2)}\n`);
    console.log(`${file}: ${bom.components.length} components`);
  };
  for (const place of ['.', 'contract', 'client']) {
    const read = (file: string) => (existsSync(join(place, file)) ? readFileSync(join(place, file), 'utf8') : '');
    const manifest = JSON.parse(read('package.json')) as Manifest;
    const bom = bomOf(installed, manifest, containedIn(read('dist/THIRD-PARTY-LICENSES.txt')));
    write(`${manifest.name}-${manifest.version}`, bom);
    const [, base] = /^FROM (\S+)/m.exec(read('Dockerfile')) ?? [];
    if (base !== undefined) write(`${manifest.name}-image-${manifest.version}`, imageBomOf(bom, base));
  }
}

/**
 * A bill of materials. `npm sbom` lists all installed packages; those that a package contains or depends on are kept.
 * An image adds the image that it is built from.
 */
interface Bom {
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}
type Component = Readonly<Record<'bom-ref' | 'name' | 'version', string>>;

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

/**
 * The bill of materials of one package, selected from that of all installed packages.
 * @param contained the packages that are bundled in it, each as `name@version`
 */
function bomOf(installed: Bom, { name, version, dependencies = {} }: Manifest, contained: readonly string[]): Bom {
  const ref = `${name}@${version}`;
  const graph = new Map(installed.dependencies.map((one) => [one.ref, one.dependsOn]));
  const direct = (graph.get(ref) ?? []).filter((one) =>
    Object.hasOwn(dependencies, one.slice(0, one.lastIndexOf('@'))),
  );
  const kept = new Set([...contained, ...direct]);
  for (const one of kept) if (!contained.includes(one)) for (const further of graph.get(one) ?? []) kept.add(further);
  const own = [installed.metadata.component, ...installed.components].find((one) => one['bom-ref'] === ref);
  if (!own) throw new Error(`npm sbom does not list ${ref}.`);
  return {
    ...installed,
    metadata: { ...installed.metadata, component: { ...own, name } },
    components: installed.components.filter((one) => kept.has(one['bom-ref'])),
    dependencies: [
      { ref, dependsOn: [...new Set([...direct, ...contained])] },
      ...installed.dependencies
        .filter((one) => kept.has(one.ref))
        .map((one) => ({ ...one, dependsOn: one.dependsOn.filter((other) => kept.has(other)) })),
    ],
  };
}

/** The bill of materials of a package's image, with its base image, such as `node:24-slim@sha256:...`. */
function imageBomOf(bom: Bom, base: string): Bom {
  const [name = '', version = ''] = base.split(/:(.*)/);
  const { component } = bom.metadata;
  return {
    ...bom,
    metadata: { ...bom.metadata, component: { ...component, type: 'container' } as Component },
    components: [...bom.components, { type: 'container', 'bom-ref': base, name, version } as Component],
    dependencies: bom.dependencies.map((one) =>
      one.ref === component['bom-ref'] ? { ...one, dependsOn: [...one.dependsOn, base] } : one,
    ),
  };
}

/** The packages in a licence file written by the bundler. */
function containedIn(licences: string): string[] {
  return [...licences.matchAll(/^(\S+) (\d+\.\d+\.\d\S*) \(.+\)$/gm)].map(([, name, version]) => `${name}@${version}`);
}
