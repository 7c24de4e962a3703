/** Adds what keyboard and screen reader users need and Redoc omits: landmarks, heading levels, focus. */
export function makeAccessible(redoc: HTMLElement): void {
  const menu = redoc.querySelector('.menu-content');
  menu?.setAttribute('role', 'navigation');
  menu?.setAttribute('aria-label', 'Sections and operations');
  const toggle = redoc.querySelector<HTMLElement>('.menu-content + div');
  toggle?.setAttribute('role', 'button');
  toggle?.setAttribute('aria-label', 'Menu');
  toggle?.setAttribute('tabindex', '0');
  toggle?.addEventListener('keydown', ({ key }) => {
    if (key === 'Enter') toggle.click();
  });
  const content = redoc.querySelector('.api-content');
  content?.setAttribute('role', 'main');
  content?.setAttribute('id', 'content');
  content?.setAttribute('tabindex', '-1');
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
