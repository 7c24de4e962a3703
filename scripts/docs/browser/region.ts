/**
 * The region is a part of the address, `?region=ca`: it can be linked to, the browser's history knows it, and the switch is
 * made of plain links. Redoc cannot take another document once it runs, so a choice loads the page anew.
 */
const links = [...document.querySelectorAll<HTMLAnchorElement>('[data-choose-region]')];

/** The region that the address asks for, else the first. */
export function chosenRegion(): string {
  const regions = links.map((link) => link.dataset['chooseRegion'] ?? '');
  const asked = new URLSearchParams(location.search).get('region') ?? '';
  return regions.includes(asked) ? asked : (regions[0] ?? '');
}

/** Marks the region in the switch, shows its base addresses, and lets a choice stay at the section that is read. */
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
