import { isOperation, secretOf, withSecret } from '../requests.ts';
import { type Body, bodyMutants, handlerMutants } from '../tampering.ts';

const readCase = 'getCase 200';

/** Files of a case that are too few, too many, in another order, or of another case. */
export const fileMutants = [
  ...bodyMutants([
    [
      'total-files-one-too-many',
      'total_files is one too high',
      readCase,
      (body) => ({ ...body, total_files: Number(body.total_files) + 1 }),
    ],
    [
      'total-files-negative',
      'total_files is -1 for a case without files',
      readCase,
      (body) => ({ ...body, total_files: body.total_files || -1 }),
    ],
    [
      'files-truncated',
      'files has only the first two files',
      readCase,
      (body) => ({ ...body, files: body.files?.slice(0, 2) }),
    ],
    [
      'files-capped',
      'a case and its total_files are limited to three files',
      readCase,
      (body) => ({ ...body, files: body.files?.slice(0, 3), total_files: Math.min(3, Number(body.total_files)) }),
    ],
    [
      'file-not-waiting-for-upload',
      'the first file of a case is analysing before its content is uploaded',
      readCase,
      (body) => ({
        ...body,
        files: body.files?.map((file, index) =>
          index === 0 && file.analysis_status === 'waiting_for_upload'
            ? { ...file, analysis_status: 'analysing' }
            : file,
        ),
      }),
    ],
    ['metadata-emptied', 'metadata is always an empty object', readCase, (body) => ({ ...body, metadata: {} })],
    [
      'files-reversed',
      'files is sorted from the newest upload to the oldest',
      readCase,
      (body) => ({ ...body, files: body.files?.toReversed() }),
    ],
    [
      'file-listed-twice',
      'the last file is listed twice',
      readCase,
      (body) => ({
        ...body,
        files: body.files?.concat(body.files.slice(-1)),
        total_files: Number(body.total_files) + Math.min(1, Number(body.total_files)),
      }),
    ],
    [
      'files-share-an-id',
      'all files have the file_id of the first',
      readCase,
      (body) => ({ ...body, files: body.files?.map((file) => ({ ...file, file_id: body.files?.[0]?.file_id })) }),
    ],
  ]),
  ...handlerMutants([
    [
      'lock-seen-late',
      'a case that was read before it was locked stays unlocked',
      ({ forward }) => {
        const firstBodies = new Map<string, Body>();
        return async (request) => {
          const response = await forward(request);
          if (!isOperation('getCase', request) || response.status !== 200) return response;
          const body = JSON.parse(response.body) as Body;
          const { is_locked: locked, locked_at: at } = firstBodies.get(request.path) ?? body;
          firstBodies.set(request.path, { is_locked: locked, locked_at: at });
          return { ...response, body: JSON.stringify({ ...body, is_locked: locked, locked_at: at }) };
        };
      },
    ],
    [
      'files-in-changing-order',
      'every second read returns the files in another order',
      ({ forward }) => {
        let readings = 0;
        return async (request) => {
          const response = await forward(request);
          if (!isOperation('getCase', request) || response.status !== 200) return response;
          const body = JSON.parse(response.body) as Body;
          if ((readings += 1) % 2 === 0) response.body = JSON.stringify({ ...body, files: body.files?.toReversed() });
          return response;
        };
      },
    ],
    [
      'another-case-returned',
      'the response is another case of the same organisation',
      ({ forward, credentials }) =>
        (request) =>
          forward(
            isOperation('getCase', request)
              ? { ...request, path: request.path.replace(credentials.case_id, credentials.empty_case_id) }
              : request,
          ),
    ],
    [
      'case-of-the-first-caller',
      'a token of another organisation reads the case of the first',
      ({ forward, credentials }) =>
        async (request) =>
          isOperation('getCase', request) && secretOf(request) === credentials.other_access_token
            ? forward({ ...withSecret(request, credentials.access_token), path: `/cases/${credentials.case_id}` })
            : forward(request),
    ],
  ]),
];
