import type { Scenario } from '../scenario.js';
import { clockBack } from './clock.js';
import { killedOnPostgres, killedOnSqlite } from './killed.js';
import { killedPrimary, killedWorker } from './killed-workers.js';
import { postgresConnectionsCut, postgresDiskFull, postgresPoolExhausted, postgresRestarted } from './postgres.js';
import { redisRestarted } from './redis.js';
import { databaseLocked, diskFull } from './sqlite.js';

/** Every fault that the program is held to survive. */
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
  clockBack,
];
