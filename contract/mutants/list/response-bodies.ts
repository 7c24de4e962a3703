/** Bodies of responses that violate the document, contradict themselves, or differ from what is stored. */
import type { Mutant } from '../mutant.ts';
import { path, withSecret } from '../requests.ts';
import { type Body, breaking, changeOf, type Edits, firstBody, row } from '../rows.ts';

const hour = 3_600_000;
const shifted = (time: unknown, milliseconds: number) =>
  new Date(Date.parse(String(time)) + milliseconds).toISOString();
const now = () => new Date().toISOString();

const ofCase = (breaks: string, edit: Edits) => row(breaks, 'case 200', edit);

const againstTheDocument = [
  ...breaking('conformance.*.200.body conformance.rules.body-once', [
    row('enabled is a string', 'read 200', { set: { enabled: (value: string) => value } }),
    row('enabled is omitted while it is off', 'setting 200', {
      json: (body) => (body['enabled'] === true ? body : {}),
    }),
    row('enabled occurs twice', 'setting 200', { text: (body) => body.replace('{', '{"enabled":true,') }),
    row('successes are in an envelope', '* 200', { json: (data) => ({ data }) }),
    row('the body has a trailing comma', '* 200', { text: (body) => body.replace(/\}$/, ',}') }),
    ofCase('metadata is an array', { json: (body) => ({ ...body, metadata: [body['metadata']] }) }),
    ofCase('file_analysis_status has an unknown value', { set: { file_analysis_status: 'processing' } }),
    ofCase('locked_at is missing while the case is open', {
      set: { locked_at: (at: string) => (at === 'null' ? undefined : at) },
    }),
    ofCase('case_id is spelt as in the path', {
      json: (body, { path }) => ({ ...body, case_id: path.split(/[/?]/)[2] }),
    }),
    ofCase('a file that awaits its upload has no upload time', {
      file: (file) => (isAwaited(file) ? { uploaded_at: null } : {}),
    }),
    ofCase('analysis_status has spaces in place of underscores', {
      file: withStatus((status) => status.replaceAll('_', ' ')),
    }),
    ofCase('file_id occurs twice in each file', {
      text: (body) => body.replaceAll('"file_id":', '"file_id":"1","\\u0066ile_id":'),
    }),
    ofCase('a label is truncated within a UTF-8 character', {
      bytes: (body) => body.replace('"label":"', '"label":"\u00e2\u0082'),
    }),
  ]),
  ...breaking('conformance.*.body conformance.rules.body-once', [
    row('error_code is the status as a number', '* 4..', { set: { error_code: 400 } }),
    row('errors have no body', '* 4..', { text: () => '' }),
    row('error messages are in ISO 8859-1', '* 4..', {
      bytes: (body) => body.replace('"error_message":"', '"error_message":"\u00e9 '),
    }),
    row('the details of an invalid body are an array', 'update 400', {
      json: (body) => ({ ...body, error_details: body.error_details?.errors }),
    }),
    row('the field in the details is not that of the first error', 'update 400', {
      json: (body) => ({ ...body, error_details: { ...body.error_details, field: 'other' } }),
    }),
  ]),
];

function isAwaited(file: Body): boolean {
  return file['analysis_status'] === 'waiting_for_upload';
}

function withStatus(edit: (status: string) => string) {
  return (file: Body) => ({ analysis_status: edit(String(file['analysis_status'])) });
}

const analysed = (files: readonly Body[] = []) => files.filter((file) => file['analysis_completed_at'] !== null);

