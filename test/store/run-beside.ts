import pg from 'pg';

/** Runs a statement on a PostgreSQL database beside the program, as another program would. */
export async function runBeside(url: string, statement: string): Promise<pg.QueryResult> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return await client.query(statement);
  } finally {
    await client.end();
  }
}
