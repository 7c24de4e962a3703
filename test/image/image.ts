/** What an image consists of. */
export interface Image {
  readonly root: string;
  readonly env: Record<string, string>;
  workdir: string;
  user: string;
  entrypoint: string[];
  cmd: string[];
  health: string[];
  readonly ports: number[];
  readonly volumes: string[];
}
