// Processor time until express-openapi-validator is ready with `validateApiSpec: false`, unchanged and without
// compiling the meta schema of OpenAPI, which that option makes useless. The variants alternate, each in processes of
// its own.
import { fork } from 'node:child_process';
import { createRequire } from 'node:module';

const rounds = 7;
const requireHere = createRequire(import.meta.url);

if (process.send) await start(process.argv[2]);
else await compare();

async function start(variant) {
  const requireThere = createRequire(requireHere.resolve('express-openapi-validator'));
  const { middleware } = requireHere('express-openapi-validator');
  if (variant === 'without the meta schema')
    requireThere('./framework/openapi.schema.validator').OpenAPISchemaValidator = function () {};
  const before = process.cpuUsage();
  const apiSpec = {
    openapi: '3.0.3',
    info: { title: 'case', version: '1' },
    paths: { '/': { get: { responses: {} } } },
  };
  const [ready] = middleware({ apiSpec, validateApiSpec: false });
  await new Promise((resolve, reject) =>
    ready({ app: { param: () => undefined } }, {}, (error) => (error ? reject(error) : resolve())),
  );
  const { user, system } = process.cpuUsage(before);
  const memoryMiB = process.memoryUsage().rss / 2 ** 20;
  process.send({ milliseconds: (user + system) / 1000, memoryMiB }, () => process.disconnect());
}

async function compare() {
  const seen = { 'as it is': [], 'without the meta schema': [] };
  for (let round = 0; round < rounds; round += 1)
    for (const variant of Object.keys(seen))
      seen[variant].push(
        await new Promise((resolve) => fork(import.meta.filename, [variant]).once('message', resolve)),
      );
  for (const [variant, sample] of Object.entries(seen))
    console.log(
      `${variant}: ${median(sample.map(({ milliseconds }) => milliseconds)).toFixed(0)} ms of processor time, ` +
        `then ${median(sample.map(({ memoryMiB }) => memoryMiB)).toFixed(0)} MiB`,
    );
  const pairs = seen['as it is'].map(
    (each, index) => each.milliseconds / seen['without the meta schema'][index].milliseconds,
  );
  console.log(`ratio: ${median(pairs).toFixed(1)} (${Math.min(...pairs).toFixed(1)}–${Math.max(...pairs).toFixed(1)})`);
}

function median(sample) {
  return sample.toSorted((a, b) => a - b)[sample.length >> 1];
}
