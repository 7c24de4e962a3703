import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import ts from 'typescript';
import { callers, outputFolder } from '../folders.ts';
import type { Language } from '../language.ts';
import type { CallTarget, Observed } from '../observed.ts';

const { options = {} } =
  ts.getParsedCommandLineOfConfigFile(join(callers, 'tsconfig.json'), undefined, {
    ...ts.sys,
    onUnRecoverableConfigFileDiagnostic: ({ messageText }) => {
      throw new Error(ts.flattenDiagnosticMessageText(messageText, '\n'));
    },
  }) ?? {};
const host = createHost();

export const typescript: Language = {
  lacks: () => Promise.resolve(undefined),
  compile(name) {
    const program = ts.createProgram([join(callers, `${name}.ts`)], options, host);
    const complaints = ts.getPreEmitDiagnostics(program);
    if (complaints.length > 0) return Promise.reject(new Error(ts.formatDiagnostics(complaints, host)));
    return Promise.resolve();
  },
  async call(name, target) {
    // Generated code imports as bundlers resolve, not as Node.js does.
    const bundled = join(outputFolder, `${name}.mjs`);
    await build({
      entryPoints: [join(callers, `${name}.ts`)],
      outfile: bundled,
      bundle: true,
      packages: 'external',
      platform: 'node',
      format: 'esm',
      logLevel: 'silent',
    });
    const caller = (await import(pathToFileURL(bundled).href)) as { call: (target: CallTarget) => Promise<Observed> };
    return caller.call(target);
  },
};

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