const againstTheCase = [
  ...breaking('4.3-O1.* conformance.getCase.200.* conformance.rules.case-*', [
    ofCase('analysis_status is misspelt', { file: withStatus((status) => status.replace('complete', 'completed')) }),
    ofCase('created_at is the same time in another zone than UTC', {
      set: { created_at: (at: string) => shifted(at, hour).replace('Z', '+01:00') },
    }),
    ofCase('is_locked without locked_at', { set: { is_locked: true, locked_at: null } }),
    ofCase('the completion time is the time of the read', {
      set: { file_analysis_completed_at: (_at: string, body: Body) => body['file_analysis_completed_at'] && now() },
    }),
    ofCase('the completion time is the time of the last change', {
      set: { file_analysis_completed_at: (at: string, body: Body) => (at === 'null' ? null : body['updated_at']) },
    }),
    ofCase('files were uploaded before their case was created', {
      file: (_file, _at, body) => ({ uploaded_at: shifted(body['created_at'], -1) }),
    }),
    ofCase('updated_at changes at each read', { set: { updated_at: now } }),
    ofCase('total_files is -1 for a case without files', {
      set: { total_files: (count: string) => Number(count) || -1 },
    }),
    ofCase('a case and its total_files are limited to three files', {
      json: ({ files = [], ...body }) => ({
        ...body,
        files: files.slice(0, 3),
        total_files: Math.min(3, files.length),
      }),
    }),
    ofCase('pending files are not listed', {
      json: (body) => ({ ...body, files: analysed(body.files), total_files: analysed(body.files).length }),
    }),
    ofCase('metadata is always an empty object', { set: { metadata: {} } }),
    ofCase('labels are cut after ten characters', { set: { label: (label: string) => label.slice(0, 10) } }),
    ofCase('a case without files gets 404', { only: /"total_files":0/, refuse: 404 }),
    row('the response is another case of the same organisation', 'case', {
      instead: (request, { credentials: { case_id: id, empty_case_id: other } }) => ({
        ...request,
        path: request.path.replace(id, other),
      }),
    }),
    row('a foreign token reads the first case', 'case by other_access_token', {
      instead: (request, { credentials: { access_token: token, case_id: id } }) =>
        withSecret({ ...request, path: `/cases/${id}` }, token),
    }),
    ofCase('the first case read is returned for every identifier', firstBody),
  ]),
  ...breaking('4.3-O1.as-given-*', [
    ofCase('accents are lost from labels', {
      set: { label: (label: string) => (label === 'null' ? null : label.normalize('NFD').replace(/\p{M}/gu, '')) },
    }),
    ofCase('white space at the ends of labels is lost', { text: (body) => body.replace(/("label":") +/g, '$1') }),
    ofCase('a file without a label is untitled', {
      text: (body) => body.replaceAll('"label":""', '"label":"untitled"'),
    }),
    ofCase('days in metadata become times', {
      json: ({ metadata, ...body }) => ({
        ...body,
        metadata: JSON.parse(JSON.stringify(metadata).replace(/"(\d{4}-\d\d-\d\d)"/g, '"$1T00:00:00.000Z"')) as unknown,
      }),
    }),
    row('an identifier of version 7 is not found', ['case 200', path(/-7[^-]*-[^-]*-[^-]*$/)], { refuse: 404 }),
    ofCase('members of metadata that are null are lost', {
      json: ({ metadata, ...body }) => ({
        ...body,
        metadata: Object.fromEntries(Object.entries(metadata as object).filter(([, value]) => value !== null)),
      }),
    }),
  ]),
  ...breaking('4.3-O1.as-given-* conformance.rules.case-relations', [
    ofCase('a case lists and counts at most 2,000 files', {
      json: ({ files = [], ...body }) => ({
        ...body,
        files: files.slice(0, 2000),
        total_files: Math.min(2000, files.length),
      }),
    }),
  ]),
  ...breaking('3.3-S1.waiting-for-upload', [
    ofCase('the first file is analysing before its upload', {
      file: (file, at) => (at === 0 && isAwaited(file) ? { analysis_status: 'analysing' } : {}),
    }),
  ]),
  ...breaking('3.4-S1.locked-by-the-operator', [
    ofCase('a locked case is open', { set: { is_locked: false, locked_at: null } }),
    ofCase('a case that was read before it was locked stays unlocked', {
      remember: () => {
        const first = new Map<string, Body>();
        return (response, request, server) => {
          const { path } = request;
          const { is_locked, locked_at } = first.get(path) ?? (JSON.parse(response.body) as Body);
          first.set(path, { is_locked, locked_at });
          return changeOf({ set: { is_locked, locked_at } })(response, request, server);
        };
      },
    }),
  ]),
  ...breaking('conformance.getCase.status 3.4-S1.*', [
    ofCase('a locked case is refused', { only: /"is_locked":true/, refuse: 409 }),
  ]),
];

export const responseBodyMutants: readonly Mutant[] = [...againstTheDocument, ...againstTheCase];
