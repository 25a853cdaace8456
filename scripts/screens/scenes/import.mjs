// @ts-check

/**
 * Three clients that share servers, one of them under another name. One server has a secret in its file, and one needs
 * a variable that is not set.
 *
 * @type {import('../scene.mjs').Scene}
 */
export const importServers = {
  project: 'notes',
  async prepare({ path, write }) {
    const files = { command: 'mcp-server-filesystem', args: [path('notes')] };
    const linear = { url: 'https://mcp.linear.app/mcp' };
    const headers = { Authorization: `Bearer \${input:sentry-token}` };
    write('.codex/config.toml', { mcp_servers: { files } });
    write('.cursor/mcp.json', {
      mcpServers: {
        'my files': files,
        linear,
        github: { command: 'github-mcp-server', args: ['stdio'], env: { GITHUB_TOKEN: 'ghp_9f2c81d07e5b4a63' } },
      },
    });
    write('.config/Code/User/mcp.json', {
      servers: {
        sentry: { type: 'http', url: 'https://mcp.sentry.dev/mcp', headers },
        linear: { type: 'http', ...linear },
      },
    });
  },
  screens: [{ name: 'import', args: ['import', '--dry-run'] }],
};
