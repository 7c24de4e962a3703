/** The guides of the site in the order of its navigation; each is `docs/NAME.md`. */
export const guideGroups: readonly { readonly label: string; readonly guides: readonly string[] }[] = [
  { label: 'Call the API', guides: ['concepts', 'client', 'generated-clients'] },
  { label: 'Check a server', guides: ['contract-testing', 'mock-and-proxy', 'other-documents', 'operator'] },
  { label: 'Run the service', guides: ['operating', 'analysis', 'observability', 'performance'] },
  {
    label: 'Change the API',
    guides: ['tour', 'architecture', 'adding-an-operation', 'releasing', 'publishing-documentation', 'decisions'],
  },
  { label: 'How it is tested', guides: ['fault-injection', 'fuzzing', 'load', 'mutants', 'peers', 'mutation-testing'] },
];
