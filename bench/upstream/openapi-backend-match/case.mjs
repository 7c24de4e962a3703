// Processor time of OpenAPIRouter.matchOperation(), unchanged and with the operations and path patterns prepared once.
// Both alternate in one process; first, the responses are compared.
import { createRequire } from 'node:module';

const { OpenAPIRouter } = createRequire(import.meta.url)('openapi-backend/router.js');
const rounds = 7;

class PreparedRouter extends OpenAPIRouter {
  getOperations() {
    this.operations ??= super.getOperations();
    return this.operations;
  }

  matchOperation(request, strict) {
    this.patterns ??= this.getOperations().map(({ path }) => new RegExp(`^${path.replace(/\{[^}]+\}/g, '[^/]+')}$`));
    const normalised = this.normalizeRequest(request);
    const path = this.normalizePath(normalised.path);
    const operations = this.getOperations();
    const exact = operations.find((each) => each.path === path && each.method === normalised.method);
    if (exact) return exact;
    const matches = operations.filter((_, index) => this.patterns[index].test(path));
    const lengthOf = ({ path: template }) => template.replace(/\{.*?\}/g, '').length;
    const found = matches.sort((a, b) => lengthOf(b) - lengthOf(a)).find(({ method }) => method === normalised.method);
    return found ?? super.matchOperation(request, strict);
  }
}

for (const paths of [2, 20, 200]) {
  const definition = documentOf(paths);
  const routers = { 'as it is': new OpenAPIRouter({ definition }), prepared: new PreparedRouter({ definition }) };
  for (const [what, path] of [
    ['exact path', '/things0/settings'],
    ['path with a parameter', `/things${paths / 2 - 1}/5b1e`],
  ]) {
    const request = { method: 'GET', path, headers: {} };
    const [one, other] = Object.values(routers).map((router) => router.matchOperation(request)?.operationId);
    if (one === undefined || one !== other) throw new Error(`${path} is ${one} and ${other}`);
    const nanoseconds = { 'as it is': [], prepared: [] };
    for (let round = 0; round < rounds; round += 1)
      for (const [variant, router] of Object.entries(routers))
        nanoseconds[variant].push(time(() => router.matchOperation(request)));
    const pairs = nanoseconds['as it is'].map((each, index) => each / nanoseconds.prepared[index]);
    console.log(
      `${paths} paths, ${what}: ${(median(nanoseconds['as it is']) / 1000).toFixed(1)} µs as it is, ` +
        `${(median(nanoseconds.prepared) / 1000).toFixed(1)} µs prepared`,
    );
    console.log(
      `ratio: ${median(pairs).toFixed(1)} (${Math.min(...pairs).toFixed(1)}–${Math.max(...pairs).toFixed(1)})`,
    );
  }
}

function documentOf(paths) {
  const operation = (operationId) => ({ operationId, responses: { 200: { description: 'found' } } });
  const all = Array.from({ length: paths / 2 }, (_, index) => [
    [`/things${index}/settings`, { get: operation(`settings${index}`), put: operation(`change${index}`) }],
    [`/things${index}/{id}`, { get: operation(`read${index}`) }],
  ]);
  return { openapi: '3.0.3', info: { title: 'case', version: '1' }, paths: Object.fromEntries(all.flat()) };
}

/** Nanoseconds of processor time per run, over as many runs as take 20 ms. */
function time(work) {
  for (let times = 4; ; times *= 2) {
    const before = process.cpuUsage();
    for (let index = 0; index < times; index += 1) work();
    const { user, system } = process.cpuUsage(before);
    if (user + system > 20_000) return ((user + system) * 1000) / times;
  }
}

function median(sample) {
  return sample.toSorted((a, b) => a - b)[sample.length >> 1];
}
