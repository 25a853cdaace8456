import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { useTemporaryFolders } from '../../../test/temporary-folder.ts';
import type { ServerEntry } from '../../config/server-entry.ts';
import { openPinStore } from '../../config/trust/pin-store.ts';
import { type DefinitionList, readDefinitionList } from '../../schema/definitions/definition-list.ts';
import { createPin } from './pin.ts';

const newFolder = useTemporaryFolders();
let home: string;
beforeEach(() => {
  home = newFolder();
});

function pinFor(file: string, files: readonly string[] = [file]) {
  const store = openPinStore({ cwd: home, home, env: { SWITCHBOARD_HOME: home }, platform: process.platform });
  const reported: string[] = [];
  const entry = { id: 's', origin: { layer: 'global', file, line: 1 } } as ServerEntry;
  const options = { id: 's', store: () => store, entry: () => entry, files: () => files };
  return { store, reported, pin: createPin({ ...options, warn: (text) => void reported.push(text) }) };
}

const tools = (...descriptions: string[]): DefinitionList =>
  readDefinitionList('tools', [
    Buffer.from(JSON.stringify(descriptions.map((description, at) => ({ name: `t${at}`, description })))),
  ]);

test('an entry that moves to another file of the same gateway keeps its pins', () => {
  pinFor('/a').pin.toolsListed(undefined, tools('one'));
  const { pin, store, reported } = pinFor('/b', ['/a', '/b']);
  pin.toolsListed(undefined, tools('changed', 'new'));
  expect(Object.keys(store.read('/b', 's')?.pending ?? {})).toEqual(['t0', 't1']);
  expect(reported).toEqual(['s: quarantined until you trust them: t0, t1. Run: switchboard trust s']);
  // Written even without changes: another gateway does not read the old file and must find it.
  pinFor('/a').pin.toolsListed(undefined, tools('one'));
  const still = pinFor('/c', ['/a', '/c']);
  still.pin.toolsListed(undefined, tools('one'));
  expect(Object.keys(still.store.read('/c', 's')?.tools ?? {})).toEqual(['t0']);
});

test('ignores a server of the same name in the file of another gateway', () => {
  pinFor('/a').pin.toolsListed(undefined, tools('one'));
  const { pin, reported } = pinFor('/b');
  pin.toolsListed(undefined, tools('quite another'));
  expect(tools('quite another').items.map(pin.whyQuarantined)).toEqual([undefined]);
  expect(reported).toEqual([]);
});

test('limits reports about a server that changes with every list', () => {
  const { pin, reported } = pinFor('/a');
  pin.toolsListed(undefined, tools('first'));
  for (let turn = 0; turn < 50; turn++) pin.toolsListed(undefined, tools(`turn ${turn}`));
  expect(reported).toHaveLength(1);
});

test('recognizes a file by any of its paths', () => {
  const [real, link] = [join(home, 'config.json'), join(home, 'link.json')];
  writeFileSync(real, '');
  symlinkSync(real, link);
  pinFor(link).pin.toolsListed(undefined, tools('one'));
  for (const file of [real, link]) {
    const { pin, store } = pinFor(file);
    pin.toolsListed(undefined, tools('one', 'new'));
    expect(tools('one', 'new').items.map((tool) => pin.whyQuarantined(tool) === undefined)).toEqual([true, false]);
    expect(Object.keys(store.read(file, 's')?.pending ?? {})).toEqual(['t1']);
  }
  const moved = pinFor(join(home, 'other.json'), [link]).pin;
  expect(moved.isPinned()).toBe(true);
});
