// @ts-check
// A server beside the one under test, to show that the gateway keeps them apart. It offers something of
// every kind, on stdio.
import { createServer, serveStdio } from '../../dist/kit/index.js';

const server = createServer({ name: 'neighbor', version: '1.0.0' })
  .tool('neighbor_tool', { description: 'Belongs to the neighbor.' }, () => 'neighbor')
  .prompt('neighbor_prompt', { description: 'Belongs to the neighbor.' }, () => 'neighbor')
  .resource('neighbor://text', { name: 'Neighbor', description: 'Belongs to the neighbor' }, () => 'neighbor')
  .resourceTemplate('neighbor://{id}/data', { name: 'Neighbors', description: 'Belong to the neighbor' }, () => 'data');

await serveStdio(server);
