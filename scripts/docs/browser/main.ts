import { makeAccessible } from './accessibility.ts';

/**
 * The theme follows the system until one is chosen. The choice is shared with the other pages of the site, which store
 * it under this key. Redoc computes its colours at start, so another theme reloads the page.
 */
const key = 'starlight-theme';
const darkSystem = matchMedia('(prefers-color-scheme: dark)');

/** Applies the theme, and lets the reader choose another. */
export function showTheme(): 'light' | 'dark' {
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
export function chosenRegion(): string {
  const regions = links.map((link) => link.dataset['chooseRegion'] ?? '');
  const asked = new URLSearchParams(location.search).get('region') ?? '';
  return regions.includes(asked) ? asked : (regions[0] ?? '');
}

/**
 * Marks the region in the switch, shows its base addresses, and keeps the current section when another region is
 * chosen.
 */
export function showRegion(region: string): void {
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
export function readJson(name: string): object {
  return JSON.parse(document.getElementById(name)?.textContent ?? '{}') as object;
}
