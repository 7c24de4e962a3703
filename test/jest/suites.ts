/**
 * The suites of tests, as folders. `npm test` runs the first: whatever needs one process and is quick. Those that start
 * processes, wait, or need tools of their own have commands of their own in package.json.
 */
export const suites = {
  main: ['client', 'contract', 'faults', 'identity-provider', 'rate-limits', 'store', 'unit'],
  processes: ['processes'],
  'contract-suite': ['contract-suite'],
  docs: ['browser', 'docs', 'release'],
  services: ['services'],
  package: ['package'],
  image: ['image'],
} as const;
