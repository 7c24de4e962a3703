/** Attacks without Node's permission model, as compiled code would that has taken over a job. */
import attack, { type Targets } from './hostile.ts';

const [targets = '', acts = ''] = process.argv.slice(2);
process.stdout.write(JSON.stringify(await attack(JSON.parse(targets) as Targets, JSON.parse(acts) as string[])));
process.exit();
