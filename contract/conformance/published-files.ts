/** Where the service publishes its own documentation (decision D80), beside the operations that the document describes. */
export const documentationPaths = ['/docs/', '/openapi.json', '/openapi.yaml'];

/** Whether a path is that of a file which anybody may read, and the document says nothing of. */
export function isPublishedFile(path: string): boolean {
  const [plain = ''] = path.split('?');
  return documentationPaths.includes(plain) || /^\/(docs|thumbnails)\//.test(plain);
}
