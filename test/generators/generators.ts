import { dirname, join } from 'node:path';

/** Where the generators are installed and called. */
export const folder = import.meta.dirname;

/** Where the generated clients go, each into a folder that is named after its generator. */
export const outputFolder = join(folder, 'out');

/** The document, as the server publishes it. */
const documentFile = join(folder, '../../generated/openapi.json');

const javaArchive = join(folder, 'node_modules/@openapitools/openapi-generator-cli/bin/openapi-generator.jar');

/** A program by other people that makes a client from the document. */
export interface Generator {
  /** Names the generated client's folder and, below callers/, the module that calls with it. */
  readonly name: string;
  readonly language: 'TypeScript' | 'Python';
  /** The npm package that carries it. */
  readonly packageName: string;
  readonly command: readonly string[];
  /** Where the command is run. */
  readonly workingFolder: string;
}

/** The generators that are tried, in their newest versions that run on Node.js 20. */
export const generators: readonly Generator[] = [
  installed('openapi-typescript', 'openapi-typescript', (output) => [
    documentFile,
    '--output',
    join(output, 'client.ts'),
  ]),
  installed('hey-api', '@hey-api/openapi-ts', (output) => [
    ...['--input', documentFile, '--output', output, '--client', '@hey-api/client-fetch', '--silent', '--no-log-file'],
  ]),
  installed('orval', 'orval', () => ['--config', 'orval.config.ts']),
  installed('swagger-typescript-api', 'swagger-typescript-api', (output) => [
    ...['generate', '--path', documentFile, '--output', output, '--name', 'client.ts', '--silent'],
  ]),
  installed('oazapfts', 'oazapfts', (output) => [documentFile, join(output, 'client.ts')]),
  openapiGenerator('TypeScript', 'typescript-fetch', '--additional-properties=typescriptThreePlus=true'),
  openapiGenerator('Python', 'python', '--package-name=document_analysis'),
];

/** One that npm installs as a command. */
function installed(name: string, packageName: string, options: (output: string) => string[]): Generator {
  const binary = join(folder, 'node_modules/.bin', packageName.replace(/^@.*\//, ''));
  const output = join(outputFolder, name);
  // openapi-typescript takes the repository's redocly.yaml for its own if it finds it above its working folder.
  const workingFolder = name === 'openapi-typescript' ? dirname(output) : folder;
  return { name, language: 'TypeScript', packageName, command: [binary, ...options(output)], workingFolder };
}

/** One of those in OpenAPI Generator; this version of its package is the last to carry the program itself. */
function openapiGenerator(language: Generator['language'], kind: string, ...options: string[]): Generator {
  const name = `openapi-generator-${kind}`;
  const output = ['-i', documentFile, '-g', kind, '-o', join(outputFolder, name)];
  return {
    name,
    language,
    packageName: '@openapitools/openapi-generator-cli',
    command: ['java', '-jar', javaArchive, 'generate', ...output, ...options],
    workingFolder: folder,
  };
}
