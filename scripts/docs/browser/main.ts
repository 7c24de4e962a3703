/** Adds what keyboard and screen reader users need and Redoc omits: landmarks, heading levels, focus. */
function makeAccessible(redoc: HTMLElement): void {
  const attributes: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    '.menu-content': { role: 'navigation', 'aria-label': 'Sections and operations' },
    '.menu-content + div': { role: 'button', 'aria-label': 'Menu', tabindex: '0' },
    '.api-content': { role: 'main', id: 'content', tabindex: '-1' },
  };
  for (const [selector, values] of Object.entries(attributes))
    for (const [name, value] of Object.entries(values)) redoc.querySelector(selector)?.setAttribute(name, value);
  const toggle = redoc.querySelector<HTMLElement>('.menu-content + div');
  toggle?.addEventListener('keydown', ({ key }) => {
    if (key === 'Enter') toggle.click();
  });
  openSecurity(redoc);
  improve(redoc);
  new MutationObserver(() => {
    improve(redoc);
  }).observe(redoc, { childList: true, subtree: true });
}

/** Redoc re-renders some parts when a tab is selected, so this runs after each change. */
function improve(redoc: HTMLElement): void {
  for (const sample of redoc.querySelectorAll('pre:not([tabindex])')) sample.setAttribute('tabindex', '0');
  for (const heading of redoc.querySelectorAll('h5:not([aria-level])'))
    heading.setAttribute('aria-level', heading.closest('div:has(> h3)') ? '4' : '3');
}

/** The requirements of an operation are behind a heading that opens only with a mouse. */
function openSecurity(redoc: HTMLElement): void {
  for (const heading of redoc.querySelectorAll('h5'))
    if (heading.textContent.startsWith('Authorizations')) heading.click();
}

/**
 * The theme follows the system until one is chosen. The choice is shared with the other pages of the site, which store
 * it under this key. Redoc computes its colours at start, so another theme reloads the page.
 */
const key = 'starlight-theme';
const darkSystem = matchMedia('(prefers-color-scheme: dark)');

/** Applies the theme, and lets the reader choose another. */
function showTheme(): 'light' | 'dark' {
  const chosen = localStorage.getItem(key) ?? '';
  const theme = chosen === 'light' || chosen === 'dark' ? chosen : systemTheme();
  document.documentElement.dataset['theme'] = theme;
  const select = document.querySelector<HTMLSelectElement>('select.theme');
  if (select) {
    select.value = chosen || 'auto';
    select.addEventListener('change', () => {
      localStorage.setItem(key, select.value === 'auto' ? '' : select.value);
      location.reload();
    });
  }
  darkSystem.addEventListener('change', () => {
    if (systemTheme() !== theme && !chosen) location.reload();
  });
  return theme;
}

function systemTheme(): 'light' | 'dark' {
  return darkSystem.matches ? 'dark' : 'light';
}

/**
 * The region is part of the URL, `?region=ca`, so that it can be linked to and is in the browser's history; the switch
 * consists of plain links. Redoc cannot change its document while it runs, so a choice reloads the page.
 */
const links = [...document.querySelectorAll<HTMLAnchorElement>('[data-choose-region]')];

/** The region in the URL, else the first. */
function chosenRegion(): string {
  const regions = links.map((link) => link.dataset['chooseRegion'] ?? '');
  const asked = new URLSearchParams(location.search).get('region') ?? '';
  return regions.includes(asked) ? asked : (regions[0] ?? '');
}

/** Marks the region in the switch, shows its base addresses, and keeps the section for another region. */
function showRegion(region: string): void {
  for (const link of links) {
    if (link.dataset['chooseRegion'] === region) link.setAttribute('aria-current', 'true');
    link.addEventListener('click', () => {
      link.hash = location.hash;
    });
  }
  for (const addresses of document.querySelectorAll<HTMLElement>('[data-region]'))
    addresses.hidden = addresses.dataset['region'] !== region;
}

declare const Redoc: {
  init(document: object, options: object, element: Element | null, onLoaded: () => void): void;
};

const region = chosenRegion();
const redoc = document.getElementById('redoc');

showRegion(region);
Redoc.init(
  readJson(`document-${region}`),
  {
    ...readJson(`options-${showTheme()}`),
    scrollYOffset: () => Number.parseInt(getComputedStyle(document.documentElement).getPropertyValue('--bars')),
  },
  redoc,
  () => {
    if (redoc) makeAccessible(redoc);
  },
);

/** The data that the page embeds under a name. */
function readJson(name: string): object {
  return JSON.parse(document.getElementById(name)?.textContent ?? '{}') as object;
}
