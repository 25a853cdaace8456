// @ts-check
import { createServer, serveStdio } from 'switchboard/kit';
import { z } from 'zod';

const server = createServer({ name: 'bench', version: '1.0.0' });
server.tool(
  'echo',
  { description: 'Says the message again.', input: z.object({ message: z.string() }) },
  async ({ message }) => message,
);
serveStdio(server);
