/** Where the service publishes its documentation (decision D80), in addition to the documented operations. */
export const documentationPaths = ['/docs/', '/openapi.json', '/openapi.yaml'];

/** Whether a path is that of a public file that the document does not describe. */
export function isPublishedFile(path: string): boolean {
  const [plain = ''] = path.split('?');
  return documentationPaths.includes(plain) || /^\/(docs|thumbnails)\//.test(plain);
}
