import type { RedocRawOptions } from 'redoc/typings/services/RedocNormalizedOptions.js';

/** The colours of the page, with a contrast of at least 4.5. */
const palettes = {
  light: {
    paper: '#ffffff',
    accent: '#1b55ad',
    text: '#1c2736',
    quiet: '#51607a',
    line: '#dfe5ee',
    strongLine: '#c5cedb',
    nested: '#f6f8fb',
    code: '#1a4f9c',
    codeBackground: '#eef3fa',
    success: '#0b6b3a',
    successBackground: '#eaf6ef',
    error: '#b3261e',
    errorBackground: '#fdf0ef',
  },
  dark: {
    paper: '#131b28',
    accent: '#8ab4ff',
    text: '#d7dfeb',
    quiet: '#a3b1c6',
    line: '#2a3850',
    strongLine: '#3b4c69',
    nested: '#1a2638',
    code: '#b9d2ff',
    codeBackground: '#1d2b42',
    success: '#7ee2a8',
    successBackground: '#14301f',
    error: '#ff9b93',
    errorBackground: '#3a1b1b',
  },
} as const;

const ink = '#0f1b2d';
const sans = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", "DejaVu Sans", sans-serif';
const mono = 'ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", "DejaVu Sans Mono", monospace';

/** Redoc's options: everything expanded, nothing fetched. */
export function redocOptions(theme: keyof typeof palettes): RedocRawOptions {
  const colour = palettes[theme];
  return {
    downloadUrls: [
      { title: 'openapi.yaml', url: 'openapi.yaml' },
      { title: 'openapi.json', url: 'openapi.json' },
    ],
    expandResponses: 'all',
    hideLoading: true,
    jsonSamplesExpandLevel: 'all',
    nativeScrollbars: true,
    schemasExpansionLevel: 'all',
    theme: {
      spacing: { sectionVertical: 28 },
      colors: {
        primary: { main: colour.accent, light: colour.accent },
        text: { primary: colour.text, secondary: colour.quiet },
        border: { light: colour.line, dark: colour.strongLine },
        responses: {
          success: { color: colour.success, backgroundColor: colour.successBackground, tabTextColor: '#7ee2a8' },
          error: { color: colour.error, backgroundColor: colour.errorBackground, tabTextColor: '#ff9b93' },
        },
        http: { get: '#0f7a45', put: '#9a5b00' },
      },
      schema: {
        linesColor: colour.strongLine,
        requireLabelColor: colour.error,
        typeNameColor: colour.quiet,
        typeTitleColor: colour.quiet,
        nestedBackground: colour.nested,
      },
      typography: {
        fontSize: '15px',
        lineHeight: '1.6',
        fontFamily: sans,
        headings: { fontFamily: sans, fontWeight: '650' },
        code: { fontFamily: mono, fontSize: '13px', color: colour.code, backgroundColor: colour.codeBackground },
        links: { color: colour.accent },
      },
      sidebar: {
        width: '272px',
        backgroundColor: colour.paper,
        textColor: colour.text,
        activeTextColor: colour.accent,
      },
      rightPanel: { backgroundColor: ink, width: '42%' },
      codeBlock: { backgroundColor: '#16243a' },
      fab: { backgroundColor: '#1b55ad', color: '#ffffff' },
    },
  };
}
