// Processor time to refuse an invalid body with express-openapi-validator, unchanged and without stack traces. Both
// alternate in one process.
import { createRequire } from 'node:module';

const rounds = 7;
const requireHere = createRequire(import.meta.url);
const requireThere = createRequire(requireHere.resolve('express-openapi-validator'));
const { RequestValidator } = requireThere('./middlewares/openapi.request.validator');

const schema = {
  requestBody: {
    required: true,
    content: {
      'application/json': {
        schema: {
          type: 'object',
          required: ['enabled'],
          properties: { enabled: { type: 'boolean' } },
          additionalProperties: false,
        },
      },
    },
  },
};
const apiDoc = { openapi: '3.0.3', info: { title: 'case', version: '1' }, paths: { '/': { put: schema } } };
const validator = new RequestValidator(apiDoc, {
  allErrors: true,
  strict: false,
  formats: {},
  allowUnknownQueryParameters: true,
});

const nanoseconds = { 'as it is': [], 'without stack traces': [] };
// The first refusal compiles the schema.
time(() => refuse(12));
const limits = { 'as it is': Error.stackTraceLimit, 'without stack traces': 0 };
for (let round = 0; round < rounds; round += 1)
  for (const variant of Object.keys(nanoseconds)) {
    Error.stackTraceLimit = limits[variant];
    nanoseconds[variant].push(time(() => refuse(12)));
  }
Error.stackTraceLimit = limits['as it is'];
for (const [variant, sample] of Object.entries(nanoseconds))
  console.log(`${variant}: ${(median(sample) / 1000).toFixed(1)} µs a refusal`);
const pairs = nanoseconds['as it is'].map((each, index) => each / nanoseconds['without stack traces'][index]);
console.log(`ratio: ${median(pairs).toFixed(2)} (${Math.min(...pairs).toFixed(2)}–${Math.max(...pairs).toFixed(2)})`);

/** Nanoseconds of processor time per run, over as many runs as take 20 ms. */
function time(work) {
  for (let times = 4; ; times *= 2) {
    const before = process.cpuUsage();
    for (let index = 0; index < times; index += 1) work();
    const { user, system } = process.cpuUsage(before);
    if (user + system > 20_000) return ((user + system) * 1000) / times;
  }
}

/** Refuses at a call depth like that of an application. */
function refuse(depth) {
  if (depth > 0) {
    refuse(depth - 1);
    return;
  }
  const request = {
    method: 'PUT',
    path: '/',
    originalUrl: '/',
    headers: { 'content-type': 'application/json' },
    params: {},
    query: {},
    body: { enabled: 'true' },
    openapi: { expressRoute: '/', openApiRoute: '/', pathParams: {}, schema },
  };
  try {
    validator.validate(request, {}, () => {
      throw new Error('the body was taken');
    });
  } catch (error) {
    if (error.status !== 400) throw error;
  }
}

function median(sample) {
  return sample.toSorted((a, b) => a - b)[sample.length >> 1];
}
