/**
 * The single message of a bounded job to its parent: two lengths, an outcome in JSON, and bytes. The JSON is limited,
 * because parsing multiplies its size.
 */
import { writeFileSync } from 'node:fs';
import type { Readable } from 'node:stream';

const lengthsBytes = 8;
const maxOutcomeBytes = 64 * 1024;

export function send(descriptor: number, outcome: unknown, bytes: Uint8Array = Buffer.alloc(0)): void {
  const json = Buffer.from(JSON.stringify(outcome));
  const lengths = Buffer.alloc(lengthsBytes);
  lengths.writeUInt32LE(json.length, 0);
  lengths.writeUInt32LE(bytes.length, 4);
  for (const part of [lengths, json, bytes]) writeFileSync(descriptor, part);
}

/** The message of a job; undefined if the stream ends before it is complete. @throws {Error} unless it is one */
export async function receive(stream: Readable, maxBytes: number) {
  // Copied, because each of many small chunks would take far more memory than its bytes. What is not written takes none.
  const received = Buffer.alloc(lengthsBytes + maxOutcomeBytes + maxBytes);
  let filled = 0;
  for await (const chunk of chunksOf(stream)) {
    filled += chunk.copy(received, filled);
    if (filled < lengthsBytes) continue;
    const [outcomeBytes, bytes] = [received.readUInt32LE(0), received.readUInt32LE(4)];
    if (outcomeBytes === 0 || outcomeBytes > maxOutcomeBytes || bytes > maxBytes)
      throw new Error(`The job sent an outcome of ${outcomeBytes} bytes and ${bytes} more bytes.`);
    const bytesFrom = lengthsBytes + outcomeBytes;
    if (filled < bytesFrom + bytes) continue;
    const outcome = JSON.parse(received.toString('utf8', lengthsBytes, bytesFrom)) as unknown;
    return { outcome, bytes: received.subarray(bytesFrom, bytesFrom + bytes) };
  }
  return undefined;
}

async function* chunksOf(stream: Readable): AsyncIterable<Buffer> {
  try {
    yield* stream as AsyncIterable<Buffer>;
  } catch {
    // The stream was closed when the process ended.
  }
}
