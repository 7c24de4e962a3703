import type { FuzzTarget, OpenTarget } from '../fuzz-target.ts';

/** The parsers that strangers reach. Each target loads its own program only. */
export const targets: Readonly<Record<string, OpenTarget>> = {
  'request-heads': async () => (await import('./requests.ts')).openRequestHeads(),
  'request-bodies': async () => (await import('./requests.ts')).openRequestBodies(),
  pdfs: async () => (await import('./documents.ts')).openPdfs(),
  thumbnails: async () => (await import('./documents.ts')).openThumbnails(),
  'bulk-files': async () => (await import('./imports.ts')).openBulkFiles(),
  'case-imports': async () => (await import('./imports.ts')).openCaseImports(),
};

/** Makes a target ready. */
export function openTarget(name: string): Promise<FuzzTarget> {
  const { [name]: open } = targets;
  if (!open) throw new Error(`no target is named ${name}`);
  return open();
}
