/** Reads a document with its files, which are parsed here, so that each fault is reported with its line. */
import { readFile } from 'node:fs/promises';
import { dirname, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import {
  $RefParser,
  type JSONParserError,
  JSONParserErrorGroup,
  type MissingPointerError,
} from '@apidevtools/json-schema-ref-parser';
import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument, visit } from 'yaml';
import { parsed, repeatedName } from '../oracle/json.ts';
import { modelOf } from './document-of.ts';
import { documentFaults, DocumentError, type Fault, fault, likePaths, type Place } from './faults.ts';
import type { ApiDocument, Link } from './model.ts';
import type { RawDocument } from './raw.ts';
import {
  brokenReference,
  brokenReferences,
  dereference,
  endlessReferences,
  inPlainForm,
  isLocal,
  keysOfPointer,
  referencesOf,
} from './references.ts';

/**
 * Reads a document of OpenAPI 3.0 or 3.1, in YAML or JSON, with the files that it refers to.
 * @throws {DocumentError} with every fault, if the document cannot be modelled
 */
export async function loadDocument(file: string): Promise<ApiDocument> {
  const sources = new SourceFiles(file);
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new DocumentError([`${file}:1: the file cannot be read (${(error as Error).message}); name another file`]);
  });
  if (text.length > largeFile) collectGarbageSooner();
  const asWritten = sources.parse(file, text) as (Partial<RawDocument> & { swagger?: unknown }) | null;
  const version = asWritten?.openapi;
  if (typeof version !== 'string' || !/^3\.[01]\.\d+/.test(version)) {
    if (sources.faults.length === 0)
      sources.report([
        asWritten?.swagger === undefined
          ? fault(['openapi'], 'this is not an OpenAPI 3.0 or 3.1 document; write openapi: 3.0.3')
          : fault(['swagger'], 'this is a Swagger 2.0 document; convert it to OpenAPI 3.0 or 3.1'),
      ]);
    throw new DocumentError(sources.faults);
  }
  const { bundled, faults } = await bundle(file, sources, asWritten as object);
  const document = dereference(bundled) as RawDocument;
  sources.report([...faults, ...endlessReferences(bundled), ...documentFaults(document)]);
  if (sources.faults.length > 0) throw new DocumentError(sources.faults);
  const leftOut = likePaths(document);
  for (const { path } of leftOut) delete document.paths?.[path];
  const warnings = leftOut.map(({ path, message }) => `${file}: ${message}; ${path} is left out`);
  const model = modelOf(document);
  return { ...model, warnings: [...warnings, ...linkFaults(model).map((message) => `${file}: ${message}`)] };
}

const largeFile = 2 ** 20;

/**
 * V8 keeps garbage as long as there is memory: GitHub's description of 13 MB took 390 MB to list its checks, and with these
 * flags 215 MB and a tenth more time.
 */
function collectGarbageSooner(): void {
  setFlagsFromString('--heap-growing-percent=50');
  setFlagsFromString('--semi-space-growth-factor=1');
}

async function bundle(
  file: string,
  sources: SourceFiles,
  content: object,
): Promise<{ bundled: object; faults: Iterable<Fault> }> {
  if (referencesOf(content).every(({ reference }) => isLocal(reference)))
    return { bundled: content, faults: brokenReferences(content) };
  const parser = new $RefParser<Record<string, unknown>>();
  const ours = {
    order: 1,
    allowEmpty: true,
    canParse: true,
    parse: ({ url, data }: { url: string; data: unknown }) => sources.parse(url, String(data)),
  };
  const faults = await parser
    .bundle(file, {
      continueOnError: true,
      parse: { ours, json: false, yaml: false, text: false, binary: false },
      resolve: { http: false },
    })
    .then(
      () => [],
      (error: unknown) => {
        if (!(error instanceof JSONParserErrorGroup)) throw error;
        return error.errors.map(referenceFault);
      },
    );
  return { bundled: parser.schema ?? {}, faults };
}

/** A broken reference: the file cannot be read, or does not contain the target. */
function referenceFault({ message, path, ...rest }: JSONParserError | MissingPointerError): Fault {
  const place = [...(path ?? []), '$ref'];
  if ('targetRef' in rest) return brokenReference(place, rest.targetRef, String(rest.targetToken));
  const why = message.replaceAll(`${process.cwd()}/`, '').replace(/(, open '.*')?\.?$/, '');
  return fault(place, `the reference cannot be followed (${why}); let $ref name a file that can be read`);
}

interface Position {
  readonly file: string;
  readonly line: number;
}

interface SourceFile {
  readonly document: Document.Parsed;
  readonly lines: LineCounter;
}

/** The files of one document, in YAML or JSON, with the positions of its nodes. */
class SourceFiles {
  readonly #root: string;
  /** The nodes of a large file with their positions take a hundred times its memory: they are made when needed. */
  readonly #files = new Map<string, () => SourceFile>();
  readonly #found = new Map<string, Position>();

  constructor(root: string) {
    this.#root = resolve(root);
  }

