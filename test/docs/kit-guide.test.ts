import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { delimiter, join } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { trackProcesses } from '../processes.ts';
import { verifies } from '../verifies.ts';
import { type Block, readBlocks } from './blocks.ts';
import { checkTypes, isFile, named, nameOf, root, runIn, writeFiles } from './programs.ts';

/**
 * Runs or checks every code block of these documents, depending on its fence:
 *
 *     js file=path, ts file=path   a complete file. The files of one document share a folder and may import each other.
 *                                  All are type-checked, stdio servers are started and listed, tests are run.
 *                                  Without a path, it is a complete file that no other file imports.
 *     sh run                       runs in that folder and must succeed; without `run`, only its syntax is checked
 *     text output                  the expected output of the `sh run` above; other `text` is not checked
 *     json, toml                   must parse; its servers are started, with that folder for `/path/to`
 */
const processes = trackProcesses();
const documents = ['docs/kit.md', 'README.md'].filter((name) => existsSync(join(root, name)));

describe.each(documents)('%s', (document) => {
  const folder = join(root, 'test/.tmp', randomUUID());
  const codexHome = join(folder, 'codex-home');
  const blocks = readBlocks(readFileSync(join(root, document), 'utf8'));
  const files = blocks.filter(isFile);
  const ofLanguage = (...languages: string[]) => blocks.filter(({ language }) => languages.includes(language));

  const env = () =>
    processes.env({
      CODEX_HOME: codexHome,
      PATH: [join(root, 'node_modules/.bin'), process.env['PATH'] ?? ''].join(delimiter),
    });
  const run = (command: string, args: readonly string[]) => runIn({ cwd: folder, command, args, env: env() });
  const list = (command: string, args: readonly string[]) =>
    listTools({ command, args: args.map((arg) => arg.replaceAll('/path/to', folder)), env: env(), cwd: folder });

  beforeAll(() => {
    mkdirSync(codexHome, { recursive: true });
    writeFiles(folder, files);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('labels every code block with a language', () => {
    const known = /^((js|ts)( file=[\w./-]+)?|sh( run)?|text( output)?|json|toml)$/;
    expect(blocks.filter(({ language, role }) => !known.test(`${language} ${role}`.trim()))).toEqual([]);
    const names = files.map(nameOf);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });

  verifies('kit:example:ten-lines', 'shows the ten-line server exactly as in examples/', () => {
    const echo = readFileSync(join(root, 'examples/echo.mjs'), 'utf8');
    expect(files.map(({ code }) => code)).toContain(echo);
    const lines = echo.split('\n').filter((line) => line !== '' && !/^(#!|import )/.test(line));
    expect(lines.length).toBeLessThanOrEqual(10);
  });

  verifies('kit:docs:examples', 'its programs pass the type checker', async () => {
    const names = files.map(nameOf);
    expect(await checkTypes(folder, names, processes.env())).toEqual({ status: 0, out: '', err: '' });
  });

  describe.runIf(files.some(isServer))('a server in it starts and lists its tools', () => {
    test.each(files.filter(isServer).map((file) => [nameOf(file)]))('%s', async (name) => {
      expect(await list(process.execPath, [name])).not.toEqual([]);
    });
  });

  describe.runIf(files.some(isTest))('a test in it passes', () => {
    test.each(files.filter(isTest).map((file) => [nameOf(file)]))('%s', async (name) => {
      const { status, out, err } = await run(process.execPath, ['--test', name]);
      expect({ status, err }, out).toEqual({ status: 0, err: '' });
      expect(out).not.toMatch(/^# tests 0$/m);
    });
  });

  describe.runIf(ofLanguage('sh').length > 0)('a command in it', () => {
    test.each(named(ofLanguage('sh')))('%s', async (_, block) => {
      const check = block.role === 'run' ? ['-ec'] : ['-nc'];
      const { status, out, err } = await run('/bin/sh', [...check, block.code]);
      expect(status, err).toBe(0);
      const next = blocks[blocks.indexOf(block) + 1];
      if (next?.language === 'text' && next.role === 'output') expect(out).toBe(next.code);
    });
  });

  describe.runIf(ofLanguage('json').length > 0)('JSON in it parses, and its servers start', () => {
    test.each(named(ofLanguage('json')))('%s', async (_, { code }) => {
      const { mcpServers = {} } = JSON.parse(code) as {
        mcpServers?: Record<string, { command: string; args: string[] }>;
      };
      for (const { command, args } of Object.values(mcpServers)) expect(await list(command, args)).not.toEqual([]);
    });
  });

  describe.runIf(ofLanguage('toml').length > 0)('Codex accepts TOML in it, and its servers start', () => {
    test.each(named(ofLanguage('toml')))('%s', async (_, { code }) => {
      writeFileSync(join(codexHome, 'config.toml'), code);
      const { status, out, err } = await run('codex', ['mcp', 'list', '--json']);
      rmSync(join(codexHome, 'config.toml'));
      expect(status, err).toBe(0);
      const servers = JSON.parse(out) as { transport: { command: string; args: string[] } }[];
      expect(servers).not.toEqual([]);
      for (const { transport } of servers) expect(await list(transport.command, transport.args)).not.toEqual([]);
    });
  });

  const tcp = files.find((file) => nameOf(file) === 'tcp.mjs');
  if (tcp !== undefined)
    test('contains a short TCP transport that works', async () => {
      expect(tcp.code.split('\n').length).toBeLessThanOrEqual(31);
      const port = await findPort();
      const server = spawn(process.execPath, ['tcp.mjs'], {
        cwd: folder,
        env: { ...env(), PORT: `${port}` },
        stdio: 'ignore',
      });
      try {
        const answer = JSON.parse(await askOverTcp(port, { jsonrpc: '2.0', id: 1, method: 'tools/list' }));
        expect(answer).toMatchObject({ id: 1, result: { tools: [{ name: 'upper' }] } });
      } finally {
        server.kill();
      }
    });
});

verifies('kit:docs:examples', 'the programs in examples/ pass the type checker', async () => {
  const examples = join(root, 'examples');
  const names = readdirSync(examples).map((name) => join(examples, name));
  const folder = join(root, 'test/.tmp', randomUUID());
  mkdirSync(folder, { recursive: true });
  try {
    expect(await checkTypes(folder, names, processes.env())).toEqual({ status: 0, out: '', err: '' });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

describe('reading blocks', () => {
  test('reads language, role and code, also inside a list', () => {
    const page = 'text\n```js file=a.mjs\nx\n\ny\n```\n- item\n  ```sh\n  z\n  ```\n````text\n```\n````\n';
    expect(readBlocks(page)).toEqual([
      { language: 'js', role: 'file=a.mjs', code: 'x\n\ny\n', line: 2 },
      { language: 'sh', role: '', code: 'z\n', line: 8 },
      { language: 'text', role: '', code: '```\n', line: 11 },
    ]);
  });

  test('rejects an unclosed block', () => {
    expect(() => readBlocks('a\n```js\nx\n')).toThrow('line 2: a code block that is never closed');
  });
});

function isServer({ language, code }: Block): boolean {
  return language === 'js' && /^await (serveStdio\(|serve\(new StdioTransport\()/m.test(code);
}

function isTest(file: Block): boolean {
  return nameOf(file).endsWith('.test.mjs');
}

async function listTools(server: { command: string; args: string[]; env: Record<string, string>; cwd: string }) {
  const client = new Client({ name: 'docs', version: '1.0.0' });
  try {
    await client.connect(new StdioClientTransport(server), { timeout: 30_000 });
    return (await client.listTools()).tools;
  } finally {
    await client.close();
  }
}

async function findPort(): Promise<number> {
  const listener = createServer().listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const address = listener.address();
  listener.close();
  await once(listener, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** Sends one message, closes stdin, and returns the response. The server may still be starting. */
async function askOverTcp(port: number, message: unknown): Promise<string> {
  const end = performance.now() + 30_000;
  for (;;) {
    const socket = connect(port, '127.0.0.1');
    try {
      await once(socket, 'connect');
      socket.end(`${JSON.stringify(message)}\n`);
      return await readAll(socket);
    } catch (error) {
      if (performance.now() > end) throw error;
      await delay(50);
    }
  }
}
