import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { bulkFile, bulkFileLine, scatteredNumber, zipOf } from '../../support/bulk-file.ts';
import { CliHarness } from '../../support/cli.ts';

const name = 'BasicCompanyDataAsOneFile-2026-11-01';
const many = bulkFile(
  ...Array.from({ length: 20_000 }, (_, index) => bulkFileLine(scatteredNumber(index), `COMPANY ${index} LTD`)),
);

let cli: CliHarness;
beforeEach(async () => {
  cli = await CliHarness.start();
});
afterEach(() => cli.stop());

async function importing(archive: Buffer, file = `${name}.zip`) {
  const path = await cli.write(file, archive);
  const { exitCode, stdout, stderr } = await cli.run(['registry', 'import', path]);
  return { exitCode, stdout: stdout.replaceAll(path, 'FILE'), stderr: stderr.replaceAll(path, 'FILE') };
}

const imported = async () => (await cli.json<{ imported: object | null }>(['registry', 'status'])).imported;

test('registry import reads the archive that the register publishes', async () => {
  expect(await importing(zipOf({ [`${name}.csv`]: many }))).toEqual({
    exitCode: 0,
    stdout: 'Imported 20000 companies from FILE.\n',
    stderr: '',
  });
  expect(await imported()).toMatchObject({ source: `${name}.zip`, companies: 20_000 });
});

const whole = zipOf({ [`${name}.csv`]: many });
/** As an archive of half of the lines would be, with the sizes and the sum of all. */
function cutAtLineEnd(): Buffer {
  const half = many.slice(0, many.indexOf('\r\n', many.length / 2) + 2);
  const cut = zipOf({ [`${name}.csv`]: half });
  const [place, facts] = [cut.lastIndexOf('PK\u0001\u0002'), whole.lastIndexOf('PK\u0001\u0002')];
  whole.copy(cut, place + 16, facts + 16, facts + 20);
  whole.copy(cut, place + 24, facts + 24, facts + 28);
  return cut;
}
const flipped = (at: number) => Buffer.from(whole).fill(whole.readUInt8(at) ^ 4, at, at + 1);
const sum = whole.lastIndexOf('PK\u0001\u0002') + 16;

test.each([
  [
    'was cut',
    whole.subarray(0, whole.length / 2),
    /the archive: It is truncated or damaged: .*end of central directory.*Download/i,
  ],
  ['lacks its last byte', whole.subarray(0, -1), /the archive: It is truncated or damaged/],
  ['was damaged', flipped(Math.floor(whole.length / 2)), /FILE has \d+ faults?:/],
  ['holds something else than was packed', flipped(sum), /the archive: It is damaged: its checksum does not match/],
  [
    'holds a file that was cut at the end of a line',
    cutAtLineEnd(),
    /the archive: It is truncated or damaged: not enough bytes/,
  ],
  ['holds no CSV file', zipOf({ 'readme.txt': 'none' }), /the archive: It must contain one CSV file, not none\./],
  [
    'holds several',
    zipOf({ 'a.csv': many, 'b.csv': many }),
    /the archive: It must contain one CSV file, not several\./,
  ],
  [
    'holds one part of the register',
    zipOf({ 'BasicCompanyData-2026-11-01-part1_7.csv': many }),
    /is one part of the register/,
  ],
])('registry import refuses an archive that %s, and keeps what was imported before', async (_, archive, message) => {
  await importing(zipOf({ 'a.csv': bulkFile(bulkFileLine('01234567', 'ACME LTD')) }), 'former.zip');
  const { exitCode, stdout, stderr } = await importing(archive);
  expect([exitCode, stdout, stderr]).toEqual([1, '', expect.stringMatching(/^error: Nothing was imported: /)]);
  expect(stderr).toMatch(message);
  expect(await imported()).toMatchObject({ source: 'former.zip', companies: 1 });
});
