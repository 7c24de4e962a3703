/** Adds what keyboard and screen reader users need and Redoc omits: landmarks, heading levels, focus, names of files. */
function makeAccessible(redoc: HTMLElement): void {
  const attributes: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    '.menu-content': { role: 'navigation', 'aria-label': 'Sections and operations' },
    '.menu-content + div': { role: 'button', 'aria-label': 'Menu', tabindex: '0' },
    '.api-content': { role: 'main', id: 'content', tabindex: '-1' },
    // Redoc saves every download as openapi.json.
    '[download][href="openapi.yaml"]': { download: 'openapi.yaml' },
  };
  for (const [selector, values] of Object.entries(attributes))
    for (const [name, value] of Object.entries(values)) redoc.querySelector(selector)?.setAttribute(name, value);
  const toggle = redoc.querySelector<HTMLElement>('.menu-content + div');
  toggle?.addEventListener('keydown', ({ key }) => {
    if (key === 'Enter') toggle.click();
  });
  // The requirements of an operation are behind a heading that opens only with a mouse.
  for (const heading of redoc.querySelectorAll('h5'))
    if (heading.textContent.startsWith('Authorizations')) heading.click();
  improve(redoc);
  new MutationObserver(() => {
    improve(redoc);
  }).observe(redoc, { childList: true, subtree: true });
}

/** Redoc re-renders some parts when a tab is selected, so this runs after each change. */
function improve(redoc: HTMLElement): void {
  for (const scrolled of redoc.querySelectorAll(':is(pre, table):not([tabindex])'))
    scrolled.setAttribute('tabindex', '0');
  for (const heading of redoc.querySelectorAll('h5:not([aria-level])'))
    heading.setAttribute('aria-level', heading.closest('div:has(> h3)') ? '4' : '3');
}

/** The theme is that which was chosen on another page of the site, where it is stored under this key, or the system's. */
function showTheme(): void {
  const chosen = localStorage.getItem('starlight-theme') ?? '';
  document.documentElement.dataset['theme'] = chosen || (darkSystem.matches ? 'dark' : 'light');
}

const darkSystem = matchMedia('(prefers-color-scheme: dark)');
darkSystem.addEventListener('change', showTheme);
showTheme();

declare const Redoc: {
  init(document: object, options: object, element: Element | null, onLoaded: () => void): void;
};

/**
 * The region is part of the URL, `?region=ca`, so that it can be linked to and is in the browser's history. The switch
 * consists of links, and a choice reloads the page, because Redoc cannot change its document.
 */
const links = [...document.querySelectorAll<HTMLAnchorElement>('[data-region]')];
const asked = new URLSearchParams(location.search).get('region');
const chosen = links.find((link) => link.dataset['region'] === asked) ?? links[0];
chosen?.setAttribute('aria-current', 'true');
for (const link of links)
  link.addEventListener('click', () => {
    // Keep the current section.
    link.hash = location.hash;
  });

const redoc = document.getElementById('redoc');
Redoc.init(readJson(`document-${chosen?.dataset['region'] ?? ''}`), readJson('options'), redoc, () => {
  if (redoc) makeAccessible(redoc);
});

/** The data that the page embeds under a name. */
function readJson(name: string): object {
  return JSON.parse(document.getElementById(name)?.textContent ?? '{}') as object;
}
