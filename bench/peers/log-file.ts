import { pino } from 'pino';

const sink = pino.destination({
  dest: String(process.env['LOG_FILE']),
  ...{ sync: false, contentMode: 'buffer', minLength: 16 * 1024, maxWrite: 32 * 1024, periodicFlush: 100 },
});

/** The log of a run: lines are written in batches of the same size as the program's own, as bytes. */
export const destination = { write: (line: string) => sink.write(Buffer.from(line) as unknown as string) };
