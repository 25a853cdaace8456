import { type CommandSpec, HTTP_OPTIONS, OPTION } from './command-spec.ts';

/** Options of a turn of Codex. */
const TURN_OPTIONS = ['--sandbox read-only|workspace-write|danger-full-access', '--model <name>', '--approve ask|deny'];

/** `switchboard codex` and its subcommands. */
export const codexCommand: CommandSpec = {
  summary: 'run a Codex task, or expose Codex as MCP tools',
  subcommands: {
    run: {
      summary: 'run one task in a new session and print the result',
      positionals: ['<task>'],
      options: ['--cwd <dir>', ...TURN_OPTIONS, '--skip-git-repo-check', '--verbose', OPTION.json],
      isIndependent: true,
    },
    say: {
      summary: 'send a message to a session and print the result',
      positionals: ['<session>', '<message>'],
      options: [...TURN_OPTIONS, '--fork', '--verbose', OPTION.json],
      isIndependent: true,
    },
    sessions: {
      summary: 'list the stored sessions of every client, most recent first',
      positionals: ['<search>'],
      options: ['--cwd <dir>', '--limit <n>', OPTION.json],
      isIndependent: true,
    },
    show: {
      summary: 'print the transcript of a session, without resuming it',
      positionals: ['<session>'],
      options: [OPTION.json],
      isIndependent: true,
    },
    'mcp-server': { summary: 'the server with --tools compat' },
  },
  options: [
    '--tools core|full|compat|all',
    '--engine auto|app-server|exec',
    '--max-sandbox read-only|workspace-write|danger-full-access',
    '--allow-root <dir>…',
    '--approvals any|user|none',
    '--allow-dangerous',
    '--max-wait <seconds>',
    '--no-events',
    ...HTTP_OPTIONS,
  ],
};
