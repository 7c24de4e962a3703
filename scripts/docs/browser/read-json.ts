/** The data that the page embeds under a name. */
export function readJson(name: string): object {
  return JSON.parse(document.getElementById(name)?.textContent ?? '{}') as object;
}
