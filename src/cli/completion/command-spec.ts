/** One command as data: its line in the lists of `--help`, and everything that completion needs to know. */
export interface CommandSpec {
  /** Also the first line of its help. */
  readonly summary: string;
  /** Subcommands. */
  readonly subcommands?: Readonly<Record<string, CommandSpec>>;
  /** Kinds of the positional arguments in order; a final `…` allows any number, `a|b` lists fixed values. */
  readonly positionals?: readonly string[];
  /** `--name` alone is a flag; otherwise the kind of its value follows; `…` marks it as repeatable. */
  readonly options?: readonly string[];
  /** The options of its parent do not apply. */
  readonly isIndependent?: true;
}

/** Options of several commands. */
export const OPTION = {
  config: '--config <file>',
  json: '--json',
  scope: '--scope project|global',
  anyScope: '--scope effective|project|global',
  view: '--view <view>',
  direct: '--direct',
  timeout: '--timeout <seconds>',
};

/** Of a server that many clients use. */
export const HTTP_OPTIONS: readonly string[] = [
  '--http <address>',
  '--auth token|none',
  '--tls-cert <file>',
  '--tls-key <file>',
  '--public-url <url>',
];

export const CONFIG_OPTIONS = [OPTION.config, OPTION.json];
