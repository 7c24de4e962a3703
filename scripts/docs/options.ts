import type { RedocRawOptions } from 'redoc/typings/services/RedocNormalizedOptions.js';

const ink = '#0f1b2d';
const paper = '#ffffff';
const accent = '#1b55ad';
const text = '#1c2736';
const sans = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", "DejaVu Sans", sans-serif';
const mono = 'ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", "DejaVu Sans Mono", monospace';

/** How Redoc shows the document: everything open, nothing fetched. The colours have a contrast of 4.5 and more. */
export const redocOptions: RedocRawOptions = {
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
      primary: { main: accent, light: accent },
      text: { primary: text, secondary: '#51607a' },
      border: { light: '#dfe5ee', dark: '#c5cedb' },
      responses: {
        success: { color: '#0b6b3a', backgroundColor: '#eaf6ef', tabTextColor: '#7ee2a8' },
        error: { color: '#b3261e', backgroundColor: '#fdf0ef', tabTextColor: '#ff9b93' },
      },
      http: { get: '#0f7a45', put: '#9a5b00' },
    },
    schema: {
      requireLabelColor: '#b3261e',
      typeNameColor: '#51607a',
      typeTitleColor: '#51607a',
      nestedBackground: '#f6f8fb',
    },
    typography: {
      fontSize: '15px',
      lineHeight: '1.6',
      fontFamily: sans,
      headings: { fontFamily: sans, fontWeight: '650' },
      code: { fontFamily: mono, fontSize: '13px', color: '#1a4f9c', backgroundColor: '#eef3fa' },
      links: { color: accent },
    },
    sidebar: { width: '272px', backgroundColor: ink, textColor: '#c9d4e5', activeTextColor: paper },
    rightPanel: { backgroundColor: ink, width: '42%' },
    codeBlock: { backgroundColor: '#16243a' },
    fab: { backgroundColor: accent, color: paper },
  },
};
