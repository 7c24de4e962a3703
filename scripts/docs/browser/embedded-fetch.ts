/** The files of the search index by path, in base64; the bundler defines them. */
declare const embeddedFiles: Readonly<Record<string, string>>;

/** Reads the index for Pagefind where browsers do not allow fetch: in a folder that is opened without a server. */
export function fetch(address: string): Promise<Response> {
  const path = address.replace(/^.*\/pagefind\//, '').replace(/\?.*$/, '');
  const content = embeddedFiles[path];
  if (content === undefined) return Promise.reject(new Error(`The index of the search has no file ${path}.`));
  return Promise.resolve(new Response(Uint8Array.from(atob(content), (byte) => byte.charCodeAt(0))));
}
