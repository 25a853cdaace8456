// @ts-check

const ENTER = '\r';

/** A new user, whose three clients have three different servers between them. @type {import('../scene.mjs').Scene} */
export const setup = {
  project: 'notes',
  async prepare({ path, write }) {
    const files = { command: 'mcp-server-filesystem', args: [path('notes')] };
    const deploy = { command: 'node', args: [path('notes/examples/deploy.mjs')] };
    write('.codex/config.toml', { mcp_servers: { files, demo: { command: 'mcp-server-everything' } } });
    write('.claude.json', { mcpServers: { 'my files': { type: 'stdio', ...files } } });
    write('.cursor/mcp.json', {
      mcpServers: { files, deploy: { ...deploy, env: { DEPLOY_TOKEN: 'dpl-5f2c81d07e' } } },
    });
  },
  screens: [
    {
      name: 'setup',
      args: [],
      steps: [
        { wait: /Set up now\? \[Y\/n\] /, type: ENTER },
        { wait: /\? \[Y\/n\/pick\/diff\] /, type: ENTER },
      ],
    },
  ],
};
