import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openAuthStore } from '../../src/auth/store/auth-store.ts';

let home = '';
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'switchboard-exclusive-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const openStore = () => openAuthStore({ cwd: home, home, env: { SWITCHBOARD_HOME: home }, platform: 'linux' });

describe('exclusive work', () => {
  test('runs one at a time across all stores, and leaves no lock', async () => {
    const stores = [openStore(), openStore()];
    const seen: string[] = [];
    const work = (name: string) => async () => {
      seen.push(`${name} begins`);
      await new Promise((resolve) => setTimeout(resolve, 20));
      seen.push(`${name} ends`);
      return name;
    };
    const names = ['a', 'b', 'c', 'd'];
    const done = names.map((name, index) => stores[index % 2]?.runExclusive('notion', work(name)));
    expect(await Promise.all(done)).toEqual(names);
    const order = seen.map((line) => line.slice(0, 1)).filter((_, index) => index % 2 === 0);
    expect(seen).toEqual(order.flatMap((name) => [`${name} begins`, `${name} ends`]));
    expect(readdirSync(home)).toEqual([]);
  });

  test('continues after a failure, and runs in parallel for other servers', async () => {
    const store = openStore();
    const failing = store.runExclusive('notion', () => Promise.reject(new Error('no')));
    const next = store.runExclusive('notion', async () => 'next');
    await expect(failing).rejects.toThrow('no');
    expect(await next).toBe('next');
    const inner = store.runExclusive('a', () => store.runExclusive('../b', async () => 'both'));
    expect(await inner).toBe('both');
  });

  test('is not delayed for long by a killed process', async () => {
    writeFileSync(join(home, '.refresh-notion'), '1 left-by-somebody 7');
    const begin = performance.now();
    expect(await openStore().runExclusive('notion', async () => 'done')).toBe('done');
    expect(performance.now() - begin).toBeGreaterThan(2_000);
    expect(readdirSync(home)).toEqual([]);
  });

  test('is never taken over from a slow process', async () => {
    const seen: string[] = [];
    const long = openStore().runExclusive('notion', async () => {
      await new Promise((resolve) => setTimeout(resolve, 4_500));
      seen.push('long');
    });
    await openStore().runExclusive('notion', async () => void seen.push('short'));
    await long;
    expect(seen).toEqual(['long', 'short']);
  });
});
