/** What the commands are run with: a server, and what it has or is said to have. */
export interface Subject {
  readonly id: string;
  readonly tool: string;
  readonly args?: readonly string[];
  readonly uri?: string;
  readonly prompt?: string;
}

export interface EveryCommand {
  readonly words: (subject: Subject) => readonly string[];
  /** Needs the server itself; the others look at files, and at what runs. */
  readonly asks?: true;
  /** Has an answer on stdout also when it fails. */
  readonly reports?: true;
  /** `switchboard` without a word is a gateway at the end of a pipe. */
  readonly onTerminalAlone?: true;
  /** What it prints is for a shell, not for a program that reads JSON. */
  readonly hasNoJson?: true;
  /** With `--json` one document per line. */
  readonly isStream?: true;
  /** Takes over the screen, or a line of it, and gives it back. */
  readonly paints?: true;
}

/** Long enough for a server that is well on a busy machine, and short for one that hangs. */
const PATIENCE = ['--timeout', '4'];

const named = (subject: Subject, name: string) => `${subject.id}.${name}`;

/** Every command that looks at servers or asks them, by the name of its row. */
export const everyCommand = {
  list: { words: () => ['mcp', 'list'] },
  get: { words: ({ id }) => ['mcp', 'get', id] },
  status: { words: () => ['mcp', 'status'] },
  'status one': { words: ({ id }) => ['mcp', 'status', id] },
  watch: { words: () => ['mcp', 'status', '--watch', '--count', '1'], isStream: true, paints: true },
  '/mcp': { words: () => ['/mcp'] },
  bare: { words: () => [], onTerminalAlone: true },
  completion: { words: () => ['completion', 'bash'], hasNoJson: true },
  complete: { words: ({ id }) => ['completion', '--shell', 'bash', '--', `mcp call ${id}.`], hasNoJson: true },
  test: { words: ({ id }) => ['mcp', 'test', id, ...PATIENCE], asks: true, reports: true },
  tools: { words: () => ['mcp', 'tools', ...PATIENCE], asks: true },
  'tools that match': { words: ({ tool }) => ['mcp', 'tools', tool, ...PATIENCE], asks: true },
  tool: { words: (subject) => ['mcp', 'tool', named(subject, subject.tool), ...PATIENCE], asks: true },
  call: {
    words: (subject) => ['mcp', 'call', named(subject, subject.tool), ...(subject.args ?? []), ...PATIENCE],
    ...{ asks: true, reports: true, paints: true },
  },
  resources: { words: ({ id }) => ['mcp', 'resources', 'list', id, ...PATIENCE], asks: true },
  templates: { words: ({ id }) => ['mcp', 'resources', 'templates', id, ...PATIENCE], asks: true },
  read: { words: ({ id, uri = 'test://x' }) => ['mcp', 'resources', 'read', id, uri, ...PATIENCE], asks: true },
  prompts: { words: ({ id }) => ['mcp', 'prompts', 'list', id, ...PATIENCE], asks: true },
  prompt: {
    words: (subject) => ['mcp', 'prompts', 'get', named(subject, subject.prompt ?? 'x'), ...PATIENCE],
    asks: true,
  },
} as const satisfies Readonly<Record<string, EveryCommand>>;

export type CommandName = keyof typeof everyCommand;

/** With the optional members readable in every row. */
export const commandRows: Readonly<Record<string, EveryCommand>> = everyCommand;
