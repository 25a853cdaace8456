import { fixture } from '../fixtures/paths.ts';
import type { Testbed } from '../mcp/testbed.ts';

/** A server that returns its environment and arguments. */
const reporter = fixture('reports-environment');
export const SECRETS = ['codex-inline-s3cret', 'cursor-inline-s3cret', 'zed-inline-s3cret', 'windsurf-inline-s3cret'];

/** Writes the configs of five clients into the home of a testbed. */
export function writeFiveClients(testbed: Testbed): void {
  const [inCodex, inCursor, inZed, inWindsurf] = SECRETS;
  const args = JSON.stringify(reporter.args);
  testbed.write(
    '.codex/config.toml',
    [
      'model = "gpt-5" # a comment',
      '',
      '[mcp_servers.reports]',
      `command = ${JSON.stringify(reporter.command)}`,
      `args = ${args}`,
      `env = { SERVICE_TOKEN = "${inCodex}", MODE = "fast" }`,
      'tool_timeout_sec = 30',
      'required = true',
      '',
      '[mcp_servers.switchboard]',
      'command = "switchboard"',
      'args = ["gateway"]',
    ].join('\n'),
  );
  testbed.write('.claude.json', {
    numStartups: 3,
    mcpServers: { docs: { type: 'http', url: 'https://docs.example/mcp' } },
    projects: { [testbed.path('project')]: { mcpServers: { local: { command: 'node', args: ['local.js'] } } } },
  });
  testbed.write(
    '.cursor/mcp.json',
    `{
  // The same server as in Codex, under another name, and another one of the same name
  "mcpServers": {
    "my reporter": {
      "command": ${JSON.stringify(reporter.command)}, "args": ${args},
      "env": { "SERVICE_TOKEN": "${inCodex}", "MODE": "fast" },
    },
    "docs": { "url": "https://other.example/mcp", "headers": { "Authorization": "Bearer ${inCursor}" } },
    "needs": { "command": "x", "env": { "KEY": "\${env:UNSET_KEY}" } },
  },
}`,
  );
  testbed.write('.config/zed/settings.json', {
    context_servers: {
      database: { command: 'db-server', args: ['--password', inZed, `\${LITERAL}`] },
      extension: { source: 'extension', settings: {} },
    },
  });
  testbed.write('.codeium/windsurf/mcp_config.json', {
    mcpServers: {
      search: {
        serverUrl: `https://search.example/mcp?api_key=${inWindsurf}`,
        disabled: true,
        disabledTools: ['write'],
      },
    },
  });
}
