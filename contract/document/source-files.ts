import { dirname, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument, visit } from 'yaml';
import type { Fault, Place } from './faults.ts';
import { repeatedName } from '../oracle/json.ts';
import { keysOfPointer } from './references.ts';
import { inPlainForm } from './plain-form.ts';

/** A position in a file. */
export interface Position {
  readonly file: string;
  readonly line: number;
}

interface SourceFile {
  readonly document: Document.Parsed;
  readonly lines: LineCounter;
}

/** The nodes of a large file with their positions take a hundred times its memory: they are made when they are needed. */
type Parse = () => SourceFile;

/** The files of one document, in YAML or JSON, with the positions of its nodes. */
export class SourceFiles {
  private readonly root: string;
  private readonly files = new Map<string, Parse>();
  private readonly found = new Map<string, Position>();

  constructor(root: string) {
    this.root = resolve(root);
  }

  /** The reported faults and the syntax errors of the files, each as `file:line: message`, in order of position. */
  get faults(): string[] {
    return [...this.found]
      .sort(([, one], [, other]) => one.file.localeCompare(other.file) || one.line - other.line)
      .map(([fault]) => fault);
  }

  /** Records faults with their lines. */
  report(faults: Iterable<Fault>): void {
    for (const { place, message } of faults) this.note(this.positionOf(place), message);
  }

  private note(position: Position, message: string): void {
    this.found.set(`${position.file}:${position.line}: ${message}`, position);
  }

  parse(file: string, text: string): unknown {
    const path = pathOf(file);
    const parse = once((): SourceFile => {
      const lines = new LineCounter();
      return { document: parseDocument(text, { lineCounter: lines, merge: true, prettyErrors: false }), lines };
    });
    this.files.set(path, parse);
    const json = jsonOf(text);
    if (json !== undefined) return inPlainForm(json, text);
    const { document, lines } = parse();
    const unresolved = unresolvedAliases(document);
    for (const { source, offset } of unresolved)
      this.note(positionOf(path, lines, offset), `*${source} has no anchor above it; write &${source} before it`);
    for (const { code, message, pos } of document.errors)
      this.note(
        positionOf(path, lines, pos[0]),
        code === 'DUPLICATE_KEY'
          ? `${lineOf(text, pos[0])} is repeated here; remove or rename one of the two`
          : `${message}; correct the syntax`,
      );
    return unresolved.length > 0 || document.errors.some(({ code }) => code !== 'DUPLICATE_KEY')
      ? {}
      : inPlainForm(document.toJS(), text);
  }

  /** The position of a node, or of its nearest parent in the file. */
  private positionOf(place: Place): Position {
    let path = this.root;
    let source = this.files.get(path)?.();
    let node: unknown = source?.document.contents;
    let offset = 0;
    const follow = (): boolean => {
      const reference = isMap(node) ? node.get('$ref') : undefined;
      if (typeof reference !== 'string') return false;
      const [file = '', pointer = ''] = reference.split('#');
      const target = file === '' ? path : resolve(dirname(path), decodeURIComponent(file));
      const next = this.files.get(target)?.();
      const found = keysOfPointer(pointer).reduce<unknown>(
        (at, key) => (next ? childOf(at, key, next.document)?.value : undefined),
        next?.document.contents,
      );
      if (!next || !found) return false;
      [path, source, node, offset] = [target, next, found, (found as Node).range?.[0] ?? 0];
      return true;
    };
    for (const key of place) {
      let child = source && childOf(node, key, source.document);
      for (let hops = 0; !child && hops < 20 && follow(); hops += 1)
        child = source && childOf(node, key, source.document);
      if (!child) break;
      node = child.value;
      offset = child.offset;
    }
    return positionOf(path, source?.lines, offset);
  }
}

/** Aliases without an anchor above them, with their positions. */
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
function childOf(node: unknown, key: string | number, document: Document.Parsed) {
  const parent = isAlias(node) ? node.resolve(document) : node;
  if (isSeq(parent)) {
    const item = parent.items[Number(key)] as Node | undefined;
    return item && { value: item, offset: item.range?.[0] ?? 0 };
  }
  if (!isMap(parent)) return undefined;
  const pair = parent.items.findLast((item) => isScalar(item.key) && String(item.key.value) === String(key));
  return pair && { value: pair.value, offset: (pair.key as Node).range?.[0] ?? 0 };
}

/** The value of a JSON text; undefined if it is another text, or a name is repeated, which has to be reported. */
function jsonOf(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return repeatedName(text) === undefined ? value : undefined;
  } catch {
    return undefined;
  }
}

function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => (made ??= { value: make() }).value;
}

function positionOf(path: string, lines: LineCounter | undefined, offset: number): Position {
  return { file: relative(process.cwd(), path), line: Math.max(lines?.linePos(offset).line ?? 1, 1) };
}

/** The rest of a line from an offset, up to a colon. */
function lineOf(text: string, offset: number): string {
  return text.slice(offset).split(/:\s|:?\n/, 1)[0] ?? '';
}

function pathOf(file: string): string {
  return file.startsWith('file:') ? fileURLToPath(file) : resolve(file);
}
