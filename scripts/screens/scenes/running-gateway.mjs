// @ts-check
import { openGateway } from '../gateway.mjs';
import { openSignInServer } from '../sign-in-server.mjs';

/** A running gateway: three servers work, one requires a sign-in, and the command of one does not exist. @type {import('../scene.mjs').Scene} */
export const runningGateway = {
  project: 'notes',
  async prepare(home) {
    const add = (/** @type {string[]} */ ...args) => home.run('mcp', 'add', ...args);
    await add('files', '--', 'mcp-server-filesystem', '.');
    await add('demo', '--', 'mcp-server-everything');
    await add('deploy', '--', 'node', 'examples/deploy.mjs');
    await add('notes', await openSignInServer(home));
    await add('search', '--', 'search-server', '--port', '0');
    await openGateway(home, {
      calls: [
        ...['one', 'two', 'three'].map((message) => /** @type {const} */ (['demo__echo', { message }])),
        ['files__list_allowed_directories', {}],
      ],
      states: ['ready', 'ready', 'ready', 'auth_required', 'error'],
    });
  },
  screens: [
    { name: 'status', args: ['mcp', 'status'] },
    { name: 'status-detail', args: ['mcp', 'status', 'deploy'] },
    { name: 'tools', args: ['mcp', 'tools', '--server', 'files'] },
    {
      name: 'call-progress',
      args: ['mcp', 'call', 'demo.trigger-long-running-operation', 'duration=2', 'steps=4'],
      steps: [{ wait: /3\/4/, isMoment: true }],
    },
    {
      name: 'call-form',
      args: ['mcp', 'call', 'deploy.deploy', 'service=web', 'version=1.2.3'],
      steps: [
        { wait: /target: /, type: 'moon\n' },
        { wait: /target: /, type: 'staging\n' },
        { wait: /sure: /, type: 'yes\n' },
        { wait: /Send this to deploy\? /, type: 'y\n' },
      ],
    },
    { name: 'watch', args: ['mcp', 'status', '--watch'], steps: [{ wait: /\[J/, type: 'q', isMoment: true }] },
  ],
};
