import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { VERSION } from '../src/base/version.ts';
import { trackProcesses } from './processes.ts';

const processes = trackProcesses();
const main = join(import.meta.dirname, '..', 'dist', 'cli', 'main.js');

function run(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...args], {
    env: processes.env(),
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

test('the tour shows the gateway at work and leaves nothing running', { timeout: 15_000 }, () => {
  const { status, stdout, stderr } = run('tour');
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout).toContain('You said: hello');
  expect(stdout).toContain('expected string, got number');
  expect(stdout).toContain('echo__echo  counter__count  counter__pid');
  expect(stdout).toMatch(/the counter, is killed\. The next call finds it back, counting from the start:\n {2}1\n/);
  expect(stdout).toContain('Unknown tool: counter__cuont. Did you mean counter__count');
  expect(stdout).toContain('nothing is left running');
});

test('help and version are answers', () => {
  expect(run('--version')).toEqual({ status: 0, stdout: `${VERSION}\n`, stderr: '' });
  expect(run('--help')).toMatchObject({ status: 0, stdout: expect.stringContaining('tour'), stderr: '' });
  expect(run('tour', '--help')).toMatchObject({ status: 0, stdout: expect.stringMatching(/^switchboard tour: /) });
});

test('the help of the codex server names its options and where to read on', () => {
  const { status, stdout, stderr } = run('codex', '--help');
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout).toMatch(/^switchboard codex: .*\n\nUsage: switchboard codex \[options\]\n/);
  expect(stdout.match(/^ {2}--[a-z-]+/gm)).toEqual(
    ['tools', 'engine', 'max-sandbox', 'allow-root', 'approvals', 'allow-dangerous', 'max-wait', 'no-events'].map(
      (name) => `  --${name}`,
    ),
  );
  expect(stdout).toContain('docs/codex.md');
});

test('an unknown command is named, with the next step, on stderr', () => {
  expect(run('touhr')).toEqual({
    status: 2,
    stdout: '',
    stderr: 'There is no command "touhr". Did you mean tour?\n',
  });
  expect(run('doctor').stderr).toBe(
    'There is no command "doctor" yet.\nRun switchboard --help to see what there is.\n',
  );
  expect(run('__proto__').status).toBe(2);
  expect(JSON.parse(run('touhr', '--json').stderr)).toMatchObject({ error: { code: 'USAGE', retryable: false } });
});

test('a reader that has seen enough is no failure', async () => {
  const tour = spawn(process.execPath, [main, 'tour'], { env: processes.env(), stdio: ['ignore', 'pipe', 'pipe'] });
  tour.stdout.destroy();
  const [err, [code]] = await Promise.all([text(tour.stderr), once(tour, 'exit')]);
  expect({ code, err }).toEqual({ code: 0, err: '' });
}, 15_000);
