import type { ApiDocument } from '../document/model.ts';
import { type Report, type Source, sources } from '../run/model.ts';

interface Planned {
  readonly target: string;
  readonly document: ApiDocument;
  readonly documentFile?: string | undefined;
  readonly seed: number;
  readonly promises?: readonly Source[] | undefined;
}

/** The report of a run that did not start, with the reason. */
export function reportWithoutRun(reason: string, planned: Planned): Report {
  const { target, document, documentFile, seed, promises = sources } = planned;
  return {
    target,
    ...(documentFile !== undefined && { documentFile }),
    title: document.title,
    version: document.version,
    startedAt: new Date().toISOString(),
    durationSeconds: 0,
    seed,
    promises,
    results: [],
    rules: [],
    problems: [reason],
    conforms: false,
  };
}
