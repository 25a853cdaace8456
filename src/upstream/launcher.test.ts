import { expect, test } from 'vitest';
import { createLauncher } from './launcher.ts';

test('only so many are launched at the same time; whoever waits comes in the order of asking', async () => {
  const launcher = createLauncher(2);
  const running: string[] = [];
  const launches = ['a', 'b', 'c', 'd'].map((name) => {
    const gate = createGate();
    const done = launcher.launch(async () => {
      running.push(name);
      await gate.passed;
      return name;
    });
    return { ...gate, done };
  });
  await turns();
  expect(running).toEqual(['a', 'b']);
  launches[1]?.open();
  await turns();
  expect(running).toEqual(['a', 'b', 'c']);
  for (const { open } of launches) open();
  expect(await Promise.all(launches.map(({ done }) => done))).toEqual(['a', 'b', 'c', 'd']);
});

test('a launch that fails gives its place to the next one', async () => {
  const launcher = createLauncher(1);
  const failing = launcher.launch(() => Promise.reject(new Error('no such command')));
  const next = launcher.launch(async () => 'launched');
  await expect(failing).rejects.toThrow('no such command');
  expect(await next).toBe('launched');
  expect(await launcher.launch(async () => 'and again')).toBe('and again');
});

test('between two launches everybody else has a turn', async () => {
  const launcher = createLauncher(1);
  const order: string[] = [];
  const launches = [1, 2].map((number) => launcher.launch(async () => order.push(`launch ${number}`)));
  setImmediate(() => order.push('somebody else'));
  await Promise.all(launches);
  expect(order).toEqual(['launch 1', 'somebody else', 'launch 2']);
});

function createGate() {
  let open: () => void = () => {};
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, passed };
}

async function turns(): Promise<void> {
  for (let count = 0; count < 3; count++) await new Promise((resolve) => setImmediate(resolve));
}
