import { type FileThumbnail, type LeftoverStore, rangeOf, thumbnailsOfPage } from '../leftover-store.ts';
import type { Connection } from './connection.ts';
import { prepared } from './statement.ts';

/** An arbitrary key that no other program on the same database uses for a lock. */
export const lockKey = 7_305_804_419;

/** Transactions that add files share this lock, so that no content is removed between its check and the commit. */
export const shareContents = prepared(`SELECT pg_advisory_xact_lock_shared(${lockKey})`);
const holdContents = prepared(`SELECT pg_advisory_xact_lock(${lockKey})`);

const findLast = prepared('SELECT max(uploaded_at) AS last FROM analysis');
const listContents = prepared(`
  SELECT DISTINCT content_sha256 FROM analysis WHERE content_sha256 >= $1 AND content_sha256 < $2
  ORDER BY content_sha256`);
const listThumbnails = prepared(`
  SELECT file_id, thumbnail_url FROM case_file WHERE file_id > $1 ORDER BY file_id LIMIT ${thumbnailsOfPage}`);
const listNamed = prepared('SELECT DISTINCT content_sha256 FROM analysis WHERE content_sha256 = ANY ($1)');

interface Content {
  content_sha256: Buffer;
}

export function leftoverStore(connection: Connection): LeftoverStore {
  return {
    readLastUpload: async () => (await connection.query<{ last: string | null }>(findLast)).rows[0]?.last ?? undefined,

    listContents: async (firstByte) => {
      const { rows } = await connection.query<Content & object>(listContents, rangeOf(firstByte));
      return rows.map((row) => row.content_sha256);
    },

    listThumbnails: async (afterFile) =>
      (await connection.query<FileThumbnail & object>(listThumbnails, [afterFile])).rows,

    removeUnnamed: (sha256s, remove) =>
      connection.write(async (query) => {
        await query(holdContents);
        const { rows } = await query<Content & object>(listNamed, [sha256s]);
        const named = new Set(rows.map((row) => row.content_sha256.toString('hex')));
        for (const sha256 of sha256s) if (!named.has(Buffer.from(sha256).toString('hex'))) remove(sha256);
      }),
  };
}
