import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import { blankComments } from '../../src/config/json/comments.ts';
import { GLOBAL, ownConfig, type Testbed, useTestbeds } from '../mcp/testbed.ts';
import { trackProcesses } from '../processes.ts';

/** A JSON client with a realistic config. */
export interface ClientCase {
  readonly client: string;
  /** Below the home folder. */
  readonly file: string;
  /** The text that a user has, with the servers `files` and `web`. */
  readonly text: string;
  /** The path of the servers. */
  readonly servers: readonly string[];
  /** Our entry for a launcher. */
  entry(launcher: string): unknown;
  /** Returns whether the client starts this server. */
  isOn(content: unknown, name: string): boolean;
  /** Whether `connect` never creates this file itself. */
  readonly isNeverCreated?: boolean;
}

export function at(content: unknown, path: readonly string[]): unknown {
  let value = content;
  for (const key of path) value = typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
  return value;
}

export function readContent(testbed: Testbed, file: string): unknown {
  return JSON.parse(blankComments(testbed.read(file)));
}

/** Lets our config contain `files`, which was imported from the client, and `mine`, which was not. */
export function recordImport(testbed: Testbed, client: string): void {
  const server = { transport: 'stdio', command: 'true' };
  testbed.write(GLOBAL, ownConfig({ files: server, mine: server }));
  const record = { imported: ['files'], shared: [], seen: ['files', 'web'] };
  testbed.write('own/clients.json', { version: 1, clients: { [client]: record } });
}

/** Tests that hold for every client with a JSON config. */
export function describeClient({ client, file, text, servers, entry, isOn, isNeverCreated = false }: ClientCase): void {
  const newTestbed = useTestbeds(trackProcesses());
  const open = () => {
    const testbed = newTestbed();
    testbed.write(file, text);
    return { testbed, launcher: testbed.path('own/bin/switchboard') };
  };
  const connect = (testbed: Testbed, ...args: readonly string[]) => testbed.run(['connect', client, '--yes', ...args]);
  const disconnect = (testbed: Testbed) => testbed.run(['disconnect', client, '--yes']);

  describe(`connect ${client}`, () => {
    test('adds one entry, changes nothing when repeated, and disconnect restores every byte', async () => {
      const { testbed, launcher } = open();
      const first = await connect(testbed);
      expect(first).toMatchObject({ status: 0, stderr: '' });
      const connected = testbed.read(file);
      const content = readContent(testbed, file);
      expect(at(content, [...servers, 'switchboard'])).toEqual(entry(launcher));
      expect(isOn(content, 'files')).toBe(true);
      expect(first.stdout).toContain(`+++ ${testbed.path(file)}`);

      expect((await connect(testbed)).stdout).toContain('is already connected');
      expect(testbed.read(file)).toBe(connected);

      expect(await disconnect(testbed)).toMatchObject({ status: 0, stderr: '' });
      expect(testbed.read(file)).toBe(text);
    });

    test('turns off the servers that it now provides, and disconnect turns them on again', async () => {
      const { testbed } = open();
      recordImport(testbed, client);
      await connect(testbed);
      const content = readContent(testbed, file);
      expect([isOn(content, 'files'), isOn(content, 'web')]).toEqual([false, true]);
      await connect(testbed, '--codex');
      expect([isOn(content, 'files'), isOn(content, 'web')]).toEqual([false, true]);
      expect(at(readContent(testbed, file), [...servers, 'codex'])).toBeDefined();
      await disconnect(testbed);
      expect(testbed.read(file)).toBe(text);
    });

    test('keeps what the client wrote since, and turns its servers on again', async () => {
      const { testbed } = open();
      recordImport(testbed, client);
      const before = readContent(testbed, file);
      await connect(testbed);
      const rewritten = { ...Object(readContent(testbed, file)), later: { edit: true } };
      testbed.write(file, JSON.stringify(rewritten, null, '\t'));
      expect(await disconnect(testbed)).toMatchObject({ status: 0, stderr: '' });
      expect(readContent(testbed, file)).toEqual({ ...Object(before), later: { edit: true } });
    });

    test.skipIf(isNeverCreated)('creates a missing file, and disconnect removes it with its folder', async () => {
      const { testbed, launcher } = open();
      const folder = file.split('/').slice(0, -1).join('/');
      rmSync(testbed.path(folder === '' ? file : folder), { recursive: true });
      expect(await connect(testbed)).toMatchObject({ status: 0, stderr: '' });
      expect(at(readContent(testbed, file), [...servers, 'switchboard'])).toEqual(entry(launcher));
      await disconnect(testbed);
      expect([testbed.exists(file), folder !== '' && testbed.exists(folder)]).toEqual([false, false]);
    });

    test('changes nothing in a broken file, and names its line', async () => {
      const { testbed } = open();
      const broken = `${text.trimEnd().slice(0, -1)}\n`;
      mkdirSync(dirname(testbed.path(file)), { recursive: true });
      writeFileSync(testbed.path(file), broken);
      const { status, stderr } = await connect(testbed);
      expect(status).toBe(7);
      expect(stderr).toMatch(new RegExp(`${file.replaceAll('.', '\\.')}:\\d+: Not JSON`));
      expect([testbed.read(file), testbed.exists('own/connections.json')]).toEqual([broken, false]);
    });
  });
}
