/** A Dockerfile as a list of stages. What the interpreter does not know is an error here, never ignored. */
import { DockerfileParser, type From, type Instruction, type JSONInstruction } from 'dockerfile-ast';

/** One instruction of a stage. */
export interface Step {
  readonly keyword: string;
  /** The instruction as it is written, for progress and messages. */
  readonly text: string;
  /** What follows the keyword and its flags. */
  readonly content: string;
  readonly words: string[];
  readonly flags: Readonly<Record<string, string>>;
}

/** A stage: an image to start from, and the instructions after it. */
export interface Stage {
  readonly name: string | undefined;
  readonly image: string;
  readonly steps: Step[];
}

/** The flags of known instructions. */
type KnownFlags = (keyword: string) => readonly string[] | undefined;

/** Reads a Dockerfile. @throws {Error} if it has another instruction than those that are known, or another flag */
export function readDockerfile(text: string, flagsOf: KnownFlags): Stage[] {
  const stages: Stage[] = [];
  for (const instruction of DockerfileParser.parse(text).getInstructions()) {
    if (instruction.getKeyword() === 'FROM') stages.push(readFrom(instruction as From));
    else if (stages.length === 0) throw new Error(`An instruction before FROM: ${instruction.toString()}`);
    else stages.at(-1)?.steps.push(readStep(instruction, flagsOf));
  }
  return stages;
}

function readFrom(from: From): Stage {
  const image = from.getImage();
  if (image === null || from.getFlags().length > 0) throw new Error(`Unknown form of FROM: ${from.toString()}`);
  return { name: from.getBuildStage() ?? undefined, image, steps: [] };
}

function readStep(instruction: Instruction, flagsOf: KnownFlags): Step {
  const keyword = instruction.getKeyword();
  const content = (instruction.getArgumentsContent() ?? '').trim();
  const text = `${keyword} ${content}`;
  const given = 'getFlags' in instruction ? (instruction as JSONInstruction).getFlags() : [];
  const flags = Object.fromEntries(given.map((flag) => [flag.getName(), flag.getValue() ?? '']));
  const known = flagsOf(keyword);
  if (known === undefined) throw new Error(`Unknown instruction: ${text}`);
  const unknown = Object.keys(flags).filter((name) => !known.includes(name));
  if (unknown.length > 0) throw new Error(`Unknown flag --${unknown.join(', --')}: ${text}`);
  if (keyword !== 'RUN' && keyword !== 'HEALTHCHECK' && content.includes('$'))
    throw new Error(`Variables are not expanded here: ${text}`);
  return { keyword, text, content, words: content.split(/\s+/), flags };
}

/** The command of a step in exec form, as in `["node", "main.js"]`. */
export function execForm(step: Step, content = step.content): string[] {
  const command: unknown = content.startsWith('[') ? JSON.parse(content) : undefined;
  if (!Array.isArray(command) || !command.every((word) => typeof word === 'string'))
    throw new Error(`Not in exec form, so no signal would reach the program: ${step.text}`);
  return command;
}

/** The command of a HEALTHCHECK. */
export function healthCommand(step: Step): string[] {
  const [, content = ''] = /^CMD\s+(.*)$/s.exec(step.content) ?? [];
  return execForm(step, content);
}
