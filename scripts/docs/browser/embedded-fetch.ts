/** The files of the index of the search by their paths, in base64; what bundles this file defines them. */
declare const embeddedFiles: Readonly<Record<string, string>>;

/** Reads the index for Pagefind where browsers refuse to fetch: in a folder that no server serves. */
export function fetch(address: string): Promise<Response> {
  const path = address.replace(/^.*\/pagefind\//, '').replace(/\?.*$/, '');
  const content = embeddedFiles[path];
  if (content === undefined) return Promise.reject(new Error(`The index of the search has no file ${path}.`));
  return Promise.resolve(new Response(Uint8Array.from(atob(content), (byte) => byte.charCodeAt(0))));
}
