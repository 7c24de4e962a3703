/** compose.yaml is held here to what its head says, because most machines that run the tests have no container engine. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';

interface Service {
  environment?: Record<string, unknown>;
  networks: string[];
  command?: string[];
  ports?: string[];
  volumes?: string[];
}

const { services, networks } = parse(readFileSync('compose.yaml', 'utf8'), { merge: true }) as {
  services: Record<string, Service>;
  networks: Record<string, { internal?: boolean } | null>;
};

describe('compose.yaml', () => {
  test('gives the proxy every address that its configuration asks for, and none that it does not know', () => {
    const asked = [...readFileSync('deploy/haproxy.cfg', 'utf8').matchAll(/"\$\{(\w+)\}"/g)].map(([, name]) => name);
    expect(Object.keys(services['proxy']?.environment ?? {}).sort()).toEqual([...new Set(asked)].sort());
  });

  test.each(Object.entries(services))(
    '%s writes nowhere but where it is told to, and has no privileges',
    (_name, service) => {
      expect(service).toMatchObject({
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
        init: true,
      });
    },
  );

  test.each(['uk', 'ca'])('keeps the data stores of %s to its own servers', (region) => {
    const inside = Object.entries(services).filter(([, service]) => service.networks.includes(`${region}-data`));
    const own = ['1', '2', 'postgres', 'valkey'].map((name) => `${region}-${name}`);
    expect(inside.map(([name]) => name).sort()).toEqual(own);
    expect(networks[`${region}-data`]?.internal).toBe(true);
    for (const name of ['postgres', 'valkey'])
      expect(services[`${region}-${name}`]?.networks).toEqual([`${region}-data`]);
    for (const server of ['1', '2'])
      expect(services[`${region}-${server}`]?.environment).toMatchObject({
        REGION: region,
        DATABASE_URL: expect.stringContaining(`@${region}-postgres:`),
        REDIS_URL: `redis://${region}-valkey:6379/0`,
      });
  });

  test.each(['uk', 'ca'])('gives the servers of %s, and them alone, the files of the region', (region) => {
    const holders = Object.entries(services).filter(([, { volumes }]) => volumes?.includes(`${region}-files:/data`));
    expect(holders.map(([name]) => name).sort()).toEqual([`${region}-1`, `${region}-2`]);
  });

  test('opens the proxy alone to the world, and writes no password down', () => {
    expect(Object.entries(services).flatMap(([name, { ports }]) => (ports ? [name] : []))).toEqual(['proxy']);
    for (const [, name, value] of readFileSync('compose.yaml', 'utf8').matchAll(/(\w*PASSWORD): (.*)/g))
      expect([name, value]).toEqual(['POSTGRES_PASSWORD', expect.stringMatching(/^\$\{(UK|CA)_DATABASE_PASSWORD:\?/)]);
  });
});
