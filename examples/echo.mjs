#!/usr/bin/env node
import { createServer, serveStdio } from 'switchboard/kit';

const server = createServer({ name: 'echo', version: '1.0.0' });

server.tool(
  'echo',
  {
    description: 'Says the message again.',
    input: { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] },
    annotations: { readOnlyHint: true },
  },
  ({ message }) => `You said: ${message}`,
);

await serveStdio(server);
