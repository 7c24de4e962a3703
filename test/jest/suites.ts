/**
 * The suites of tests, as folders. `npm test` runs the first: whatever needs one process and is quick. Those that start
 * processes, wait, or need tools of their own have commands of their own in package.json.
 */
export const suites = {
  main: ['client', 'contract', 'identity-provider', 'rate-limits', 'resilience', 'store', 'unit'],
  processes: ['processes'],
  'contract-suite': ['contract-suite'],
  docs: ['browser', 'collections', 'docs', 'release'],
  services: ['services'],
  package: ['package'],
  image: ['image'],
  exercises: ['exercises'],
} as const;
