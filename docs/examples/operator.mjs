// An operator of the server that runs on the data directory of DATA_DIR, by its command line. See docs/operator.md.
import { execFileSync } from 'node:child_process';
import { createInterface } from 'node:readline';

const command = process.env.DOCUMENT_ANALYSIS ?? 'npx document-analysis';
const run = (input, ...args) => {
  const [program, ...first] = command.split(' ');
  return JSON.parse(execFileSync(program, [...first, ...args, '--json'], { input, encoding: 'utf8' }));
};

let organisation;
const methods = {
  setup() {
    const credentials = run('', 'demo');
    organisation = run('', 'case', 'list').find((each) => each.case_id === credentials.case_id).organisation_id;
    return { methods: Object.keys(methods), credentials };
  },
  listAuditEntries: () =>
    run('', 'audit', 'list', '--limit', '1000').filter(({ action }) => action.endsWith('setting.updated')),
  readCase: ({ case_id }) => run('', 'case', 'show', case_id),
  lockCase: ({ case_id }) => run('', 'case', 'lock', case_id),
  createCase() {
    const made = { label: 'Created by the operator', created_at: new Date().toISOString(), files: [] };
    const imported = run(JSON.stringify([made]), 'case', 'import', '-', '--organisation', organisation);
    const [case_id] = imported.case_ids;
    const { file_id } = run('', 'file', 'expect', case_id, 'expected.pdf');
    return { case_id, file_id };
  },
};

for await (const line of createInterface(process.stdin)) {
  const { id, method, params } = JSON.parse(line);
  const response = { jsonrpc: '2.0', id };
  try {
    if (methods[method]) response.result = methods[method](params);
    else response.error = { code: -32601, message: `there is no method ${method}` };
  } catch (error) {
    response.error = { code: -32000, message: error.message };
  }
  console.log(JSON.stringify(response));
}
