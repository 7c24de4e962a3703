/** Stacks that name the sources of a bundle. Node.js would parse every source map; this reads one when needed. */
import { readFileSync } from 'node:fs';
import module from 'node:module';
import { fileURLToPath } from 'node:url';

const sourceMaps = new Map<string, module.SourceMap | undefined>();

/** Makes the stack of each error name lines of the sources, if there is a source map. */
export function mapStacks(): void {
  Error.prepareStackTrace = (error, frames) => [describe(error), ...frames.map(placed)].join('\n    at ');
}

function describe(error: Error): string {
  try {
    return String(error);
  } catch {
    return 'Error';
  }
}

function placed(frame: NodeJS.CallSite): string {
  // oxlint-disable-next-line @typescript-eslint/no-base-to-string -- it overrides toString(), which its type does not show
  const text = String(frame);
  const [file, line, column] = [frame.getFileName(), frame.getLineNumber(), frame.getColumnNumber()];
  if (!file?.startsWith('file:') || line === null || column === null) return text;
  const origin = sourceMapOf(file)?.findEntry(line - 1, column - 1);
  if (!origin || !('originalSource' in origin)) return text;
  const source = new URL(origin.originalSource, file);
  const place = `${source.href}:${origin.originalLine + 1}:${origin.originalColumn + 1}`;
  return text.replace(`${file}:${line}:${column}`, place);
}

function sourceMapOf(file: string): module.SourceMap | undefined {
  if (!sourceMaps.has(file)) sourceMaps.set(file, readSourceMap(file));
  return sourceMaps.get(file);
}

function readSourceMap(file: string): module.SourceMap | undefined {
  try {
    const payload = readFileSync(`${fileURLToPath(file)}.map`, 'utf8');
    return new module.SourceMap(JSON.parse(payload) as module.SourceMapPayload);
  } catch {
    return undefined;
  }
}
