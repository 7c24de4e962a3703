import { errorAnswer, isOperation, secretOf, withSecret } from '../requests.ts';
import { answerFaults, handlerFaults } from '../tamper.ts';

/** Organisations that see of each other what they must not. */
export const tenancyFaults = [
  ...handlerFaults([
    [
      'foreign-case-readable',
      "a case is found whoever's it is",
      ({ forward, credentials }) =>
        async (request) => {
          const answer = await forward(request);
          if (answer.status !== 404 || !isOperation('getCase', request)) return answer;
          const other = await forward(withSecret(request, credentials.other_access_token));
          return other.status === 200 ? other : forward(withSecret(request, credentials.access_token));
        },
    ],
    [
      'foreign-case-readable-in-capitals',
      'the owner of a case is asked for by the very spelling of its id',
      ({ forward, credentials }) =>
        async (request) => {
          const answer = await forward(request);
          const oddSpelling = request.path !== request.path.toLowerCase();
          return answer.status === 404 && isOperation('getCase', request) && oddSpelling
            ? forward(withSecret(request, credentials.other_access_token))
            : answer;
        },
    ],
    [
      'foreign-case-disclosed-by-status',
      "another organisation's case is 403",
      ({ forward, credentials }) =>
        async (request) => {
          const answer = await forward(request);
          return answer.status === 404 && request.path.includes(credentials.other_case_id)
            ? errorAnswer(answer, 403, 'request.forbidden')
            : answer;
        },
    ],
    [
      'foreign-case-disclosed-by-message',
      "the message tells that the case is another organisation's",
      ({ forward, credentials }) =>
        async (request) => {
          const answer = await forward(request);
          if (answer.status === 404 && request.path.includes(credentials.other_case_id))
            answer.body = answer.body.replace('no such case', 'a case of another organisation');
          return answer;
        },
    ],
    [
      'foreign-case-disclosed-by-header',
      'a header tells that the case exists',
      ({ forward, credentials }) =>
        async (request) => {
          const answer = await forward(request);
          if (answer.status === 404 && request.path.includes(credentials.other_case_id)) answer.headers['etag'] = '"1"';
          return answer;
        },
    ],
    [
      'foreign-case-disclosed-by-details',
      'error_details tells an unknown identifier from a wrong one',
      ({ forward }) =>
        async (request) => {
          const answer = await forward(request);
          if (answer.status === 404 && isOperation('getCase', request) && !/[\da-f]{8}-[\da-f]{4}-/i.test(request.path))
            answer.body = answer.body.replace(/\}$/, ',"error_details":{"field":"id"}}');
          return answer;
        },
    ],
    [
      'setting-of-each-key',
      'each key has a setting of its own',
      ({ forward, credentials }) => {
        let held: string | undefined;
        return async (request) => {
          const answer = await forward(request);
          if (answer.status !== 200 || !isOperation('getVerificationSetting', request)) return answer;
          if (secretOf(request) !== credentials.member_key) return answer;
          answer.body = held ??= answer.body;
          return answer;
        };
      },
    ],
  ]),
  ...answerFaults([
    [
      'foreign-token-refused',
      'the token of a second organisation is not valid',
      'getCase 200',
      (answer, request) => {
        if (request.path.endsWith('c3')) answer.status = 404;
      },
    ],
  ]),
];
