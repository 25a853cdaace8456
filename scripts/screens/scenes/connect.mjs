// @ts-check

/**
 * A user of Cursor who has imported its servers, and lets Cursor use them through Switchboard.
 *
 * @type {import('../scene.mjs').Scene}
 */
export const connect = {
  project: 'notes',
  async prepare({ path, run, write }) {
    write('.cursor/mcp.json', cursorConfig(path('notes')));
    await run('import', '--all');
    await run('warm');
  },
  screens: [
    { name: 'connect', args: ['connect', 'cursor'], steps: [{ wait: /Make this change\? \[y\/N\] /, type: 'y\r' }] },
  ],
};

/** As people write it. @param {string} folder */
function cursorConfig(folder) {
  return `{
  "mcpServers": {
    // The notes of the team
    "files": {
      "command": "mcp-server-filesystem",
      "args": ["${folder}"]
    },
    "deploy": {
      "command": "node",
      "args": ["${folder}/examples/deploy.mjs"],
      "env": { "DEPLOY_TOKEN": "dpl-5f2c81d07e" }
    }
  }
}
`;
}
