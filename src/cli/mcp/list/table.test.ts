import { describe, expect, test } from 'vitest';
import type { HttpSettings, StdioSettings } from '../../../config/server-entry.ts';
import type { ServerRow } from './rows.ts';
import { type ListedServer, listTable } from './table.ts';

const stdio: StdioSettings = {
  ...{ kind: 'stdio', command: 'npx', args: ['-y', '@modelcontextprotocol/server-filesystem', '/home/me/documents'] },
  ...{ cwd: undefined, env: {}, envVars: [], inheritEnv: false, framing: 'ndjson' },
};
const http: HttpSettings = {
  ...{ kind: 'http', url: 'https://api.githubcopilot.com/mcp/', headers: {}, headerEnv: {} },
  ...{ bearerTokenEnv: undefined, oauth: undefined, isSse: false },
};
const global = { layer: 'global', file: '/home/me/config.json', line: 5 } as const;
const project = { layer: 'project', file: '/p/.switchboard/config.json', line: 5 } as const;
const listed = (row: Partial<ServerRow> & { readonly id: string }, auth = 'none'): ListedServer => ({
  row: { origin: global, state: 'on', reason: undefined, settings: stdio, expandsVariables: false, ...row },
  auth,
});

describe('a list of servers', () => {
  const github = listed({ id: 'github', settings: http }, 'oauth signed in');
  const files = listed({ id: 'files', state: 'off', switchedOffBy: project });
  const reason = '/home/me/.codex/.mcp.json:4: mcpServers.odd needs "command", the program to start, or "url".';
  const odd = listed({
    ...{ id: 'odd', state: 'broken', reason, settings: undefined },
    origin: { layer: 'codex', file: '/home/me/.codex/.mcp.json', line: 4 },
  });

  test('without a terminal is complete, and says who disabled a server', () => {
    expect(listTable([github, files, odd], undefined)).toEqual([
      'id      transport  source  enabled          target                                                                                        auth',
      'github  http       global  yes              https://api.githubcopilot.com/mcp/                                                            oauth signed in',
      'files   stdio      global  no (by project)  npx -y @modelcontextprotocol/server-filesystem /home/me/documents                             none',
      `odd     -          codex   broken           ${reason}  none`,
    ]);
  });

  test('fits the terminal, with errors below the table', () => {
    expect(listTable([github, files, odd], 80)).toEqual([
      'id     transport source enabled         target                   auth',
      'github http      global yes             https://api.githubcopil… oauth signed in',
      'files  stdio     global no (by project) npx -y @modelcontextpro… none',
      'odd    -         codex  broken          -                        none',
      '    /home/me/.codex/.mcp.json:4: mcpServers.odd needs "command", the program to…',
    ]);
    expect(listTable([github, files], 60)).toEqual([
      'id     enabled         target                auth',
      'github yes             https://api.githubco… oauth signed in',
      'files  no (by project) npx -y @modelcontext… none',
    ]);
    expect(listTable([github, odd], 30)).toEqual([
      'id     enabled target',
      'github yes     https://api.gi…',
      'odd    broken  -',
      '    /home/me/.codex/.mcp.json…',
    ]);
  });

  test('says why a server is off if its own entry does not disable it', () => {
    const itself = listed({ id: 'own', state: 'off', reason: 'it would start itself' });
    const nowhere = listed({ id: 'lost', state: 'off', reason: 'defined nowhere', settings: undefined });
    const words = listTable([listed({ id: 'plain', state: 'off' }), itself, nowhere], undefined);
    expect(words.map((line) => line.split(/ {2,}/)[3])).toEqual(['enabled', 'no', 'no (itself)', 'no (not defined)']);
  });

  test('prints no control characters', () => {
    const hostile = listed({ id: 'a\u001b[2J', settings: { ...stdio, command: '\u001b]0;x\u0007', args: [] } });
    expect(listTable([hostile], undefined)[1]).toBe(
      '"a\\u001b[2J"  stdio      global  yes      "\\u001b]0;x\\u0007"  none',
    );
  });
});
