import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { call, configOf, hostHarness, recorder, WITHIN } from './host-harness.ts';

/** The events that an application receives without a request. */
const { openHost, newFolder } = hostHarness();

describe('the log', () => {
  test('reports once that a server cannot be started, however often it is retried, and then that it can', async () => {
    const program = join(newFolder(), 'program');
    const lines: string[] = [];
    const config = configOf({ one: { command: program } });
    const host = await openHost({ config, log: (line) => void lines.push(line) });
    await expect.poll(() => host.get('one').restarts, WITHIN).toBeGreaterThanOrEqual(3);
    const warning = `[switchboard] warn: one: Spawn error: command not found: ${program}. This file does not exist`;
    expect(lines).toEqual([warning]);
    const [script] = fixture('well-behaved').args;
    writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${script}'\n`, { mode: 0o755 });
    await expect.poll(() => host.list(), { ...WITHIN, timeout: 30_000 }).toMatchObject([{ state: 'ready' }]);
    await expect.poll(() => lines, WITHIN).toEqual([warning, '[switchboard] one: it has recovered.']);
  });
});

describe('onChange', () => {
  test('reports each change of what is offered, and nothing else', async () => {
    const changes: string[] = [];
    const config = configOf({ one: fixture('changes-its-list') });
    const host = await openHost({ config, onChange: (kind) => void changes.push(kind) });
    expect([await host.resources.list(), await host.resources.templates(), await host.prompts.list()]).toEqual([
      [],
      [],
      [],
    ]);
    await expect.poll(() => changes, WITHIN).toEqual(['tools']);
    await call(host, 'one', 'grow');
    await expect.poll(() => changes, WITHIN).toEqual(['tools', 'tools']);
  });

  test('is called once for lists that arrive together', async () => {
    const changes: { readonly kind: string; readonly at: number }[] = [];
    const folder = newFolder();
    const config = configOf(
      Object.fromEntries(['one', 'two', 'three'].map((name) => [name, recorder(join(folder, name))])),
    );
    const host = await openHost({ config, onChange: (kind) => void changes.push({ kind, at: performance.now() }) });
    await Promise.all([host.tools(), host.resources.list(), host.resources.templates(), host.prompts.list()]);
    const kinds = () => new Set(changes.map(({ kind }) => kind));
    await expect.poll(kinds, WITHIN).toEqual(new Set(['tools', 'resources', 'prompts']));
    const pauses = changes.map(({ kind, at }, index) => {
      const before = changes.slice(0, index).findLast((change) => change.kind === kind);
      return at - (before?.at ?? Number.NEGATIVE_INFINITY);
    });
    expect(pauses.filter((ms) => ms < 5)).toEqual([]);
  });

  test('is not called once the host is closing', async () => {
    const changes: string[] = [];
    const config = configOf({ one: fixture('changes-its-list') });
    const host = await openHost({ config, onChange: (kind) => void changes.push(kind) });
    await call(host, 'one', 'grow');
    await host.tools();
    const reported = [...changes];
    await host.close();
    expect(changes).toEqual(reported);
  });
});
