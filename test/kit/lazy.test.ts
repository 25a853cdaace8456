import { spawn } from 'node:child_process';
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { trackProcesses } from '../processes.ts';
import { useTemporaryFolders } from '../temporary-folder.ts';
import { verifies } from '../verifies.ts';

const processes = trackProcesses();
const newFolder = useTemporaryFolders();
const kit = fileURLToPath(new URL('../../dist/kit/index.js', import.meta.url));

/** Runs a server in a folder with nothing but the entry of the kit, so that loading any other file fails. */
async function answers(definitions: string, requests: readonly object[]) {
  const folder = newFolder();
  copyFileSync(kit, join(folder, 'kit.mjs'));
  const lines = [
    `import { createServer, serveStdio } from './kit.mjs';`,
    `const server = createServer({ name: 'alone', version: '1.0.0' });`,
    definitions,
    'await serveStdio(server);',
  ];
  writeFileSync(join(folder, 'server.mjs'), lines.join('\n'));
  const server = spawn(process.execPath, [join(folder, 'server.mjs')], {
    env: processes.env(),
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  server.stdin.end(requests.map((request, id) => `${JSON.stringify({ jsonrpc: '2.0', id, ...request })}\n`).join(''));
  const output = (await text(server.stdout)).trim().split('\n');
  return output.map((line) => JSON.parse(line)).toSorted((a, b) => a.id - b.id);
}

verifies('kit:features:lazy', 'a tool server loads nothing but the entry of the kit', async () => {
  const echo = `server.tool('echo', { description: '' }, (_, { progress, log }) => {
    progress({ progress: 1 });
    log('info', 'Hi');
    return 'Hi';
  });`;
  const [hello, list, call] = await answers(echo, [
    { method: 'initialize', params: {} },
    { method: 'tools/list' },
    { method: 'tools/call', params: { name: 'echo', _meta: { progressToken: 1 } } },
  ]).then((all) => all.filter(({ id }) => id !== undefined));
  expect(hello.result).toMatchObject({ serverInfo: { name: 'alone' } });
  expect(list.result.tools).toHaveLength(1);
  expect(call.result).toEqual({ content: [{ type: 'text', text: 'Hi' }] });
});

verifies(
  'kit:features:lazy',
  'a server with prompts and resources loads their code with the first request',
  async () => {
    const prompt = `server.prompt('hi', { description: '' }, () => 'Hi').resource('note://1', { name: '1' }, () => '');`;
    const [hello, list] = await answers(prompt, [{ method: 'initialize', params: {} }, { method: 'prompts/list' }]);
    expect(hello.result.capabilities).toMatchObject({ prompts: { listChanged: true }, resources: { subscribe: true } });
    expect(list.error.message).toMatch(/Cannot find module .*feature-requests\.js/);
  },
);
