import { join } from 'node:path';
import ts from 'typescript';
import { runCommand } from './command.ts';
import { folder, type Generator, outputFolder } from './generators.ts';

const callers = join(folder, 'callers');
const { options = {} } =
  ts.getParsedCommandLineOfConfigFile(join(callers, 'tsconfig.json'), undefined, {
    ...ts.sys,
    onUnRecoverableConfigFileDiagnostic: ({ messageText }) => {
      throw new Error(ts.flattenDiagnosticMessageText(messageText, '\n'));
    },
  }) ?? {};
const host = createHost();

/**
 * Compiles a generated client and, with it, what the caller expects of its types.
 * @throws {Error} with the compiler's complaints
 */
export async function compile({ name, language }: Generator): Promise<void> {
  if (language === 'Python') {
    await runCommand(['python3', '-m', 'compileall', '-q', join(outputFolder, name)], { cwd: folder });
    return;
  }
  const program = ts.createProgram([join(callers, `${name}.ts`)], options, host);
  const complaints = ts.getPreEmitDiagnostics(program);
  if (complaints.length > 0) throw new Error(ts.formatDiagnostics(complaints, host));
}

/** Keeps what was read for the next client, and does not let a generated file switch its own compilation off. */
function createHost(): ts.CompilerHost {
  const plain = ts.createCompilerHost(options);
  const files = new Map<string, ts.SourceFile | undefined>();
  return {
    ...plain,
    readFile: (file) => plain.readFile(file)?.replace(/^\/\/ @ts-nocheck$/m, ''),
    getSourceFile(file, settings) {
      if (!files.has(file)) {
        const text = this.readFile(file);
        files.set(file, text === undefined ? undefined : ts.createSourceFile(file, text, settings));
      }
      return files.get(file);
    },
  };
}
