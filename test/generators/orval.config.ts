/** Orval's options that its command line does not have: how a request is sent. */
export default {
  client: {
    input: { target: '../../dist/docs/openapi.yaml' },
    output: {
      target: 'out/orval/client.ts',
      client: 'fetch',
      override: { mutator: { path: 'callers/orval-fetch.ts', name: 'orvalFetch' } },
    },
  },
};
