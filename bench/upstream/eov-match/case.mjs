// Processor time of the middleware that finds a request's route (applyOpenApiMetadata), unchanged and with
// pathToRegexp() cached by its arguments. Both alternate in one process; first, the routes that they find are compared.
import { createRequire } from 'node:module';

const rounds = 7;
const requireHere = createRequire(import.meta.url);
const requireThere = createRequire(requireHere.resolve('express-openapi-validator'));
const pathToRegexpModule = requireThere('path-to-regexp');
const { applyOpenApiMetadata } = requireThere('./middlewares/openapi.metadata');
const { OpenApiContext } = requireThere('./framework/openapi.context');
const { OpenApiSpecLoader } = requireThere('./framework/openapi.spec.loader');

const compile = pathToRegexpModule.pathToRegexp;
const kept = new Map();
const variants = {
  'as it is': compile,
  kept: (path, options) => {
    if (!kept.has(path)) kept.set(path, compile(path, options));
    return kept.get(path);
  },
};

for (const paths of [2, 20, 200]) {
  const spec = await new OpenApiSpecLoader({ apiDoc: documentOf(paths), validateApiSpec: false }).load();
  const middleware = applyOpenApiMetadata(new OpenApiContext(spec, undefined, true, false), null);
  const url = `/things${paths / 2 - 1}/5b1e`;
  const found = (variant) => {
    pathToRegexpModule.pathToRegexp = variants[variant];
    const request = { method: 'GET', path: url, url, originalUrl: url, baseUrl: '', app: { enabled: () => true } };
    middleware(request, {}, () => undefined);
    return request.openapi;
  };
  const [one, other] = Object.keys(variants).map((variant) => JSON.stringify(found(variant).pathParams));
  if (one !== '{"id":"5b1e"}' || one !== other) throw new Error(`${url} is ${one} and ${other}`);
  const nanoseconds = { 'as it is': [], kept: [] };
  for (let round = 0; round < rounds; round += 1)
    for (const variant of Object.keys(variants)) nanoseconds[variant].push(time(() => found(variant)));
  const pairs = nanoseconds['as it is'].map((each, index) => each / nanoseconds.kept[index]);
  console.log(
    `${paths} paths: ${(median(nanoseconds['as it is']) / 1000).toFixed(1)} µs as it is, ${(median(nanoseconds.kept) / 1000).toFixed(1)} µs kept`,
  );
  console.log(`ratio: ${median(pairs).toFixed(1)} (${Math.min(...pairs).toFixed(1)}–${Math.max(...pairs).toFixed(1)})`);
}

function documentOf(paths) {
  const operation = { responses: { 200: { description: 'found' } } };
  const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' } };
  const all = Array.from({ length: paths / 2 }, (_, index) => [
    [`/things${index}/settings`, { get: operation, put: operation }],
    [`/things${index}/{id}`, { get: { ...operation, parameters: [id] } }],
  ]);
  return structuredClone({
    openapi: '3.0.3',
    info: { title: 'case', version: '1' },
    paths: Object.fromEntries(all.flat()),
  });
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
