/**
 * The theme follows the system until one is chosen. The choice is the one of the other pages of the site, which keep it under
 * this key. Redoc computes its colours when it starts, so another theme loads the page anew.
 */
const key = 'starlight-theme';
const darkSystem = matchMedia('(prefers-color-scheme: dark)');

/** Shows the page in its theme, with the choice of another. */
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
