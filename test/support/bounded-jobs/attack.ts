/** Runs a job without Node's permission model, as compiled code would that has taken it over, and prints its output. */
const [job = '', targets = '', acts = 'null'] = process.argv.slice(2);
const { default: run } = (await import(job)) as { default: (...input: unknown[]) => Promise<{ output: unknown }> };
process.stdout.write(JSON.stringify((await run(JSON.parse(targets), JSON.parse(acts))).output));
process.exit();
