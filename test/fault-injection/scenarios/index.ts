import type { Scenario } from '../scenario.ts';
import { clockJumps } from './clock.ts';
import { diskFaulty, powerCut } from './faulty-disk.ts';
import { killedOnPostgres, killedOnSqlite } from './killed.ts';
import { killedPrimary, killedWorker } from './killed-workers.ts';
import { postgresConnectionsCut, postgresDiskFull, postgresPoolExhausted, postgresRestarted } from './postgres.ts';
import { redisRestarted } from './redis.ts';
import { databaseLocked, diskFull } from './sqlite.ts';

/** Every scenario. */
export const scenarios: readonly Scenario[] = [
  killedOnSqlite,
  killedOnPostgres,
  killedWorker,
  killedPrimary,
  ...postgresRestarted,
  postgresConnectionsCut,
  postgresPoolExhausted,
  postgresDiskFull,
  ...redisRestarted,
  diskFull,
  databaseLocked,
  diskFaulty,
  powerCut,
  ...clockJumps,
];
