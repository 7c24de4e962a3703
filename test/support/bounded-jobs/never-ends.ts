import { writeFileSync } from 'node:fs';

export default function neverEnds(pidFile: string): never {
  writeFileSync(pidFile, String(process.pid));
  for (;;);
}
