import { build } from 'esbuild';

/** Bundles for browsers, where an import of Node.js is an error. */
export async function bundle(contents: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: 'client' },
    bundle: true,
    minify: true,
    platform: 'browser',
    format: 'esm',
    target: 'es2022',
    write: false,
    logLevel: 'silent',
  });
  return outputFiles[0]?.text ?? '';
}

/** A module that puts the whole client on `globalThis.client`. */
export function bundleClient(): Promise<string> {
  return bundle("import * as client from './index.ts'; globalThis.client = client;");
}
