/**
 * The bill of materials of a package: `npm sbom` lists all that is installed, so only what the package contains and what it
 * brings is kept. An image has what its package has, and the image that it is built from.
 */
export interface Bom {
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: readonly Dependency[];
}
interface Component {
  readonly 'bom-ref': string;
  readonly name: string;
  readonly version: string;
}
interface Dependency {
  readonly ref: string;
  readonly dependsOn: readonly string[];
}

/** What is read of a package. */
export interface Packaged {
  readonly name: string;
  readonly version: string;
  /** The packages that an installation of it brings. */
  readonly dependencies?: Readonly<Record<string, string>>;
  /** Those that its files contain, each as `name@version`. */
  readonly contained: readonly string[];
}

/** The bill of materials of one package, from that of everything that is installed. */
export function bomOf(installed: Bom, { name, version, dependencies = {}, contained }: Packaged): Bom {
  const ref = `${name}@${version}`;
  const graph = new Map(installed.dependencies.map((one) => [one.ref, one.dependsOn]));
  const direct = (graph.get(ref) ?? []).filter((one) => Object.keys(dependencies).includes(nameOf(one)));
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

/** The bill of materials of an image of a package, which is built from another, such as `node:24-slim@sha256:...`. */
export function imageBomOf(bom: Bom, base: string): Bom {
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

/** The packages of a file of licences, as the bundler writes it. */
export function containedIn(licences: string): string[] {
  return [...licences.matchAll(/^(\S+) (\d+\.\d+\.\d\S*) \(.+\)$/gm)].map(([, name, version]) => `${name}@${version}`);
}

function nameOf(ref: string): string {
  return ref.slice(0, ref.lastIndexOf('@'));
}
