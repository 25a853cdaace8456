import {
  chmodSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { type ConfigWatcher, watchConfig } from '../../src/config/watch/watch-config.ts';
import { useFolders } from './folder.ts';

const newFolder = useFolders();
const open: ConfigWatcher[] = [];
afterEach(() => {
  for (const watch of open.splice(0)) watch.close();
});

interface Observer extends ConfigWatcher {
  readonly problems: readonly string[];
  calls(): number;
  /** Waits for the next call that no earlier `next` has waited for. */
  next(): Promise<void>;
}

function observe(files: readonly string[], { debounceMs = 40, onChange = () => {} } = {}): Observer {
  const problems: string[] = [];
  let [calls, expected] = [0, 0];
  const watch = watchConfig({
    files,
    debounceMs,
    onChange: () => {
      calls++;
      onChange();
    },
    onProblem: (message) => problems.push(message),
  });
  open.push(watch);
  return {
    problems,
    calls: () => calls,
    next: () => vi.waitUntil(() => calls >= expected + 1, { timeout: 30_000, interval: 5 }).then(() => void expected++),
    close: () => watch.close(),
  };
}

/** Runs each action and expects exactly one call for it. */
async function expectOneEach(observer: Observer, changes: readonly (() => void)[]): Promise<void> {
  for (const [index, change] of changes.entries()) {
    change();
    await observer.next();
    expect(observer.calls()).toBe(index + 1);
  }
  expect(observer.problems).toEqual([]);
}

function replaceAtomically(file: string, content: string): void {
  writeFileSync(`${file}.new`, content);
  renameSync(`${file}.new`, file);
}

function pointTo(link: string, target: string): void {
  rmSync(link, { recursive: true, force: true });
  symlinkSync(target, link);
}

describe('a change is reported once', () => {
  test('when a file is written, replaced, deleted and recreated', async () => {
    const file = newFolder().write('project/.mcp.json', 'one');
    await expectOneEach(observe([file]), [
      () => writeFileSync(file, 'two'),
      () => writeFileSync(file, 'six'),
      () => replaceAtomically(file, 'three'),
      () => replaceAtomically(file, 'four'),
      () => writeFileSync(file, 'five'),
      () => unlinkSync(file),
      () => writeFileSync(file, 'six'),
      () => writeFileSync(file, 'seven'),
    ]);
  });

  test('when one of several files changes, and when all change at once', async () => {
    const folder = newFolder();
    const files = ['a/x.json', 'b/x.json', 'b/y.json'].map((name) => folder.write(name, name));
    const write = (file: string | undefined) => writeFileSync(file ?? '', `${Math.random()}`);
    await expectOneEach(observe(files), [
      () => write(files[0]),
      () => write(files[2]),
      () => {
        for (const file of files) write(file);
      },
    ]);
  });

  test('when the same number of bytes is written and the mtime is reset', async () => {
    const file = newFolder().write('x.json', 'one');
    const { atime, mtime } = statSync(file);
    await expectOneEach(observe([file]), [
      () => {
        writeFileSync(file, 'two');
        utimesSync(file, atime, mtime);
      },
      // Permissions decide who can read the file.
      () => chmodSync(file, 0),
    ]);
  });

  test('when its folders are created, deleted and recreated', async () => {
    const folder = newFolder();
    const file = join(folder.path, 'a/b/c/x.json');
    const write = () => folder.write('a/b/c/x.json', `${Math.random()}`);
    const remove = (name: string) => rmSync(join(folder.path, name), { recursive: true });
    await expectOneEach(observe([file]), [
      write,
      write,
      () => remove('a/b/c'),
      write,
      write,
      () => remove('a'),
      write,
      () => {
        remove('a/b');
        write();
      },
      write,
    ]);
  });

  test('when a folder far above it is moved away and back', async () => {
    const folder = newFolder();
    const file = folder.write('a/b/c/x.json', 'one');
    const [here, away] = [join(folder.path, 'a'), join(folder.path, 'away')];
    await expectOneEach(observe([file]), [
      () => renameSync(here, away),
      () => renameSync(away, here),
      () => writeFileSync(file, 'two'),
    ]);
  });

  test('when the folder is created first and the file much later', async () => {
    const folder = newFolder();
    const file = join(folder.path, 'later/x.json');
    const [observer, fence] = [observe([file]), observe([join(folder.path, 'later/y.json')])];
    folder.write('later/y.json', '');
    await fence.next();
    expect(observer.calls()).toBe(0);
    await expectOneEach(observer, [() => folder.write('later/x.json', ''), () => unlinkSync(file)]);
  });
});

describe('symlinks', () => {
  test('are followed to their target through any number of hops', async () => {
    const folder = newFolder();
    const [one, two] = [folder.write('one/real.json', 'one'), folder.write('two/real.json', 'two')];
    const hop = join(folder.path, 'hops/hop.json');
    const file = join(folder.path, 'project/.mcp.json');
    mkdirSync(dirname(hop));
    symlinkSync(one, hop);
    symlinkSync('../hops/./hop.json', file);
    await expectOneEach(observe([file]), [
      () => writeFileSync(one, 'changed'),
      () => replaceAtomically(one, 'replaced'),
      () => pointTo(hop, two),
      () => writeFileSync(two, 'changed'),
      () => pointTo(file, one),
      () => writeFileSync(one, 'changed again'),
      () => unlinkSync(one),
      () => writeFileSync(one, 'back'),
      () => unlinkSync(file),
      () => writeFileSync(file, 'no link'),
      () => pointTo(file, two),
      () => writeFileSync(two, 'still watched'),
    ]);
  });

  test('may be folders on the path', async () => {
    const folder = newFolder();
    const one = folder.write('one/deep/x.json', 'one');
    const two = folder.write('two/deep/x.json', 'two');
    const link = join(folder.path, 'link');
    symlinkSync('one', link);
    await expectOneEach(observe([join(link, 'deep/x.json')]), [
      () => writeFileSync(one, 'changed'),
      () => pointTo(link, join(folder.path, 'two')),
      () => writeFileSync(two, 'changed'),
      () => pointTo(link, join(folder.path, 'nowhere')),
      () => folder.write('nowhere/deep/x.json', 'somewhere'),
    ]);
  });

  test('that form a loop are watched until they become a valid file', async () => {
    const folder = newFolder();
    const file = join(folder.path, 'project/.mcp.json');
    symlinkSync(file, file);
    await expectOneEach(observe([file]), [
      () => {
        unlinkSync(file);
        writeFileSync(file, 'good');
      },
      () => writeFileSync(file, 'better'),
    ]);
  });
});

describe('no change is reported', () => {
  test('for other files in the same folders or for the folders themselves', async () => {
    const folder = newFolder();
    const file = folder.write('project/.mcp.json', 'one');
    mkdirSync(join(folder.path, '.mcp.json'));
    const observer = observe([file, join(folder.path, '.mcp.json'), join(folder.path, 'absent/x.json')]);
    const fence = observe([join(folder.path, 'project/fence')]);
    for (let index = 0; index < 300; index++) {
      folder.write(`project/noise-${index}`, '');
      folder.write(`.mcp.json/inside-${index}`, '');
      renameSync(join(folder.path, `project/noise-${index}`), join(folder.path, 'project/.mcp.json.tmp'));
    }
    chmodSync(join(folder.path, 'project'), 0o711);
    symlinkSync('nowhere', join(folder.path, 'absent'));
    folder.write('project/fence', '');
    await fence.next();
    expect([observer.calls(), fence.calls()]).toEqual([0, 1]);
  });

  test('after close, which may be called twice and from the callback', async () => {
    const file = newFolder().write('x.json', 'one');
    const [observer, fence] = [observe([file]), observe([file])];
    const inside = observe([file], { onChange: () => inside.close() });
    writeFileSync(file, 'two');
    observer.close();
    observer.close();
    await fence.next();
    await inside.next();
    writeFileSync(file, 'three');
    await fence.next();
    expect([observer.calls(), inside.calls()]).toEqual([0, 1]);
  });
});

describe('under a stream of changes', () => {
  const CHANGES = 22;

  test('a file replaced with a folder, a symlink and garbage ten times a second is reported occasionally and at the end', async () => {
    const folder = newFolder();
    const file = folder.write('project/.mcp.json', 'one');
    const target = folder.write('elsewhere/target.json', 'target');
    const forms = [
      () => mkdirSync(file),
      () => symlinkSync(target, file),
      () => writeFileSync(file, Buffer.from([0xff, 0xfe, 0x00])),
      () => symlinkSync(file, file),
      () => {},
    ];
    const seen: string[] = [];
    const begin = performance.now();
    // A busy machine takes longer for the same changes and gets more notifications.
    const secondsSoFar = () => Math.ceil((performance.now() - begin) / 1000);
    const observer = observe([file], { debounceMs: 1000, onChange: () => seen.push(contentOf(file)) });
    for (let index = 0; index < CHANGES; index++) {
      rmSync(file, { recursive: true, force: true });
      forms[index % forms.length]?.();
      await delay(100);
    }
    // At least one call came before the changes had ended.
    expect(observer.calls()).toBeGreaterThanOrEqual(1);
    expect(observer.calls()).toBeLessThanOrEqual(secondsSoFar());
    rmSync(file, { recursive: true, force: true });
    writeFileSync(file, 'the last');
    await vi.waitUntil(() => seen.at(-1) === 'the last', { timeout: 30_000, interval: 5 });
    expect(observer.calls()).toBeLessThanOrEqual(secondsSoFar() + 1);
    await observer.next();
    writeFileSync(file, 'after');
    await vi.waitUntil(() => seen.at(-1) === 'after', { timeout: 30_000, interval: 5 });
    expect(observer.problems).toEqual([]);
  });
});

function contentOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // A folder, a loop of links, or a missing file.
    return 'no file';
  }
}
