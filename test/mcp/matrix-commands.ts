/** The target of the commands: a server, and names that it has or is said to have. */
export interface Subject {
  readonly id: string;
  readonly tool: string;
  readonly args?: readonly string[];
  readonly uri?: string;
  readonly prompt?: string;
  /** Timeout for start and response. Shorter for a server that never responds. */
  readonly timeoutSeconds?: number;
}

export interface MatrixCommand {
  readonly words: (subject: Subject) => readonly string[];
  /** Connects to the server. Other commands only read files and the status of running processes. */
  readonly asks?: true;
  /** Writes a report to stdout even if it fails. */
  readonly reports?: true;
  /** `switchboard` without arguments is a gateway if stdout is a pipe, so it runs only on a terminal. */
  readonly onTerminalAlone?: true;
  /** Prints output for a shell, which may be empty and has no JSON form. */
  readonly isForShell?: true;
  /** With `--json`, prints one document per line. */
  readonly isStream?: true;
  /** Redraws the screen, or a line of it, and restores it. */
  readonly paints?: 'screen' | 'line';
}

/** Enough for a working server, even on a busy machine. */
const DEFAULT_TIMEOUT_SECONDS = 15;

const named = ({ id }: Subject, name: string) => `${id}.${name}`;
const timeoutOption = ({ timeoutSeconds = DEFAULT_TIMEOUT_SECONDS }: Subject) => ['--timeout', String(timeoutSeconds)];

/** Every command that shows or contacts servers, by the name of its row. */
const matrixCommands = {
  list: { words: () => ['mcp', 'list'] },
  get: { words: ({ id }) => ['mcp', 'get', id] },
  status: { words: () => ['mcp', 'status'] },
  'status one': { words: ({ id }) => ['mcp', 'status', id] },
  watch: { words: () => ['mcp', 'status', '--watch', '--count', '1'], isStream: true, paints: 'screen' },
  '/mcp': { words: () => ['/mcp'] },
  bare: { words: () => [], onTerminalAlone: true },
  completion: { words: () => ['completion', 'bash'], isForShell: true },
  complete: { words: ({ id }) => ['completion', '--line', ' ', '--', `switchboard mcp call ${id}.`], isForShell: true },
  test: { words: (it) => ['mcp', 'test', it.id, ...timeoutOption(it)], asks: true, reports: true, paints: 'line' },
  tools: { words: (it) => ['mcp', 'tools', ...timeoutOption(it)], asks: true },
  'tools that match': { words: (it) => ['mcp', 'tools', it.tool, ...timeoutOption(it)], asks: true },
  tool: { words: (it) => ['mcp', 'tool', named(it, it.tool), ...timeoutOption(it)], asks: true },
  call: {
    words: (it) => ['mcp', 'call', named(it, it.tool), ...(it.args ?? []), ...timeoutOption(it)],
    ...{ asks: true, reports: true, paints: 'line' },
  },
  resources: { words: (it) => ['mcp', 'resources', 'list', it.id, ...timeoutOption(it)], asks: true },
  templates: { words: (it) => ['mcp', 'resources', 'templates', it.id, ...timeoutOption(it)], asks: true },
  read: { words: (it) => ['mcp', 'resources', 'read', it.id, it.uri ?? 'test://x', ...timeoutOption(it)], asks: true },
  prompts: { words: (it) => ['mcp', 'prompts', 'list', it.id, ...timeoutOption(it)], asks: true },
  prompt: { words: (it) => ['mcp', 'prompts', 'get', named(it, it.prompt ?? 'x'), ...timeoutOption(it)], asks: true },
} as const satisfies Readonly<Record<string, MatrixCommand>>;

export type CommandName = keyof typeof matrixCommands;

/** With the optional members readable in every row. */
export const commandRows: Readonly<Record<string, MatrixCommand>> = matrixCommands;
