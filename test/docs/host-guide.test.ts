import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { trackProcesses } from '../processes.ts';
import { readBlocks } from './blocks.ts';
import { checkTypes, isFile, nameOf, root, writeFiles } from './programs.ts';

/** Type-checks every program in docs/host.md, and runs the agent exactly as shown. */
const processes = trackProcesses();

describe('docs/host.md', () => {
  const page = readFileSync(join(root, 'docs/host.md'), 'utf8');
  const blocks = readBlocks(page);
  const files = blocks.filter(isFile);
  // Inside the repository, where Node resolves the package by its own name.
  const folder = join(root, 'test/.tmp', randomUUID());

  beforeAll(() => {
    mkdirSync(folder, { recursive: true });
    writeFiles(folder, files);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('labels every code block with a language', () => {
    const known = /^((js|ts) file=[\w./-]+|sh)$/;
    expect(blocks.filter(({ language, role }) => !known.test(`${language} ${role}`.trim()))).toEqual([]);
    expect(new Set(files.map(nameOf)).size).toBe(files.length);
  });

  test('contains programs that pass the type checker', async () => {
    const checked = await checkTypes(folder, files.map(nameOf), processes.env());
    expect(checked).toEqual({ status: 0, out: '', err: '' });
  });

  test('shows the agent exactly as it is in examples/', () => {
    const agent = readFileSync(join(root, 'examples/agent.mjs'), 'utf8');
    expect(files.find((file) => nameOf(file) === 'agent.mjs')?.code).toBe(agent);
  });

  test('the agent runs as shown: it asks, and calls what was allowed', async () => {
    expect(await runAgent('y\n')).toEqual({ status: 0, out: '{"deployments":[]}\n', asked: QUESTION });
  });

  test('the agent reports why nothing was called when the user declines', async () => {
    const { out, ...rest } = await runAgent('n\n');
    expect(rest).toEqual({ status: 0, asked: QUESTION });
    expect(out).toMatch(/^list_deployments of deploy was not called: a person denied it\n/);
  });

  test('starts with commands that name files in the package', () => {
    const shipped: { files: readonly string[] } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    const named = [...page.matchAll(/node_modules\/switchboard\/(\S+)/g)].map(([, path = '']) => path);
    expect(named).toHaveLength(2);
    expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
    expect(named.filter((path) => !shipped.files.includes(path.split('/')[0] ?? ''))).toEqual([]);
  });

  test('names exactly the options of createHost', () => {
    const options = readFileSync(join(root, 'src/host/host-options.ts'), 'utf8');
    const [, body = ''] = /export interface HostOptions \{\n(.*?)\n\}/s.exec(options) ?? [];
    const known = [...body.matchAll(/^ {2}readonly (\w+)\?:/gm)].map(([, name]) => name);
    const [, section = ''] = /\n## Options\n(.*?)\n## /s.exec(page) ?? [];
    const rows = [...section.matchAll(/^\| (`.*?) \|/gm)].flatMap(([, cell = '']) => cell.match(/\w+/g) ?? []);
    expect(known.length).toBeGreaterThan(10);
    expect(rows.toSorted()).toEqual(known.toSorted());
  });

  const QUESTION = 'deploy wants to run list_deployments {}\nAllow it? y(es), n(o), a(lways): ';

  /** Uses the words of the page. Answers the question when it appears. */
  async function runAgent(answer: string) {
    const [, words = ''] = /agent\.mjs "(.*)"/.exec(page) ?? [];
    const config = join(folder, 'mcp.json');
    const deploy = { command: process.execPath, args: [join(root, 'examples/deploy.mjs')] };
    writeFileSync(config, JSON.stringify({ mcpServers: { deploy } }));
    const agent = spawn(process.execPath, ['agent.mjs', words], {
      cwd: folder,
      env: processes.env({ CODEX_MCP_WRAPPER_CONFIG: config, CODEX_HOME: folder }),
      timeout: 55_000,
    });
    let asked = '';
    agent.stderr.setEncoding('utf8').on('data', (text: string) => {
      asked += text;
      if (asked.endsWith(': ')) agent.stdin.write(answer);
    });
    const [out, [status]] = await Promise.all([readAll(agent.stdout), once(agent, 'close')]);
    return { status, out, asked };
  }
});
