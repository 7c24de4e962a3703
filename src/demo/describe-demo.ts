import { forRegion } from '../domain/region.ts';
import type { DemoData } from './create-demo.ts';
import { demoDays } from './demo-data.ts';

export function describeDemo(demo: DemoData): string {
  const setting = `${demo.base_url}/organisations/features/verification`;
  return `Demo data of region ${demo.region}. These secrets expire after ${demoDays} days and are not shown again;
\`${forRegion('document-analysis demo', demo.region)}\` issues new ones.

  owner key         ${demo.owner_key}
  member key        ${demo.member_key}
  viewer key        ${demo.viewer_key}
  revoked key       ${demo.revoked_key}
  feature-off key   ${demo.feature_off_key}
  access token      ${demo.access_token}
  case              ${demo.case_id}
  case, no files    ${demo.empty_case_id}
  other token       ${demo.other_access_token}
  other case        ${demo.other_case_id}

Read the verification setting:
  curl '${setting}' --header 'x-api-key: ${demo.owner_key}'

Switch it on:
  curl --request PUT '${setting}' --header 'x-api-key: ${demo.owner_key}' --header 'Content-Type: application/json' --data '{"enabled": true}'

Read a case:
  curl '${demo.case_base_url}/cases/${demo.case_id}' --header 'Authorization: Bearer ${demo.access_token}'`;
}
