import { isDeepStrictEqual } from 'node:util';
import { parse, stringify } from 'smol-toml';
import { describe, expect, test } from 'vitest';
import { parseForeignFile } from '../../src/config/foreign/foreign-file.ts';
import { clientShapes } from '../../src/config/foreign/shapes.ts';
import { blankComments } from '../../src/config/json/comments.ts';
import { GLOBAL, PROJECT, type Testbed, useTestbeds } from '../mcp/testbed.ts';
import { trackProcesses } from '../processes.ts';

type ClientId = keyof typeof clientShapes;
type Path = readonly (string | number)[];

/** A realistic file of one shape, and everything that an import makes of it. */
export interface ShapeCase {
  /** The client whose file this is; undefined for a file that is imported by its path. */
  readonly client?: ClientId;
  /** Below the home folder. */
  readonly file: string;
  /** May contain `HOME`, which stands for the home folder. */
  readonly text: string;
  /** Other files below the home folder. */
  readonly files?: Readonly<Record<string, string>>;
  /** The parts of the file that hold servers. Every field below them must be mapped or named. */
  readonly servers: readonly Path[];
  /** Keys that only repeat what other keys of the same server say. */
  readonly redundant?: readonly string[];
  readonly expected: Imported;
}

interface Imported {
  /** Entries that are written to our global config, and to that of the project. */
  readonly entries: Readonly<Record<string, object>>;
  readonly projectEntries?: Readonly<Record<string, object>>;
  /** By id: the keys that are not carried over. */
  readonly notCarried?: Readonly<Record<string, readonly string[]>>;
  /** By name: a part of the reason. */
  readonly skipped?: Readonly<Record<string, string>>;
  /** Secrets that are stored, by variable. */
  readonly secrets?: Readonly<Record<string, string>>;
  /** By id: variables without a value. */
  readonly missing?: Readonly<Record<string, readonly string[]>>;
}

/** Tests that hold for every shape of config file. */
export function describeShape(title: string, shape: ShapeCase): void {
  const newTestbed = useTestbeds(trackProcesses());

  const open = () => {
    const testbed = newTestbed();
    for (const [name, content] of Object.entries(shape.files ?? {})) testbed.write(name, content);
    testbed.write(shape.file, shape.text.replaceAll('HOME', testbed.folder));
    return testbed;
  };

  describe(`import of ${title}`, () => {
    test('translates every server, and names everything that it cannot translate', async () => {
      const testbed = open();
      const before = testbed.read(shape.file);
      const from = shape.client ?? testbed.path(shape.file);
      const { status, stdout } = await testbed.run(['import', '--all', '--json', '--from', from]);
      expect(status).toBe(0);
      expect(importedBy(testbed, JSON.parse(stdout))).toEqual(atHome(shape.expected, testbed));
      expect(testbed.read(shape.file)).toBe(before);
    });

    test('--config reads the same servers', async () => {
      const testbed = open();
      const { status, stdout } = await testbed.run(['list', '--json', '--config', testbed.path(shape.file)]);
      const { entries, projectEntries = {} } = shape.expected;
      const listed: readonly { id: string; enabled: boolean }[] = JSON.parse(stdout).servers;
      const expected = Object.entries({ ...entries, ...projectEntries }).map(([id, entry]) => {
        return { id, enabled: Reflect.get(entry, 'enabled') !== false };
      });
      expect(status).toBe(0);
      expect(listed.map(({ id, enabled }) => ({ id, enabled })).toSorted(byId)).toEqual(expected.toSorted(byId));
    });

    test('maps or names every field', async () => {
      const content = parseText(shape.file, shape.text);
      const base = await read(shape, content);
      const lost: string[] = [];
      for (const path of shape.servers.flatMap((root) => pathsBelow(content, root, base.notCarried))) {
        if (shape.redundant?.includes(String(path.at(-1))) === true) continue;
        const without = await read(shape, withoutPath(content, path)).catch(() => undefined);
        if (isDeepStrictEqual(without, base)) lost.push(path.join('.'));
      }
      expect(lost).toEqual([]);
    });
  });
}

