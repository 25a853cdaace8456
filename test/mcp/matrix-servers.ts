import { fileURLToPath } from 'node:url';
import { openAuthorizationServer } from '../auth/authorization-server.ts';
import { openProtectedServer } from '../auth/protected-server.ts';
import { type HttpFixtureName, openHttpFixture } from '../fixtures/http/paths.ts';
import { fixture } from '../fixtures/paths.ts';
import { officialServer } from '../interop/programs.ts';
import type { ProcessTracker } from '../processes.ts';
import type { CommandName, Subject } from './matrix-commands.ts';
import type { Testbed } from './testbed.ts';

/** A kind of server, the target of the commands, and the exit status of each command. */
export interface ServerRow {
  readonly is: string;
  open(testbed: Testbed, processes: ProcessTracker): Opened | Promise<Opened>;
  readonly subject: Subject;
  readonly exitCodes: ExitCodes;
  /** Also run the commands that only read the entry. For them, all other servers are the same. */
  readonly isShown?: true;
}

interface Opened {
  /** The entry in the config. */
  readonly entry: object;
  close?(): Promise<void>;
}

export type ExitCodes = Readonly<Partial<Record<CommandName, number>>>;

const CONTACTING_COMMANDS = [
  ...['test', 'tools', 'tools that match', 'tool', 'call', 'resources', 'templates', 'read', 'prompts', 'prompt'],
] as const satisfies readonly CommandName[];

/** Every command that contacts the server exits with this status. */
const all = (status: number): ExitCodes => Object.fromEntries(CONTACTING_COMMANDS.map((name) => [name, status]));
const ALL_SUCCEED = all(0);
/** For a server without resources and prompts, so `read` and `prompt` fail. */
const tools = (call: number): ExitCodes => ({ ...ALL_SUCCEED, call, read: 5, prompt: 5 });

const it = (tool: string, more: Omit<Subject, 'id' | 'tool'> = {}): Subject => ({ id: 's', tool, ...more });
const stdio = (entry: object) => () => ({ entry });
const ECHO = it('echo', { args: ['text=hi'] });

export const officialRows: readonly ServerRow[] = [
  {
    is: 'server-everything',
    open: stdio(officialServer('everything')),
    subject: it('echo', {
      args: ['message=hi'],
      uri: 'demo://resource/static/document/features.md',
      prompt: 'simple-prompt',
    }),
    ...{ exitCodes: ALL_SUCCEED, isShown: true },
  },
  {
    is: 'server-filesystem',
    open: (testbed) => ({ entry: officialServer('filesystem', testbed.path('project')) }),
    subject: it('list_allowed_directories'),
    ...{ exitCodes: tools(0), isShown: true },
  },
  {
    is: 'server-memory',
    open: (testbed) => ({
      entry: {
        command: process.execPath,
        args: [fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-memory/dist/index.js'))],
        env: { MEMORY_FILE_PATH: testbed.path('memory.jsonl') },
      },
    }),
    subject: it('read_graph'),
    ...{ exitCodes: tools(0), isShown: true },
  },
];

/** Servers that crash or never respond. Hanging ones get a short timeout, slow starters enough for a busy machine. */
export const failingRows: readonly ServerRow[] = [
  { is: 'one that dies at start', open: stdio(fixture('dies-at-start')), subject: ECHO, exitCodes: all(4) },
  { is: 'one that dies in a call', open: stdio(fixture('dies-mid-call')), subject: it('die'), exitCodes: tools(4) },
  {
    is: 'one that hangs at initialize',
    open: stdio(fixture('hangs-at-initialize')),
    subject: it('echo', { timeoutSeconds: 0.5 }),
    exitCodes: all(4),
  },
  {
    is: 'one that hangs in a list',
    open: stdio(fixture('hangs-at-list')),
    subject: it('echo', { timeoutSeconds: 6 }),
    exitCodes: { test: 8, tools: 8, tool: 8, call: 8, resources: 0, prompts: 0 },
  },
  {
    is: 'one that hangs in a call',
    open: stdio(fixture('hangs-at-call')),
    subject: it('hang', { timeoutSeconds: 8 }),
    exitCodes: tools(8),
  },
];

/** Servers that flood, or send invalid messages. */
export const noisyRows: readonly ServerRow[] = [
  { is: 'one that floods logs', open: stdio(fixture('floods-stdout')), subject: ECHO, exitCodes: tools(0) },
  {
    is: 'one that floods list_changed',
    open: stdio(fixture('floods-list-changed')),
    subject: ECHO,
    exitCodes: tools(0),
  },
  {
    is: 'one that floods progress',
    open: stdio(fixture('floods-progress')),
    subject: it('flood'),
    exitCodes: { call: 0 },
  },
  { is: 'one that prints junk', open: stdio(fixture('prints-junk')), subject: ECHO, exitCodes: tools(0) },
  malformed('string-code', tools(4)),
  malformed('result-and-error', { call: 4 }),
  malformed('no-id', { call: 4 }),
  {
    is: 'one with a lone surrogate',
    open: stdio(fixture('broken-text')),
    subject: it('in-error'),
    exitCodes: { call: 5 },
  },
  {
    is: 'one with a result of 50 MB',
    open: stdio(fixture('huge-line', '50')),
    subject: it('huge'),
    exitCodes: tools(0),
  },
  {
    is: 'one with an endless line',
    open: stdio(fixture('endless-line')),
    subject: it('endless'),
    exitCodes: { call: 4 },
  },
];

function malformed(tool: string, exitCodes: ExitCodes): ServerRow {
  const subject = it(tool, { timeoutSeconds: 8 });
  return { is: `one with a malformed error: ${tool}`, open: stdio(fixture('malformed-answers')), subject, exitCodes };
}

/** HTTP servers that are down, refuse, or speak an old protocol or none. */
export const webRows: readonly ServerRow[] = [
  { is: 'one that is not listening', open: stdio({ url: 'http://127.0.0.1:9/mcp' }), subject: ECHO, exitCodes: all(4) },
  { is: 'one that requires a key (401)', open: web('answers-401-plain'), subject: ECHO, exitCodes: all(4) },
  { is: 'one that requires a sign-in (401)', open: openProtected, subject: ECHO, exitCodes: all(3) },
  { is: 'one that speaks the old SSE', open: web('legacy-sse'), subject: ECHO, exitCodes: tools(0) },
  { is: 'one that returns a web page', open: web('answers-html'), subject: ECHO, exitCodes: all(4) },
];

function web(name: HttpFixtureName): ServerRow['open'] {
  return async (_, processes) => {
    const server = await openHttpFixture(name, { env: processes.env() });
    return { entry: { url: server.url }, close: server.close };
  };
}

async function openProtected(): Promise<Opened> {
  const authorizationServer = await openAuthorizationServer();
  const server = await openProtectedServer({ authorizationServer });
  return {
    entry: { url: server.url },
    async close() {
      await server.close();
      await authorizationServer.close();
    },
  };
}
