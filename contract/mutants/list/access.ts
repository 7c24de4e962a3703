/** Callers who get what they may not have, and callers who are refused what is theirs. */
import type { CredentialName } from '../../run/model.ts';
import type { Mutant, Predicate } from '../mutant.ts';
import { anonymous, header, headerValues, isCase, path, secretOf, withSecret } from '../requests.ts';
import { breaking, type Edits, firstBody, row } from '../rows.ts';

const as = (name: CredentialName): Edits => ({
  instead: (request, { credentials }) => withSecret(request, credentials[name]),
});
const asNobody: Edits = { instead: (request) => withSecret(request, 'none') };

/** With the secret of a caller who has all rights. */
const asEntitled: Edits = {
  again: (request, { credentials: { access_token: token, owner_key: key } }) =>
    withSecret(request, isCase(request) ? token : key),
};

const isTwice: Predicate = (request) =>
  ['x-api-key', 'authorization'].some((name) => headerValues(request, name).length > 1);
const beginsWithSecret: Predicate = (request, { owner_key, member_key, viewer_key, access_token }) =>
  [owner_key, member_key, viewer_key, access_token].some((secret) => secretOf(request)?.startsWith(secret) === true);
const isOfAnotherRegion: Predicate = (request) => /^\w+_ca_/.test(secretOf(request) ?? '');
const isToken: Predicate = (request, { access_token }) => headerValues(request, 'authorization').includes(access_token);
const isKey: Predicate = (request, { owner_key }) => headerValues(request, 'x-api-key').includes(owner_key);

const authentication = [
  ...breaking('explored.*.credential* explored.walks* replay.*.401', [
    row('any credential is accepted, and so is none', '* 401', asEntitled),
    row('reading a case needs no token', ['case 401', anonymous], asEntitled),
    row('HEAD needs no credential', '* 401 HEAD', asEntitled),
    row('a revoked key is accepted', '* 401 by revoked_key', asEntitled),
    row('a revoked token is accepted', 'case 401 by revoked_token', asEntitled),
    row('an expired key is accepted', '* 401 by expired_key', asEntitled),
    row('what follows a valid secret is ignored', ['* 401', beginsWithSecret], asEntitled),
    row('a key is accepted for a case', ['case 401', isKey], asEntitled),
    row('a token without Bearer is accepted', ['case 401', isToken], asEntitled),
    row('the first of two credentials is accepted', ['* 401', isTwice], asEntitled),
    row('a secret of another region is accepted', ['* 401', isOfAnotherRegion], asEntitled),
  ]),
  ...breaking('explored.getCase.* conformance.getCase.* conformance.rules.limit', [
    row('bearer in lower case is refused', ['case', header('authorization', /^b/)], asNobody),
    row("another organisation's token is refused", 'case 200 by other_access_token', { refuse: 404 }),
    row('a case requires a permission', 'case 200 by other_access_token', { refuse: 403 }),
  ]),
];

const authorisation = [
  ...breaking('4.1-R3.* 5-A* 5-S2.* conformance.rules.remainder', [
    row('a feature given meanwhile is not there', 'setting 200 by feature_off_key', { refuse: 403 }),
    row('a permission given meanwhile is not there', 'read 200 by viewer_key', { refuse: 403 }),
    row('what is revoked meanwhile stays valid', '* 401 by revocable_key|revocable_token', asEntitled),
  ]),
  ...breaking('explored.*.permission* explored.*.feature* explored.walks* replay.*.403', [
    row('every role may update', 'update by member_key|viewer_key', as('owner_key')),
    row('HEAD requires no permission', 'read HEAD by viewer_key', as('owner_key')),
    row('reading requires no feature', 'read by feature_off_key', as('owner_key')),
    row('updating requires no feature', 'update by feature_off_key', as('owner_key')),
    row('member_key may update after owner_key has', 'update by member_key|owner_key', {
      remember: ({ credentials }) => {
        let hasUpdated = false;
        return async (response, request, { forward }) => {
          const isMember = secretOf(request) === credentials.member_key;
          if (isMember && hasUpdated) return forward(withSecret(request, credentials.owner_key));
          hasUpdated ||= response.status === 200;
          return response;
        };
      },
    }),
    row('a viewer may read the setting after eight requests', 'read 403 by viewer_key', {
      remember: () => {
        let requests = 0;
        return (response) =>
          (requests += 1) < 8 ? response : { ...response, status: 200, body: JSON.stringify({ enabled: false }) };
      },
    }),
  ]),
  ...breaking('explored.*.permission* explored.get*Setting.success* explored.walks* conformance.rules.limit', [
    row('a key that may only read is unknown', 'setting by member_key', asNobody),
    row('reading requires the right to update', 'read by member_key', as('viewer_key')),
  ]),
];

const isForeign: Predicate = (request, { other_case_id: id }) => request.path.includes(id);
const isNotLikeUuid = path(/^(?!.*[\da-f]{8}-[\da-f]{4}-)/i);

const tenancy = [
  ...breaking('replay.getCase.404 explored.getCase.not-found* explored.walks* conformance.getCase.status', [
    row('a case of another organisation is returned', 'case 404', async (_response, request, server) => {
      const { access_token: token, other_access_token: other } = server.credentials;
      const found = await server.forward(withSecret(request, other));
      return found.status === 200 ? found : server.forward(withSecret(request, token));
    }),
    row('a foreign case gets 403', ['case 404', isForeign], { refuse: 403 }),
    row('the message tells of a foreign case', ['case 404', isForeign], {
      text: (body) => body.replace('no such case', 'a case of another organisation'),
    }),
    row('the details tell unknown from malformed identifiers', ['case 404', isNotLikeUuid], {
      text: (body) => body.replace(/\}$/, ',"error_details":{"field":"id"}}'),
    }),
  ]),
  ...breaking('explored.*', [row('each key has a separate setting', 'read 200 by member_key', firstBody)]),
];

export const accessMutants: readonly Mutant[] = [...authentication, ...authorisation, ...tenancy];