function byId(one: { readonly id: string }, other: { readonly id: string }): number {
  return one.id < other.id ? -1 : 1;
}

interface Document {
  readonly servers: readonly { id: string; notCarried: readonly { key: string }[]; missing: readonly string[] }[];
  readonly skipped: readonly { name: string; reason: string }[];
}

function importedBy(testbed: Testbed, { servers, skipped }: Document): Required<Imported> {
  const entries = (name: string) => (testbed.exists(name) ? Object(testbed.json(name)).mcp.servers : {});
  const byId = (read: (server: Document['servers'][number]) => readonly string[]) =>
    Object.fromEntries(servers.map((server) => [server.id, read(server)]).filter(([, list]) => list?.length !== 0));
  return {
    entries: entries(GLOBAL),
    projectEntries: entries(PROJECT),
    notCarried: byId(({ notCarried }) => notCarried.map(({ key }) => key)),
    skipped: Object.fromEntries(skipped.map(({ name, reason }) => [name, reason])),
    secrets: testbed.exists('own/secrets.json') ? Object(testbed.json('own/secrets.json')).secrets : {},
    missing: byId(({ missing }) => missing),
  };
}

function atHome(expected: Imported, testbed: Testbed): object {
  const all = { projectEntries: {}, notCarried: {}, skipped: {}, secrets: {}, missing: {}, ...expected };
  const filled: object = JSON.parse(JSON.stringify(all).replaceAll('HOME', testbed.folder));
  const reasons = Object.entries(all.skipped).map(([name, part]) => [name, expect.stringContaining(part)]);
  return { ...filled, skipped: Object.fromEntries(reasons) };
}

function parseText(file: string, text: string): unknown {
  return file.endsWith('.toml') ? parse(text) : JSON.parse(blankComments(text));
}

/** What the shape makes of a content, without lines. */
async function read({ client, file }: ShapeCase, content: unknown) {
  const isToml = file.endsWith('.toml');
  const text = isToml ? stringify(Object(content)) : JSON.stringify(content);
  const environment = { cwd: 'HOME/project', home: 'HOME', env: {}, platform: 'linux' } as const;
  const shape = client === undefined ? undefined : clientShapes[client];
  const options = { environment, project: undefined, isToml, shape };
  const { servers, skipped } = await parseForeignFile(file, Buffer.from(text), options);
  return {
    servers: servers.map(({ line: _, ...server }) => server),
    skipped: skipped.map(({ line: _, ...server }) => server),
    notCarried: servers.flatMap(({ notCarried }) => notCarried.map(({ key }) => key)),
  };
}

/** Returns all paths below an object or a list. What is named as a whole is one field. */
function pathsBelow(content: unknown, root: Path, notCarried: readonly string[]): readonly Path[] {
  const value = valueAt(content, root);
  if (typeof value !== 'object' || value === null) return [];
  const keys: readonly (string | number)[] = Array.isArray(value) ? value.map((_, index) => index) : Object.keys(value);
  return keys.flatMap((key) => {
    const path = [...root, key];
    const isNamed = notCarried.some((name) => path.join('.').endsWith(`.${name}`));
    return isNamed ? [path] : [path, ...pathsBelow(content, path, notCarried)];
  });
}

function valueAt(content: unknown, path: Path): unknown {
  return path.reduce<unknown>((value, key) => (value === undefined ? undefined : Object(value)[key]), content);
}

function withoutPath(content: unknown, path: Path): unknown {
  const copy: unknown = structuredClone(content);
  const [key = ''] = path.slice(-1);
  const parent = valueAt(copy, path.slice(0, -1));
  if (Array.isArray(parent)) parent.splice(Number(key), 1);
  else Reflect.deleteProperty(Object(parent), key);
  return copy;
}
