import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { switchboard } from '../interop/programs.ts';
import { trackProcesses } from '../processes.ts';

const processes = trackProcesses();

describe.runIf(process.platform === 'linux')('output that cannot be written', () => {
  const commands = [['--version'], ['--help'], ['mcp', 'list'], ['mcp', 'tools'], ['mcp', 'status']];

  test.each(commands.map((args) => [args]))('fails %j with one line on stderr', async (args) => {
    const { status, stderr } = await runInto('/dev/full', args);
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: expect.stringMatching(/^Could not write the output to stdout: .*ENOSPC.*\n$/),
    });
  });

  test('is reported as one JSON document with --json', async () => {
    const { status, stderr } = await runInto('/dev/full', ['mcp', 'list', '--json']);
    expect({ status, error: JSON.parse(stderr) }).toMatchObject({
      status: 1,
      error: { error: { code: 'INTERNAL', message: expect.stringContaining('ENOSPC') } },
    });
  });

  test('is not an error if stdout is /dev/null', async () => {
    expect(await runInto('/dev/null', ['--version'])).toEqual({ status: 0, stderr: '' });
  });
});

async function runInto(file: string, args: readonly string[]) {
  const { command, args: all } = switchboard(...args);
  const stdout = openSync(file, 'w');
  try {
    const started = spawn(command, all, { env: processes.env(), stdio: ['ignore', stdout, 'pipe'], timeout: 55_000 });
    const reported = started.stderr === null ? '' : text(started.stderr);
    const [stderr, [status]] = await Promise.all([reported, once(started, 'close')]);
    return { status, stderr };
  } finally {
    closeSync(stdout);
  }
}
