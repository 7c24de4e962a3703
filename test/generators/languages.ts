import type { CallTarget, Observed } from './observed.ts';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import {
  callers,
  outputFolder,
  folder,
  installedFile,
  runCommand,
  callWithProgram,
  isHere,
  lacksMono,
  nswagFolder,
} from './program.ts';
import { compile } from '../support/compile.ts';
import { mkdir, symlink, copyFile } from 'node:fs/promises';
import { globSync } from 'node:fs';

/** How a client in a language is compiled and called; `name` is that of its generator. */
interface Language {
  /** What this machine lacks for it; undefined if nothing. */
  lacks(): Promise<string | undefined>;
  /**
   * Compiles the client and what calls it, which fails if the types are not those of the document.
   * @throws {Error} with the complaints of the compiler
   */
  compile(name: string): Promise<void>;
  /** Calls the server with the client. */
  call(name: string, target: CallTarget): Promise<Observed>;
}

const typescript: Language = {
  lacks: () => Promise.resolve(undefined),
  async compile(name) {
    const configuration = {
      extends: join(callers, 'tsconfig.json'),
      files: [join(callers, `${name}.ts`)],
      include: [],
    };
    const complaints = await compile(join(outputFolder, name), configuration);
    if (complaints !== '') throw new Error(complaints);
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

const modules = ['certifi', 'dateutil', 'six', 'urllib3'];

const python: Language = {
  async lacks() {
    return (await isHere('python3', '-c', `import ${modules.join(', ')}`))
      ? undefined
      : `Python 3 with ${modules.join(', ')}`;
  },
  async compile(name) {
    await runCommand(['python3', '-m', 'compileall', '-q', join(outputFolder, name)], { cwd: folder });
  },
  call(name, target) {
    const caller = join(callers, `${name.replaceAll('-', '_')}.py`);
    return callWithProgram(['python3', caller, join(outputFolder, name)], target);
  },
};

/** Where Debian puts the sources of Go's packages; the generated client needs one of them. */
const installed = '/usr/share/gocode';
const needed = 'golang.org/x/oauth2';

const go: Language = {
  async lacks() {
    const isComplete = (await isHere('go', 'version')) && (await isHere('ls', join(installed, 'src', needed)));
    return isComplete ? undefined : `Go with ${needed} (Debian: golang-go, golang-golang-x-oauth2-dev)`;
  },
  async compile(name) {
    const workspace = join(outputFolder, `${name}-workspace`);
    await mkdir(join(workspace, 'src'), { recursive: true });
    await symlink(join(outputFolder, name), join(workspace, 'src/openapi'));
    // Without modules, so that nothing is downloaded.
    const environment = { GO111MODULE: 'off', GOPATH: `${workspace}:${installed}` };
    await runCommand(['go', 'build', '-o', join(workspace, 'caller'), join(callers, 'go/caller.go')], {
      cwd: workspace,
      environment,
    });
  },
  call(name, target) {
    return callWithProgram([join(outputFolder, `${name}-workspace`, 'caller')], target);
  },
};

/** It contains the libraries that its clients need: Jackson, with its module for times, and Swagger's annotations. */
const libraries = installedFile('@openapitools/openapi-generator-cli/bin/openapi-generator.jar');
const classes = (name: string) => join(outputFolder, name, 'classes');

const java: Language = {
  async lacks() {
    return (await isHere('javac', '-version')) ? undefined : 'JDK (Debian: default-jdk-headless)';
  },
  async compile(name) {
    const sources = globSync(join(outputFolder, name, 'src/main/**/*.java'));
    const options = ['-d', classes(name), '-cp', libraries, '-proc:none', '-nowarn'];
    await runCommand(['javac', ...options, ...sources, join(callers, 'java/Caller.java')], { cwd: folder });
  },
  call(name, target) {
    return callWithProgram(['java', '-cp', `${classes(name)}:${libraries}`, 'Caller'], target);
  },
};

const json = 'Newtonsoft.Json.dll';
const assemblies = [json, 'System.Net.Http', 'System.ComponentModel.DataAnnotations', 'System.Runtime.Serialization'];

const csharp: Language = {
  lacks: lacksMono,
  async compile(name) {
    const client = join(outputFolder, name);
    await copyFile(join(nswagFolder, json), join(client, json));
    const references = assemblies.map((assembly) => `-r:${assembly}`);
    const sources = ['Client.cs', join(callers, 'csharp/Caller.cs')];
    await runCommand(['mcs', '-nologo', '-warn:0', '-out:caller.exe', ...references, ...sources], { cwd: client });
  },
  call(name, target) {
    return callWithProgram(['mono', join(outputFolder, name, 'caller.exe')], target);
  },
};

/** The languages, by their names in the documents. */
export const languages = { TypeScript: typescript, Python: python, Go: go, Java: java, 'C#': csharp };

export type LanguageName = keyof typeof languages;
