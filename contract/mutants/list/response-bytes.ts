import type { Mutant, ProxiedResponse } from '../mutant.ts';
import { type Body, bodyMutants, eachFile, responseMutants } from '../tampering.ts';

const readCase = 'getCase 200';
const setting = 'getVerificationSetting|updateVerificationSetting 200';

/** Bytes that are not text, repeated members and headers, and times out of order. */
export const responseByteMutants: readonly Mutant[] = [
  ...responseMutants([
    [
      'errors-in-latin-1',
      'error messages are in ISO 8859-1',
      '* 4..',
      (response) => {
        sendBytes(
          response,
          Buffer.from(response.body.replace('"error_message":"', '"error_message":"\u00e9 '), 'latin1'),
        );
      },
    ],
    [
      'label-cut-within-a-letter',
      'a label is truncated within a UTF-8 character',
      readCase,
      (response) => {
        const [before = '', after = ''] = response.body.split(/(?<="label":")(.*)/s);
        sendBytes(response, Buffer.concat([Buffer.from(before), Buffer.from([0xe2, 0x82]), Buffer.from(after)]));
      },
    ],
    [
      'setting-twice',
      'enabled occurs twice in the body',
      setting,
      (response) => {
        response.body = response.body.replace(/^\{/, '{"enabled":true,');
      },
    ],
    [
      'file-id-twice',
      'file_id occurs twice in each file',
      readCase,
      (response) => {
        response.body = response.body.replaceAll('"file_id":', '"file_id":"1","\\u0066ile_id":');
      },
    ],
    [
      'error-code-twice',
      'error_code occurs twice in an error',
      '* 4..',
      (response) => {
        response.body = response.body.replace(/^\{/, '{"error_code":"request.refused",');
      },
    ],
    [
      'media-type-twice',
      'Content-Type is sent twice',
      '* 200',
      (response) => {
        response.headers['content-type'] = ['application/json', 'text/html'];
      },
    ],
    [
      'request-id-twice',
      'X-Request-Id is sent twice',
      '* ...',
      (response) => {
        response.headers['x-request-id'] = [String(response.headers['x-request-id']), 'second'];
      },
    ],
    [
      'retry-after-twice',
      'Retry-After is sent twice',
      '* 429',
      (response) => {
        response.headers['retry-after'] = [String(response.headers['retry-after']), '86400'];
      },
    ],
  ]),
  ...bodyMutants([
    [
      'case-of-february-30th',
      'updated_at is on February 30th',
      readCase,
      (body) => ({ ...body, updated_at: '2027-02-30T09:15:00.000Z' }),
    ],
    [
      'case-of-hour-24',
      'updated_at has the hour 24',
      readCase,
      (body) => ({ ...body, updated_at: '2099-01-01T24:00:00.000Z' }),
    ],
    [
      'uploaded-before-created',
      'files were uploaded before their case was created',
      readCase,
      (body) => earlier(body, 'uploaded_at', body.created_at),
    ],
    [
      'analysed-before-uploaded',
      'analyses ended before the upload',
      readCase,
      eachFile((file) => earlier(file, 'analysis_completed_at', file.uploaded_at)),
    ],
    [
      'locked-before-created',
      'a case was locked before it was created',
      readCase,
      (body) => ({ ...body, is_locked: true, locked_at: before(body.created_at) }),
    ],
    [
      'mime-type-of-extension',
      'mime_type is a file extension',
      readCase,
      eachFile((file) => ({ ...file, mime_type: 'pdf' })),
    ],
    [
      'mime-type-without-subtype',
      'mime_type has no subtype',
      readCase,
      eachFile((file) => ({ ...file, mime_type: 'application/' })),
    ],
    [
      'first-fault-misnamed',
      'error_details.field differs from the first error',
      '* 400',
      (body) => ({
        ...body,
        error_details: { ...body.error_details, field: 'somewhere' },
      }),
    ],
  ]),
];

function sendBytes(response: ProxiedResponse, bytes: Buffer): void {
  response.send = (outgoing) => {
    for (const [name, value] of Object.entries(response.headers))
      if (value !== undefined && !/^(connection|keep-alive|transfer-encoding|content-length)$/.test(name))
        outgoing.setHeader(name, value);
    outgoing.writeHead(response.status).end(bytes);
  };
}

function before(time: unknown): string {
  return new Date(Date.parse(String(time)) - 1).toISOString();
}

/** Sets this time of all files, or the one of the case, to a moment before the given time. */
function earlier(body: Body, name: 'uploaded_at' | 'analysis_completed_at', time: unknown): Body {
  const at = before(time);
  if (body.files) return { ...body, files: body.files.map((file) => ({ ...file, [name]: at })) };
  return body[name] === null ? body : { ...body, [name]: at };
}
