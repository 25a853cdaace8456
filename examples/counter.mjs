#!/usr/bin/env node
import { createServer, serveStdio } from 'switchboard/kit';

const server = createServer({ name: 'counter', version: '1.0.0' });
const input = { type: 'object' };
let count = 0;

server.tool('count', { description: 'Counts its calls since the server was started.', input }, () => `${++count}`);
server.tool('pid', { description: 'The process id of the server.', input, annotations: { readOnlyHint: true } }, () =>
  String(process.pid),
);
serveStdio(server);