  /** The reported faults and the syntax errors of the files, each as `file:line: message`, in order of position. */
  get faults(): string[] {
    return [...this.#found]
      .sort(([, one], [, other]) => one.file.localeCompare(other.file) || one.line - other.line)
      .map(([found]) => found);
  }

  report(faults: Iterable<Fault>): void {
    for (const { place, message } of faults) this.#note(this.#positionOf(place), message);
  }

  #note(position: Position, message: string): void {
    this.#found.set(`${position.file}:${position.line}: ${message}`, position);
  }

  parse(file: string, text: string): unknown {
    const path = file.startsWith('file:') ? fileURLToPath(file) : resolve(file);
    let made: SourceFile | undefined;
    const parse = (): SourceFile => {
      const lines = new LineCounter();
      return (made ??= {
        document: parseDocument(text, { lineCounter: lines, merge: true, prettyErrors: false }),
        lines,
      });
    };
    this.#files.set(path, parse);
    const json = parsed(text);
    // A repeated name has to be reported.
    if (json !== undefined && repeatedName(text) === undefined) return inPlainForm(json, text);
    const { document, lines } = parse();
    const unresolved = unresolvedAliases(document);
    for (const { source, offset } of unresolved)
      this.#note(positionOf(path, lines, offset), `*${source} has no anchor above it; write &${source} before it`);
    for (const { code, message, pos } of document.errors)
      this.#note(
        positionOf(path, lines, pos[0]),
        code === 'DUPLICATE_KEY'
          ? `${text.slice(pos[0]).split(/:\s|:?\n/, 1)[0] ?? ''} is repeated here; remove or rename one of the two`
          : `${message}; correct the syntax`,
      );
    return unresolved.length > 0 || document.errors.some(({ code }) => code !== 'DUPLICATE_KEY')
      ? {}
      : inPlainForm(document.toJS(), text);
  }

  /** The position of a node, or of its nearest parent in the file. */
  #positionOf(place: Place): Position {
    let path = this.#root;
    let source = this.#files.get(path)?.();
    let node: unknown = source?.document.contents;
    let offset = 0;
    const follow = (): boolean => {
      const reference = isMap(node) ? node.get('$ref') : undefined;
      if (typeof reference !== 'string') return false;
      const [file = '', pointer = ''] = reference.split('#');
      const target = file === '' ? path : resolve(dirname(path), decodeURIComponent(file));
      const next = this.#files.get(target)?.();
      const found = keysOfPointer(pointer).reduce<unknown>(
        (at, key) => childOf(at, key, next)?.value,
        next?.document.contents,
      );
      if (!next || !found) return false;
      [path, source, node, offset] = [target, next, found, (found as Node).range?.[0] ?? 0];
      return true;
    };
    for (const key of place) {
      let child = childOf(node, key, source);
      for (let hops = 0; !child && hops < 20 && follow(); hops += 1) child = childOf(node, key, source);
      if (!child) break;
      node = child.value;
      offset = child.offset;
    }
    return positionOf(path, source?.lines, offset);
  }
}

function unresolvedAliases(document: Document.Parsed): { source: string; offset: number }[] {
  const found: { source: string; offset: number }[] = [];
  visit(document, {
    Alias: (_key, alias) => {
      if (!alias.resolve(document)) found.push({ source: alias.source, offset: alias.range?.[0] ?? 0 });
    },
  });
  return found;
}

/** The value at a key of a node, and the offset of the key. */
function childOf(node: unknown, key: string | number, source: SourceFile | undefined) {
  const parent = isAlias(node) && source ? node.resolve(source.document) : node;
  if (isSeq(parent)) {
    const item = parent.items[Number(key)] as Node | undefined;
    return item && { value: item, offset: item.range?.[0] ?? 0 };
  }
  if (!isMap(parent)) return undefined;
  const pair = parent.items.findLast((item) => isScalar(item.key) && String(item.key.value) === String(key));
  return pair && { value: pair.value, offset: (pair.key as Node).range?.[0] ?? 0 };
}

function positionOf(path: string, lines: LineCounter | undefined, offset: number): Position {
  return { file: relative(process.cwd(), path), line: Math.max(lines?.linePos(offset).line ?? 1, 1) };
}

/** The links of a document that lead to no operation, each in a sentence. */
export function linkFaults({ operations }: ApiDocument): string[] {
  const isTarget = ({ operationId, operationRef }: Link) => {
    const [, path, method] = keysOfPointer((operationRef ?? '').replace(/^[^#]*/, ''));
    return operations.some((each) =>
      operationId === undefined ? each.path === path && each.method === method : each.operationId === operationId,
    );
  };
  return operations.flatMap(({ operationId, responses }) =>
    Object.entries(responses).flatMap(([status, { links = {} }]) =>
      Object.entries(links)
        .filter(([, link]) => !isTarget(link))
        .map(([name, link]) => {
          const named = link.operationId ?? link.operationRef ?? 'none is named';
          return `the link ${name} of ${operationId} ${status} leads to no operation (${named})`;
        }),
    ),
  );
}
