// @ts-check
import { createServer, serveStdio } from 'switchboard/kit';

const server = createServer({ name: 'bench', version: '1.0.0' });
server.tool(
  'echo',
  {
    description: 'Says the message again.',
    input: { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] },
  },
  ({ message }) => String(message),
);
serveStdio(server);
