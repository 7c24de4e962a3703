import ts from 'typescript';

const given = `
import type { Client } from 'document-analysis-client';
declare global {
  const apiKey: string;
  const accessToken: string;
  const caseId: string;
  const client: Client;
}`;

/**
 * Compiles modules as a user of the client would write them, with `apiKey`, `accessToken`, `caseId` and `client` given.
 * Returns what the compiler says, a line each, after the module's name.
 */
export function compileForClient(modules: Record<string, string>): string[] {
  const folder = `${process.cwd()}/test/compiled`;
  const files = new Map(
    Object.entries({ ...modules, given }).map(([name, text]) => [`${folder}/${name}.ts`, `${text}\nexport {};\n`]),
  );
  const options: ts.CompilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    module: ts.ModuleKind.Node20,
    target: ts.ScriptTarget.ES2023,
    lib: ['lib.es2023.d.ts', 'lib.dom.d.ts'],
    types: ['node'],
    skipLibCheck: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    paths: { 'document-analysis-client': [`${process.cwd()}/client/index.ts`] },
  };
  const host = ts.createCompilerHost(options);
  const disk = { ...host };
  host.fileExists = (name) => files.has(name) || disk.fileExists(name);
  host.readFile = (name) => files.get(name) ?? disk.readFile(name);
  host.getSourceFile = (name, target, ...rest) => {
    const text = files.get(name);
    return text === undefined ? disk.getSourceFile(name, target, ...rest) : ts.createSourceFile(name, text, target);
  };
  return ts.getPreEmitDiagnostics(ts.createProgram([...files.keys()], options, host)).map(({ file, messageText }) => {
    const name = file?.fileName.replace(`${folder}/`, '').replace(/\.ts$/, '') ?? '';
    return `${name}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`;
  });
}
