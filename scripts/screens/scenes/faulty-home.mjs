// @ts-check
import { chmodSync } from 'node:fs';
import { openSignInServer } from '../sign-in-server.mjs';

/**
 * The faults that users have most often: a missing variable, a missing sign-in, a command that does not exist, a file
 * that others can read, and a client that is not connected.
 *
 * @type {import('../scene.mjs').Scene}
 */
export const faultyHome = {
  project: 'notes',
  async prepare(home) {
    const { path, run, write } = home;
    const files = { command: 'mcp-server-filesystem', args: [path('notes')] };
    const github = { command: 'mcp-server-everything', env: { GITHUB_TOKEN: `\${env:GITHUB_TOKEN}` } };
    const search = { command: 'search-server', env: { SEARCH_KEY: 'sk-5f2c81d07e5b4a63' } };
    write('.codex/auth.json', {}, { mode: 0o600 });
    write('.cursor/mcp.json', {
      mcpServers: { files, github, search, notion: { url: await openSignInServer(home) } },
    });
    await run('import', '--all');
    await run('connect', 'cursor', '--yes');
    chmodSync(path('.local/share/switchboard/secrets.json'), 0o644);
    write('.codeium/windsurf/mcp_config.json', { mcpServers: { weather: { command: 'weather-server' } } });
  },
  screens: [
    { name: 'doctor', args: ['doctor'], status: 7 },
    { name: 'attention', args: [] },
  ],
};
