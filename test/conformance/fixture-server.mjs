// @ts-check
// The server under test in the conformance suite, written with the kit. The descriptions of the suite's server
// scenarios define what it offers.
//
//     node fixture-server.mjs                 on stdio
//     node fixture-server.mjs --modern        on stdio, only in 2026-07-28
//     node fixture-server.mjs --http [port]   over HTTP; prints the URL
import { createServer, serveClient, serveHttp, serveStdio } from '../../dist/kit/index.js';
import { createModernStdio } from './fixture/modern-stdio.mjs';
import { addPrompts } from './fixture/prompts.mjs';
import { addQuestions } from './fixture/questions.mjs';
import { addResources } from './fixture/resources.mjs';
import { addTools } from './fixture/tools.mjs';

const server = createServer({ name: 'conformance-fixture', version: '1.0.0' });
addTools(server);
addQuestions(server);
addPrompts(server);
addResources(server);

const [option, port] = process.argv.slice(2);
if (option === '--http') {
  const { url } = await serveHttp(server, { port: Number(port ?? 0) });
  process.stdout.write(`${url}\n`);
} else if (option === '--modern') await serveClient(server, createModernStdio());
else await serveStdio(server);
