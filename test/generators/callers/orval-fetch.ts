const baseUrls = { api: '', cases: '' };

/** Chooses the servers to call. Orval's clients know paths alone. */
export function setBaseUrls(urls: typeof baseUrls): void {
  Object.assign(baseUrls, urls);
}

/** How orval's client sends a request: its own template, with a base address. */
export async function orvalFetch<T>(path: string, options: RequestInit): Promise<T> {
  const response = await fetch((path.startsWith('/cases/') ? baseUrls.cases : baseUrls.api) + path, options);
  return { data: await response.json(), status: response.status, headers: response.headers } as T;
}
