import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findProjectSources, globalSource, type Source } from '../../src/config/files/sources.ts';
import { blankComments } from '../../src/config/json/comments.ts';
import { openPinStore } from '../../src/config/trust/pin-store.ts';
import { changeTrustStore, trustFile } from '../../src/config/trust/trust-store.ts';
import { removeEntry, setEnabled, writeEntry } from '../../src/config/write/write-entry.ts';
import { propertyRuns } from '../property-runs.ts';
import { useFolders } from './folder.ts';

const newFolder = useFolders();
const FILE = 'project/.switchboard/config.json';
const entry = { transport: 'stdio', command: 'run' };

function setUp(content?: string | Buffer) {
  const folder = newFolder();
  const [source] = findProjectSources(folder.testEnvironment());
  if (source === undefined) throw new Error('A project has a config.');
  if (content !== undefined) folder.write(FILE, content);
  return { folder, source, read: () => readFileSync(source.file, 'utf8') };
}

const add = (source: Source, id = 'new') => writeEntry(source, id, { entry, mayReplace: false });

describe('a config file of ours', () => {
  const written = [
    '\ufeff// my servers',
    '{',
    '\t"version": 1, // the first',
    '\t"theme": { "dark": true }, /* unknown, and kept */',
    '\t"mcp": {',
    '\t\t"servers": {',
    '\t\t\t// the first server',
    '\t\t\t"one": { "command": "x", "future": [1, /* two */ 2, ] }, // about one',
    '\t\t\t"two": {',
    '\t\t\t\t"command": "y" // about its command',
    '\t\t\t}, // about two',
    '\t\t\t// "three": { "command": "z" }',
    '\t\t},',
    '\t\t"other": null',
    '\t}',
    '}',
    '// the end',
    '',
  ].join('\r\n');

  test('gets a new entry and is otherwise byte-identical', () => {
    const { source, read } = setUp(written);
    expect(add(source)).toEqual({ isNew: false, isChanged: true, isReplaced: false });
    const put = ['\t\t\t"new": {', '\t\t\t\t"transport": "stdio",', '\t\t\t\t"command": "run"', '\t\t\t},'];
    const lines = written.split('\r\n');
    expect(read()).toBe([...lines.slice(0, 11), ...put, ...lines.slice(11)].join('\r\n'));
  });

  test('loses an entry with its line ending and is otherwise byte-identical', () => {
    const { source, read } = setUp(written);
    expect(removeEntry(source, 'two')).toMatchObject({ isChanged: true });
    const lines = written.split('\r\n');
    expect(read()).toBe([...lines.slice(0, 8), ...lines.slice(11)].join('\r\n'));
  });

  test('has an entry enabled or disabled and is otherwise byte-identical', () => {
    const { source, read } = setUp(written);
    setEnabled(source, 'two', { isEnabled: false });
    expect(read()).toBe(
      written.replace('"y" // about its command', '"y", // about its command\r\n\t\t\t\t"enabled": false'),
    );
    setEnabled(source, 'two', { isEnabled: true });
    expect(read()).toContain('"y", // about its command\r\n\t\t\t\t"enabled": true\r\n\t\t\t}, // about two');
  });

  test('that already matches is not written', () => {
    const { source, folder } = setUp('{ "mcp": { "servers": { "a": {} } } }');
    chmodSync(source.file, 0o444);
    const { mtimeMs } = statSync(source.file);
    expect(setEnabled(source, 'a', { isEnabled: true })).toMatchObject({ isChanged: false });
    expect(removeEntry(source, 'b')).toBeUndefined();
    expect(setEnabled(source, 'b', { isEnabled: true })).toBeUndefined();
    expect(statSync(source.file).mtimeMs).toBe(mtimeMs);
    expect(readdirSync(join(folder.path, 'project/.switchboard'))).toEqual(['config.json']);
  });

  test('that does not exist is not created by a removal', () => {
    const { source, folder } = setUp();
    expect([removeEntry(source, 'a'), setEnabled(source, 'a', { isEnabled: true })]).toEqual([undefined, undefined]);
    expect(readdirSync(join(folder.path, 'project'))).toEqual([]);
  });

  test.each(['', ' \r\n', '\ufeff'])('that is empty (%j) becomes a valid one', (content) => {
    const { source, read } = setUp(content);
    expect(add(source)).toMatchObject({ isNew: false, isChanged: true });
    expect(JSON.parse(read().replace('\ufeff', ''))).toEqual({ version: 1, mcp: { servers: { new: entry } } });
  });

  test('is not written if it is a symlink to a file of another program', () => {
    const { folder } = setUp();
    const source = globalSource(folder.testEnvironment());
    const foreign = folder.write('tasks.json', '{"version":1,"tasks":[]}');
    mkdirSync(join(source.file, '..'), { recursive: true });
    symlinkSync(foreign, source.file);
    expect(() => add(source)).toThrow('does not look like a Switchboard config');
    expect(readFileSync(foreign, 'utf8')).toBe('{"version":1,"tasks":[]}');
  });

  test('of the user is written through a symlink, which is kept', () => {
    const { folder } = setUp();
    const source = globalSource(folder.testEnvironment());
    const real = folder.write('dotfiles/config.json', { version: 1 });
    mkdirSync(join(source.file, '..'), { recursive: true });
    symlinkSync(real, source.file);
    add(source);
    expect(JSON.parse(readFileSync(real, 'utf8'))).toEqual({ version: 1, mcp: { servers: { new: entry } } });
    expect(readdirSync(join(folder.path, 'dotfiles'))).toEqual(['config.json']);
    expect(lstatSync(source.file).isSymbolicLink()).toBe(true);
  });

  test.each([
    ['.switchboard/config.json', 'home/.config/switchboard/config.json'],
    ['.switchboard/config.json', 'nowhere.json'],
    ['.switchboard', 'home/.config/switchboard'],
    ['.switchboard', 'nowhere'],
  ])('of a project is not written through its symlink %s to %s', (name, target) => {
    const { folder, source } = setUp();
    const global = folder.write('home/.config/switchboard/config.json', { version: 1 });
    const link = join(folder.path, 'project', name);
    mkdirSync(join(link, '..'), { recursive: true });
    symlinkSync(join(folder.path, target), link);
    const fault = `${link} is a symbolic link in a repository, and Switchboard does not write through it`;
    expect(() => add(source)).toThrow(fault);
    expect(JSON.parse(readFileSync(global, 'utf8'))).toEqual({ version: 1 });
    expect(readdirSync(folder.path).sort()).toEqual(['home', 'project']);
  });

  test.each(['config.json', 'trust.json', 'pins.json'])(
    '%s is not written through a symlink in a repository',
    (name) => {
      const { folder } = setUp();
      const testEnvironment = folder.testEnvironment({ SWITCHBOARD_HOME: join(folder.path, 'project/data') });
      folder.write('project/.git/HEAD', 'ref: refs/heads/main\n');
      mkdirSync(join(folder.path, 'project/data'));
      const target = folder.write('victim.json', '{"version":1}');
      symlinkSync(target, join(folder.path, 'project/data', name));
      const write = {
        'config.json': () => add(globalSource(testEnvironment)),
        'trust.json': () => changeTrustStore(trustFile(testEnvironment), () => []),
        'pins.json': () => openPinStore(testEnvironment).write({ file: 'f', id: 'i', tools: {}, pending: {} }),
      }[name];
      rmSync(target);
      expect(write).toThrow('is a symbolic link in a repository');
      expect(existsSync(target)).toBe(false);
    },
  );

  test('a folder with an empty .git, as the Codex sandbox leaves it, is not a repository', () => {
    const { folder } = setUp();
    const testEnvironment = folder.testEnvironment({ SWITCHBOARD_HOME: join(folder.path, 'data') });
    mkdirSync(join(folder.path, '.git'));
    mkdirSync(join(folder.path, 'data'));
    const target = folder.write('dotfiles/config.json', { version: 1 });
    symlinkSync(target, join(folder.path, 'data/config.json'));
    add(globalSource(testEnvironment));
    expect(JSON.parse(readFileSync(target, 'utf8'))).toEqual({ version: 1, mcp: { servers: { new: entry } } });
  });

  test.each([
    ['a newer version', '{ "version": 7, "mcp": { "servers": { "a": {} } } }'],
    ['invalid JSON', '{ "mcp": { "servers": { "a": {} } '],
    ['servers as an array', '{ "mcp": { "servers": [] } }'],
    ['UTF-16', Buffer.from('\ufeff{}', 'utf16le')],
  ])('with %s is refused and stays unchanged', (_, content) => {
    const { source } = setUp(content);
    const before = readFileSync(source.file);
    const refused = { code: 'CONFIG_INVALID', data: expect.objectContaining({ file: source.file }) };
    expect(() => add(source)).toThrow(expect.objectContaining(refused));
    expect(() => removeEntry(source, 'a')).toThrow(expect.objectContaining(refused));
    expect(() => setEnabled(source, 'a', { isEnabled: false })).toThrow(expect.objectContaining(refused));
    expect(readFileSync(source.file)).toEqual(before);
  });

  test('cannot grow beyond the limit of servers', () => {
    const servers = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`s${index}`, {}]));
    const { source } = setUp(JSON.stringify({ mcp: { servers } }));
    expect(() => add(source)).toThrow('A file may have at most 1000 servers: remove one first.');
  });

  test('keeps its mode, and is private if it is global or holds a secret', () => {
    const { source, folder } = setUp();
    const mode = (file: string) => (statSync(file).mode & 0o777).toString(8);
    add(source);
    expect(mode(source.file)).toBe('644');
    chmodSync(source.file, 0o640);
    writeEntry(source, 'b', { entry: { ...entry, env: { MODE: 'x' } }, mayReplace: false });
    expect(mode(source.file)).toBe('640');
    writeEntry(source, 'c', { entry: { ...entry, env: { API_KEY: 'x' } }, mayReplace: false });
    expect(mode(source.file)).toBe('600');
    const global = globalSource(folder.testEnvironment({ SWITCHBOARD_HOME: join(folder.path, 'deep/own') }));
    add(global);
    expect([mode(global.file), mode(join(folder.path, 'deep/own')), mode(join(folder.path, 'deep'))]).toEqual([
      ...['600', '700', '700'],
    ]);
  });

  test('in an unwritable location is an error that names the file', () => {
    const folder = newFolder();
    folder.write('project/.switchboard', 'a file');
    const [source] = findProjectSources(folder.testEnvironment());
    expect(() => add(source as Source)).toThrow(
      expect.objectContaining({
        code: 'CONFIG_INVALID',
        message: expect.stringMatching(/config\.json: The file cannot be written: E/),
      }),
    );
  });
});

