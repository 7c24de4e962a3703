import { dirname, join } from 'node:path';
import { folder, installedFile, outputFolder, publishedFolder, nswagFolder } from './program.ts';
import type { LanguageName } from './languages.ts';

/** A program by other people that makes a client from the document. */
export interface Generator {
  /** Names the generated client's folder and, below callers/, what calls with it. */
  readonly name: string;
  readonly language: LanguageName;
  /** The npm package that carries it, as the folder below node_modules. */
  readonly packageName: string;
  /** The command that starts it on this machine. */
  readonly command: readonly string[];
  /** Its arguments for a document and for the folder of the client, as in docs/generated-clients.md. */
  readonly args: (document: string, output: string) => readonly string[];
  /** Where the command is run. */
  readonly workingFolder: string;
}

/** One or two of each language, in their newest versions that run on Node.js 20 or contain the program itself. */
export const generators: readonly Generator[] = [
  installed('openapi-typescript', 'openapi-typescript', (document, output) => [
    ...[document, '--output', `${output}/client.ts`],
  ]),
  installed('hey-api', '@hey-api/openapi-ts', (document, output) => [
    ...['--input', document, '--output', output, '--client', '@hey-api/client-fetch', '--silent', '--no-log-file'],
  ]),
  openapiGenerator('Python', 'python', '--package-name=document_analysis'),
  openapiGenerator(
    'Java',
    'java',
    '--library=native',
    '--additional-properties=dateLibrary=java8,openApiNullable=false',
  ),
  // The last stable version in npm: the one after it writes no models in Go.
  { ...openapiGenerator('Go', 'go', '--type-mappings=object=interface{}'), ...javaProgram('openapi-generator-4') },
  {
    name: 'nswag',
    language: 'C#',
    packageName: 'nswag',
    command: ['mono', join(nswagFolder, 'NSwag.exe')],
    args: (document, output) => [
      ...['openapi2csclient', `/input:${document}`, `/output:${output}/Client.cs`],
      ...['/namespace:DocumentAnalysis', '/classname:DocumentAnalysisClient'],
    ],
    workingFolder: folder,
  },
];

/** The whole command of a generator on this machine. */
export function commandOf({ name, command, args }: Generator): readonly string[] {
  return [...command, ...args(join(publishedFolder, 'openapi.yaml'), join(outputFolder, name))];
}

/** One that npm installs as a command. */
function installed(name: string, packageName: string, args: Generator['args']): Generator {
  const command = [installedFile(`.bin/${packageName.replace(/^@.*\//, '')}`)];
  // openapi-typescript takes the repository's redocly.yaml for its own if it finds it above its working folder.
  const workingFolder = name === 'openapi-typescript' ? dirname(join(outputFolder, name)) : folder;
  return { name, language: 'TypeScript', packageName, command, args, workingFolder };
}

/** One of those in OpenAPI Generator; this version of its package is the last to carry the program itself. */
function openapiGenerator(language: LanguageName, kind: string, ...options: string[]): Generator {
  return {
    name: `openapi-generator-${kind}`,
    language,
    ...javaProgram('@openapitools/openapi-generator-cli'),
    args: (document, output) => ['generate', '-i', document, '-g', kind, '-o', output, ...options],
    workingFolder: folder,
  };
}

function javaProgram(packageName: string): Pick<Generator, 'packageName' | 'command'> {
  return { packageName, command: ['java', '-jar', installedFile(`${packageName}/bin/openapi-generator.jar`)] };
}
