/** What the commands are run with: a server, and what it has or is said to have. */
export interface Subject {
  readonly id: string;
  readonly tool: string;
  readonly args?: readonly string[];
  readonly uri?: string;
  readonly prompt?: string;
  /** What it may take to start and to answer; less for one that never does. */
  readonly patienceSeconds?: number;
}

export interface MatrixCommand {
  readonly words: (subject: Subject) => readonly string[];
  /** Needs the server itself; the others look at files, and at what runs. */
  readonly asks?: true;
  /** Has an answer on stdout also when it fails. */
  readonly reports?: true;
  /** `switchboard` without a word is a gateway at the end of a pipe. */
  readonly onTerminalAlone?: true;
  /** What it prints is for a shell: there is no JSON of it, and sometimes nothing at all. */
  readonly isForShell?: true;
  /** With `--json` one document per line. */
  readonly isStream?: true;
  /** Takes over the screen, or a line of it, and gives it back. */
  readonly paints?: 'screen' | 'line';
}

/** Enough for a server that is well, however busy the machine is. */
const PATIENCE_SECONDS = 15;

const named = ({ id }: Subject, name: string) => `${id}.${name}`;
const patience = ({ patienceSeconds = PATIENCE_SECONDS }: Subject) => ['--timeout', String(patienceSeconds)];

/** Every command that looks at servers or asks them, by the name of its row. */
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
  test: { words: (it) => ['mcp', 'test', it.id, ...patience(it)], asks: true, reports: true },
  tools: { words: (it) => ['mcp', 'tools', ...patience(it)], asks: true },
  'tools that match': { words: (it) => ['mcp', 'tools', it.tool, ...patience(it)], asks: true },
  tool: { words: (it) => ['mcp', 'tool', named(it, it.tool), ...patience(it)], asks: true },
  call: {
    words: (it) => ['mcp', 'call', named(it, it.tool), ...(it.args ?? []), ...patience(it)],
    ...{ asks: true, reports: true, paints: 'line' },
  },
  resources: { words: (it) => ['mcp', 'resources', 'list', it.id, ...patience(it)], asks: true },
  templates: { words: (it) => ['mcp', 'resources', 'templates', it.id, ...patience(it)], asks: true },
  read: { words: (it) => ['mcp', 'resources', 'read', it.id, it.uri ?? 'test://x', ...patience(it)], asks: true },
  prompts: { words: (it) => ['mcp', 'prompts', 'list', it.id, ...patience(it)], asks: true },
  prompt: { words: (it) => ['mcp', 'prompts', 'get', named(it, it.prompt ?? 'x'), ...patience(it)], asks: true },
} as const satisfies Readonly<Record<string, MatrixCommand>>;

export type CommandName = keyof typeof matrixCommands;

/** With the optional members readable in every row. */
export const commandRows: Readonly<Record<string, MatrixCommand>> = matrixCommands;
