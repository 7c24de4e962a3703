/**
 * Reads a document with its files. json-schema-ref-parser follows the references between files and makes them local;
 * documentOf resolves those. The files are parsed here, so that each fault is reported with its line.
 */
import { readFile } from 'node:fs/promises';
import { setFlagsFromString } from 'node:v8';
import {
  $RefParser,
  type JSONParserError,
  JSONParserErrorGroup,
  type MissingPointerError,
} from '@apidevtools/json-schema-ref-parser';
import { DocumentError } from './document-error.ts';
import { modelOf } from './document-of.ts';
import type { Fault } from './faults.ts';
import { documentFaults } from './faults.ts';
import { likePaths } from './faults.ts';
import { brokenReference, brokenReferences, endlessReferences, referencesOf } from './faults.ts';
import type { ApiDocument } from './model.ts';
import type { RawDocument } from './raw.ts';
import { dereference, isLocal } from './references.ts';
import { SourceFiles } from './source-files.ts';

/** An additional check of a document. Broken references are undefined in it. */
export type DocumentCheck = (document: RawDocument, asWritten: object) => Iterable<Fault>;

/**
 * Reads a document of OpenAPI 3.0 or 3.1, in YAML or JSON, with the files that it refers to.
 * @throws {DocumentError} with every fault, if the document cannot be modelled or fails one of the checks
 */
export async function loadDocument(file: string, checks: readonly DocumentCheck[] = []): Promise<ApiDocument> {
  const sources = new SourceFiles(file);
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new DocumentError([`${file}:1: the file cannot be read (${(error as Error).message}); name one that can`]);
  });
  if (text.length > largeFile) collectGarbageSooner();
  const asWritten = sources.parse(file, text) as (Partial<RawDocument> & { swagger?: unknown }) | null;
  const version = asWritten?.openapi;
  if (typeof version !== 'string' || !/^3\.[01]\.\d+/.test(version)) {
    if (sources.faults.length === 0)
      sources.report([
        asWritten?.swagger === undefined
          ? { place: ['openapi'], message: 'this is not an OpenAPI 3.0 or 3.1 document; write openapi: 3.0.3' }
          : { place: ['swagger'], message: 'this is a Swagger 2.0 document; convert it to OpenAPI 3.0 or 3.1' },
      ]);
    throw new DocumentError(sources.faults);
  }
  const { bundled, faults } = await bundle(file, sources, asWritten as object);
  const document = dereference(bundled) as RawDocument;
  sources.report([...faults, ...endlessReferences(bundled), ...documentFaults(document)]);
  for (const check of checks) sources.report(check(document, asWritten as object));
  if (sources.faults.length > 0) throw new DocumentError(sources.faults);
  const leftOut = likePaths(document);
  for (const { path } of leftOut) delete document.paths?.[path];
  const warnings = leftOut.map(({ path, message }) => `${file}: ${message}; ${path} is left out`);
  return { ...modelOf(document), warnings };
}

const largeFile = 2 ** 20;

/**
 * A large document makes much garbage, which V8 keeps as long as the machine has memory: GitHub's description of 13 MB
 * took 390 MB to list its checks, and with these flags 215 MB and a tenth more time.
 */
function collectGarbageSooner(): void {
  setFlagsFromString('--heap-growing-percent=50');
  setFlagsFromString('--semi-space-growth-factor=1');
}

/** The document with only local references. */
async function bundle(
  file: string,
  sources: SourceFiles,
  content: object,
): Promise<{ bundled: object; faults: Iterable<Fault> }> {
  if (!referencesOf(content).some(({ reference }) => !isLocal(reference)))
    return { bundled: content, faults: brokenReferences(content) };
  const parser = new $RefParser<Record<string, unknown>>();
  const ours = {
    order: 1,
    allowEmpty: true,
    canParse: true,
    parse: ({ url, data }: { url: string; data: unknown }) => sources.parse(url, String(data)),
  };
  try {
    await parser.bundle(file, {
      continueOnError: true,
      parse: { ours, json: false, yaml: false, text: false, binary: false },
      resolve: { http: false },
    });
    return { bundled: parser.schema ?? {}, faults: [] };
  } catch (error) {
    if (!(error instanceof JSONParserErrorGroup)) throw error;
    return { bundled: parser.schema ?? {}, faults: error.errors.map(referenceFault) };
  }
}

/** A broken reference: the file cannot be read, or does not contain the target. */
function referenceFault({ message, path, ...rest }: JSONParserError | MissingPointerError): Fault {
  const place = [...(path ?? []), '$ref'];
  if ('targetRef' in rest) return brokenReference(place, rest.targetRef, String(rest.targetToken));
  const why = message.replaceAll(`${process.cwd()}/`, '').replace(/(, open '.*')?\.?$/, '');
  return { place, message: `the reference cannot be followed (${why}); let $ref name a file that can be read` };
}
