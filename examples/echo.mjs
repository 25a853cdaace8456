#!/usr/bin/env node
import { createServer, serveStdio } from 'switchboard/kit';

const server = createServer({ name: 'echo', version: '1.0.0' });
const echo = {
  description: 'Says the message again.',
  input: { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] },
  annotations: { readOnlyHint: true },
};
server.tool('echo', echo, ({ message }) => `You said: ${message}`);
serveStdio(server);