/** Files as people write them: an entry on one line or on several, with comments above and after it. */
const layout = fc.record({
  eol: fc.constantFrom('\n', '\r\n'),
  unit: fc.constantFrom('  ', '    ', '\t'),
  mark: fc.constantFrom('', '\ufeff'),
  end: fc.constantFrom('', '\n', '\r\n// bye\r\n'),
  hasLastComma: fc.boolean(),
  entries: fc.uniqueArray(
    fc.record({
      id: fc.stringMatching(/^[a-z0-9_-]{1,8}$/),
      above: fc.constantFrom([], ['// above'], ['/* a', '   b */'], ['', '// gap']),
      behind: fc.constantFrom('', ' // behind, "x": {}', ' /* behind } */'),
      body: fc.constantFrom('{ "command": "a" }', '{"url":"https://x/y"/* in */}', '{ // in@  "command": "a", // c@@}'),
    }),
    { selector: ({ id }) => id, minLength: 1, maxLength: 5 },
  ),
});
type Layout = typeof layout extends fc.Arbitrary<infer T> ? T : never;

function write({ eol, unit, mark, end, hasLastComma, entries }: Layout): string {
  const inner = unit.repeat(3);
  const lines = entries.flatMap(({ id, above, behind, body }, index) => {
    const comma = index < entries.length - 1 || hasLastComma ? ',' : '';
    const text = body.replace(/@@/, `${eol}${inner}`).replaceAll('@', `${eol}${inner}${unit}`);
    return [...above.map((line) => `${inner}${line}`), `${inner}"${id}": ${text}${comma}${behind}`];
  });
  const head = ['{', `${unit}"version": 1,`, `${unit}"mcp": {`, `${unit}${unit}"servers": {`];
  return mark + [...head, ...lines, `${unit}${unit}}`, `${unit}}`, '}'].join(eol) + end;
}

