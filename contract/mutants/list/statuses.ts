import type { ProxiedAnswer } from '../mutant.ts';
import { jsonOf } from '../requests.ts';
import { answerFaults } from '../tamper.ts';

/** Wrong statuses, with the rest of the answer as it was. */
export const statusFaults = answerFaults([
  ['update-answers-201', 'an update answers 201', 'updateVerificationSetting 200', status(201)],
  ['update-answers-202', 'an update answers 202', 'updateVerificationSetting 200', status(202)],
  ['update-answers-204', 'an update answers 204 without a body', 'updateVerificationSetting 200', emptied(204)],
  ['read-answers-206', 'a case with files is partial content', 'getCase 200', status(206)],
  ['errors-answer-200', 'errors are told in a 200', '* 4..', status(200)],
  ['unauthenticated-answers-403', 'an invalid credential is 403', '* 401', status(403)],
  [
    'unauthenticated-redirected',
    'an invalid credential leads to a login page',
    '* 401',
    (answer) => {
      Object.assign(answer, { status: 302 });
      answer.headers['location'] = '/login';
    },
  ],
  ['forbidden-answers-401', 'a missing permission is 401', '* 403', status(401)],
  ['forbidden-answers-404', 'a missing permission is 404', '* 403', status(404)],
  [
    'feature-off-answers-404',
    'a missing feature is 404',
    '* 403',
    (answer) => {
      if (answer.body.includes('feature-flag')) answer.status = 404;
    },
  ],
  [
    'case-not-found-answers-200',
    'a case that does not exist is an empty success',
    'getCase 404',
    (answer) => {
      Object.assign(answer, { status: 200, body: 'null' });
    },
  ],
  ['case-not-found-answers-403', 'a case that does not exist is 403', 'getCase 404', status(403)],
  ['case-not-found-answers-410', 'a case that does not exist is gone', 'getCase 404', status(410)],
  ['invalid-answers-422', 'an invalid body is 422', '* 400', status(422)],
  [
    'malformed-answers-500',
    'a body that is no JSON is an internal error',
    'updateVerificationSetting 400',
    (answer, request) => {
      if (request.body.length > 0 && jsonOf(request) === undefined) answer.status = 500;
    },
  ],
  ['too-large-answers-400', 'a body that is too large is 400', '* 413', status(400)],
  ['wrong-media-type-answers-400', 'another media type is 400', '* 415', status(400)],
  ['limited-answers-503', 'an exceeded limit is 503', '* 429', status(503)],
  ['failure-answers-200', 'an internal failure is a success', '* 500', status(200)],
  ['failure-answers-404', 'an internal failure is 404', '* 500', status(404)],
  ['unknown-path-answers-400', 'an unknown path is 400', 'none 404', status(400)],
  ['unknown-method-answers-404', 'an unknown method is 404', '* 405', status(404)],
  ['unknown-method-answers-501', 'an unknown method is 501', '* 405', status(501)],
]);

function status(code: number): (answer: ProxiedAnswer) => void {
  return (answer) => {
    answer.status = code;
  };
}

function emptied(code: number): (answer: ProxiedAnswer) => void {
  return (answer) => {
    Object.assign(answer, { status: code, body: '' });
    delete answer.headers['content-type'];
  };
}
