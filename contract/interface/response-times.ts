import type { Check, CheckContext, RequestSpec } from '../run/model.ts';
import { compareTimes } from './compare-times.ts';
import { expectResponse, expectThat } from './expect.ts';
import { bearer, readCase, unknownCaseId } from './requests.ts';
import { ruleCheck } from './rule-check.ts';

/** Decision D16: a case of another organisation is indistinguishable from an unknown one, by response time too. */
export const responseTimeChecks: readonly Check[] = [
  ruleCheck({
    id: 'D16.response-times',
    title: 'response times do not distinguish a foreign case from an unknown one',
    rules: ['D16'],
    needs: ['access_token', 'other_case_id'],
    run: async (context) => {
      const asking = (id: string) => readCase(id, bearer(context.credential('access_token')));
      const [foreign, unknown] = [asking(context.credential('other_case_id')), asking(unknownCaseId)];
      // The first response may have to open a connection or fill a cache.
      for (const request of [foreign, unknown]) await refused(context, request);
      const { medians, dominance, responses, isLarge } = await compareTimes(
        () => refused(context, foreign),
        () => refused(context, unknown),
      );
      const [ofForeign, ofUnknown] = medians.map((median) => `${median.toFixed(1)} ms`);
      const measured = `a foreign case ${ofForeign ?? ''}, an unknown one ${ofUnknown ?? ''} (medians of ${responses} responses; the foreign one slower in ${Math.round(dominance * 100)} % of all pairs)`;
      context.tell(measured);
      expectThat(!isLarge, 'no large difference in response times', measured);
    },
  }),
];

async function refused(context: CheckContext, request: RequestSpec): Promise<void> {
  expectResponse(await context.call(request), 'a case that the token may not read', 404);
}
