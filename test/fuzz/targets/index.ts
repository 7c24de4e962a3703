import type { OpenTarget } from '../fuzz-target.ts';

/** The parsers that strangers reach. Each target loads its own program only. */
export const targets: Readonly<Record<string, () => Promise<OpenTarget>>> = {
  'request-heads': async () => (await import('./requests.ts')).openRequestHeads,
  'request-bodies': async () => (await import('./requests.ts')).openRequestBodies,
  pdfs: async () => (await import('./documents.ts')).openPdfs,
  thumbnails: async () => (await import('./documents.ts')).openThumbnails,
  'bulk-files': async () => (await import('./imports.ts')).openBulkFiles,
  'case-imports': async () => (await import('./imports.ts')).openCaseImports,
};

/** Makes a target ready. */
export async function openTarget(name: string) {
  const load = targets[name];
  if (!load) throw new Error(`no target is named ${name}`);
  return (await load())();
}