describe('with any layout', () => {
  test('adding and removing an entry restores the file byte for byte', () => {
    fc.assert(
      fc.property(layout, (chosen) => {
        fc.pre(chosen.entries.every(({ id }) => id !== 'new'));
        const text = write(chosen);
        const { source, read } = setUp(text);
        add(source);
        const servers = JSON.parse(blankComments(read().replace('\ufeff', ''))).mcp.servers;
        expect(Object.keys(servers).sort()).toEqual([...chosen.entries.map(({ id }) => id), 'new'].sort());
        removeEntry(source, 'new');
        expect(read()).toBe(text);
      }),
      propertyRuns(100),
    );
  });

  test('disabling an entry changes only its "enabled" line', () => {
    fc.assert(
      fc.property(layout, fc.nat(), (chosen, index) => {
        const text = write(chosen);
        const { source, read } = setUp(text);
        const { id } = chosen.entries[index % chosen.entries.length] ?? { id: '' };
        setEnabled(source, id, { isEnabled: false });
        const off = read();
        expect(off.replace(/,?(?:\s*)"enabled": false/, '').replace(/[\s,]/g, '')).toBe(text.replace(/[\s,]/g, ''));
        setEnabled(source, id, { isEnabled: true });
        expect(read()).toBe(off.replace('"enabled": false', '"enabled": true'));
      }),
      propertyRuns(100),
    );
  });
});
