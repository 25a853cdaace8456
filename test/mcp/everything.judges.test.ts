import { readFileSync, statSync } from 'node:fs';
import { expect, test } from 'vitest';
import { officialServer } from '../interop/programs.ts';
import { trackProcesses } from '../processes.ts';
import { typeOnTerminal } from './call-testbed.ts';
import { runAsJson } from './listing-testbed.ts';
import { configure } from './test-report.ts';
import { useTestbeds } from './testbed.ts';

const processes = trackProcesses();
const newTestbed = useTestbeds(processes);
/** It takes seconds to start on a slow machine. */
const LONG_TIMEOUT = ['--timeout', '40'];

test('tools are found by a part, by a glob and by their title, and a typo gets a suggestion', async () => {
  const testbed = configure(newTestbed(), { everything: officialServer('everything') });
  const names = async (pattern: string) =>
    (await testbed.mcp('tools', pattern, ...LONG_TIMEOUT)).stdout.split('\n').map((line) => line.split('(')[0]);
  expect(await names('SUM')).toEqual(['everything.get-sum', '']);
  expect(await names('everything.toggle-*')).toHaveLength(3);
  expect(await names('Get Sum T*')).toEqual(['everything.get-sum', '']);
  const { status, answer, error } = await runAsJson(testbed, 'tools', 'gat-sum', ...LONG_TIMEOUT);
  expect([status, answer, error]).toEqual([
    5,
    undefined,
    expect.objectContaining({
      ...{ code: 'TOOL_NOT_FOUND', pattern: 'gat-sum', near: ['everything.get-sum'] },
      message: 'No tool matches gat-sum. Did you mean everything.get-sum?',
    }),
  ]);
});

test('tools fit the width of the terminal', async () => {
  const { status, shown } = await configure(newTestbed(), { everything: officialServer('everything') }).onTerminal(
    ['tools', ...LONG_TIMEOUT],
    [],
  );
  // On a busy machine, the command may wait for it.
  const lines = shown.split('\r\n').filter((line) => !line.startsWith('Waiting for '));
  expect([status, lines.length]).toEqual([0, 15 + 1]);
  expect(lines.filter((line) => line.length > 80)).toEqual([]);
  const sum = /^everything\.get-sum\(a: number, b: number\) \[read-only, idempotent\] {2}Returns the/;
  expect(lines).toContainEqual(expect.stringMatching(sum));
});

test('a tool that needs no change says so', async () => {
  const testbed = configure(newTestbed(), { everything: officialServer('everything') });
  const { status, stdout } = await testbed.mcp('tool', 'everything.get-sum', '--timeout', '40');
  expect([status, stdout]).toEqual([0, expect.stringMatching(/\n\nfor codex: unchanged\n$/)]);
  expect(stdout).toMatch(
    /^everything\.get-sum\(a: number, b: number\) \[read-only, idempotent\]\nGet Sum Tool\n\n {2}Returns/,
  );
});

test('images are described when piped, and saved privately on request', async () => {
  const testbed = configure(newTestbed(), { everything: officialServer('everything') });
  const piped = await testbed.mcp('call', 'everything.get-tiny-image');
  expect(piped.stdout).toMatch(/\n\[image\/png 3\.\d KiB, not saved: --output <dir> saves it\]\n/);
  const saved = await testbed.mcp('call', 'everything.get-tiny-image', '--output', 'pictures');
  const path = testbed.path('project/pictures/image-1.png');
  expect(saved.stdout).toContain(`KiB saved to ${path}]\n`);
  expect([readFileSync(path).toString('latin1', 1, 4), statSync(path).mode & 0o777]).toEqual(['PNG', 0o600]);
});

test('an image is saved on a terminal in a private folder', async () => {
  const testbed = configure(newTestbed(), { everything: officialServer('everything') });
  const { status, shown } = await typeOnTerminal(testbed, processes, {
    args: ['call', 'everything.get-tiny-image'],
    turns: [],
  });
  expect([status, shown]).toEqual([0, expect.stringMatching(/KiB saved to \S+\/switchboard-\w+\/image-1\.png\]/)]);
});
