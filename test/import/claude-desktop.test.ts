import { describeShape } from './shape-contract.ts';

describeShape('Claude Desktop', {
  client: 'claude-desktop',
  file: '.config/Claude/claude_desktop_config.json',
  text: `{
  "globalShortcut": "",
  "mcpServers": {
    "filesystem": {
      "command": "npx",
      "args": ["-y", "@modelcontextprotocol/server-filesystem", "/home/me/Documents"]
    },
    "notes": {
      "command": "uvx",
      "args": ["notes-server", "--vault", "\${NOT_A_VARIABLE}"],
      "env": { "NOTES_TOKEN": "notes-s3cret", "LANG": "en" }
    },
    "remote": {
      "command": "npx",
      "args": ["mcp-remote", "https://remote.example/sse", "--header", "Authorization: Bearer remote-s3cret"]
    }
  }
}
`,
  servers: [['mcpServers']],
  expected: {
    entries: {
      filesystem: {
        transport: 'stdio',
        command: 'npx',
        args: ['-y', '@modelcontextprotocol/server-filesystem', '/home/me/Documents'],
        imported_from: 'Claude Desktop (~/.config/Claude/claude_desktop_config.json)',
      },
      notes: {
        transport: 'stdio',
        command: 'uvx',
        args: ['notes-server', '--vault', `\${NOT_A_VARIABLE}`],
        env: { LANG: 'en' },
        env_vars: ['NOTES_TOKEN'],
        imported_from: 'Claude Desktop (~/.config/Claude/claude_desktop_config.json)',
      },
      remote: {
        transport: 'stdio',
        command: 'npx',
        args: [
          'mcp-remote',
          'https://remote.example/sse',
          '--header',
          `Authorization: Bearer \${IMPORTED_REMOTE_AUTHORIZATION}`,
        ],
        expand_variables: true,
        imported_from: 'Claude Desktop (~/.config/Claude/claude_desktop_config.json)',
      },
    },
    secrets: { NOTES_TOKEN: 'notes-s3cret', IMPORTED_REMOTE_AUTHORIZATION: 'remote-s3cret' },
  },
});
