import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { useTemporaryFolders } from '../../../test/temporary-folder.ts';
import type { RememberedDecision } from './remembered-decisions.ts';
import { openRememberedFile } from './remembered-file.ts';

const newFolder = useTemporaryFolders();

const tool: RememberedDecision = {
  scope: 'tool',
  server: 'files',
  identity: '1'.repeat(64),
  tool: 'write',
  definition: '2'.repeat(64),
  arguments: undefined,
  isAllowed: true,
  at: 1_700_000_000_000,
};
const args: RememberedDecision = { ...tool, scope: 'arguments', arguments: '3'.repeat(64), isAllowed: false };
const server: RememberedDecision = { ...tool, scope: 'server', tool: undefined, definition: undefined };

describe('a decision file', () => {
  const of = (decision: object) => ({ version: 1, decisions: [decision] });
  test.each<[string, unknown, string]>([
    ['with a newer version', { version: 2, decisions: [] }, 'This is version 2, but this Switchboard supports only 1'],
    [
      'without a version',
      { decisions: [] },
      'The file is damaged: its version is missing. Remove it. Switchboard then asks',
    ],
    ['without decisions', { version: 1 }, 'The file is damaged: it is incomplete.'],
    ['with a list that is not an array', { version: 1, decisions: {} }, 'decisions must be a list, but is an object.'],
    ['with an unknown scope', of({ ...tool, scope: 'all' }), 'decisions[0].scope must be one of "arguments", "tool"'],
    ['with a non-boolean isAllowed', of({ ...tool, isAllowed: 'yes' }), 'decisions[0].isAllowed must be true or false'],
    ['without a definition', of({ ...tool, definition: undefined }), 'damaged: an entry is incomplete.'],
    ['without arguments', of({ ...args, arguments: undefined }), 'damaged: an entry is incomplete.'],
    ['with an invalid time', of({ ...tool, at: 'now' }), 'damaged: a time in it is not a number.'],
    ['that is truncated', '{"version":1,"decisi', 'Not JSON at column'],
    ['that is empty', '', 'The file is empty'],
  ])('%s is ignored, never overwritten, and reported once', async (_, content, message) => {
    const { file, folder, store, warnings } = newPlace();
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
    const before = readFileSync(file, 'utf8');
    expect([store.read(), store.read()]).toEqual([[], []]);
    expect(warnings).toEqual([expect.stringContaining(message)]);
    expect(warnings[0]).toMatch(/^Remembered permissions are not used: .*decisions\.json/);
    await store.update(() => [tool]);
    expect(warnings[1]).toMatch(/^The decision is not remembered: .*decisions\.json/);
    expect(() => store.updateNow(() => [])).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
    expect([readFileSync(file, 'utf8'), readdirSync(folder)]).toEqual([before, ['decisions.json']]);
  });

  test('that cannot be created is reported on the first decision, and forgetting fails', async () => {
    const { folder } = newPlace();
    writeFileSync(join(folder, 'file'), '');
    const { store, warnings } = openAt(join(folder, 'file', 'decisions.json'));
    expect(store.read()).toEqual([]);
    await store.update(() => [tool]);
    expect(warnings).toEqual([expect.stringMatching(/decisions\.json: Permissions cannot be stored: /)]);
    mkdirSync(join(folder, 'folder'));
    const other = openAt(join(folder, 'folder'));
    expect(other.store.read()).toEqual([]);
    expect(other.warnings).toEqual([expect.stringMatching(/folder: This is not a regular file\./)]);
    expect(() => other.store.updateNow(() => [])).toThrow(/This is not a regular file/);
  });

  test('returns what was stored, with owner-only permissions and no temporary files', async () => {
    const { folder } = newPlace();
    const { store, warnings, file } = openAt(join(folder, 'new', 'decisions.json'));
    expect(store.read()).toEqual([]);
    await store.update((decisions) => [...decisions, tool, args, server]);
    expect(store.read()).toEqual([tool, args, server]);
    const modes = [join(folder, 'new'), file].map((path) => (statSync(path).mode & 0o777).toString(8));
    expect([modes, readdirSync(join(folder, 'new')), warnings]).toEqual([['700', '600'], ['decisions.json'], []]);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
      version: 1,
      decisions: [tool, args, server].map((decision) => JSON.parse(JSON.stringify(decision))),
    });
  });

  test('is reread after another process changes, repairs or removes it', async () => {
    const { file, store, warnings } = newPlace();
    const other = openAt(file).store;
    await other.update(() => [tool]);
    expect(store.read()).toEqual([tool]);
    await store.update((decisions) => [...decisions, server]);
    expect(other.read()).toEqual([tool, server]);
    writeFileSync(file, 'damaged');
    expect(other.read()).toEqual([]);
    rmSync(file);
    expect(store.read()).toEqual([]);
    await other.update(() => [args]);
    expect(store.read()).toEqual([args]);
    expect(warnings).toEqual([]);
  });

  test('loses no concurrent updates', async () => {
    const { file, store } = newPlace();
    const other = openAt(file).store;
    const add = (name: string) => (decisions: readonly RememberedDecision[]) => [...decisions, { ...tool, tool: name }];
    const names = Array.from({ length: 20 }, (_, index) => `t${String(index).padStart(2, '0')}`);
    await Promise.all(names.map((name, index) => (index % 2 === 0 ? store : other).update(add(name))));
    expect(store.read().map((decision) => decision.tool)).toEqual(expect.arrayContaining(names));
    expect(store.read()).toHaveLength(20);
  });

  test('is not created by forgetting', () => {
    const { folder, store } = newPlace();
    store.updateNow(() => []);
    expect(readdirSync(folder)).toEqual([]);
  });
});

function newPlace() {
  const folder = newFolder();
  return { folder, ...openAt(join(folder, 'decisions.json')) };
}

function openAt(file: string) {
  const warnings: string[] = [];
  return { file, warnings, store: openRememberedFile(file, (text) => void warnings.push(text)) };
}
