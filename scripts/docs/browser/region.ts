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
