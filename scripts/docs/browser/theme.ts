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
