/**
 * `npm run bench`: compares this server with its peers. `npm run bench -- NAME` runs another scenario: growth, footprint or
 * postgres. All are bounded, and none is in CI, because the figures depend on the machine.
 */
const scenarios = ['growth', 'footprint', 'postgres'];
const [name = ''] = process.argv.slice(2);
const isScenario = scenarios.includes(name);
if (isScenario) process.argv.splice(2, 1);
await import(isScenario ? `./${name}/main.ts` : './compare.ts');
