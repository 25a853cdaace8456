import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { parse } from 'smol-toml';
import { expect, test } from 'vitest';
import { CLIENT_IDS, type ClientId, findClient } from '../../src/clients/clients.ts';
import { trackProcesses } from '../processes.ts';
import { useTemporaryFolders } from '../temporary-folder.ts';
import { readBlocks } from './blocks.ts';
import { root, runIn } from './programs.ts';

/** Every client has a page, which shows the file and the entry that `switchboard connect` writes. */
const processes = trackProcesses();
const newFolder = useTemporaryFolders();
const SHOWN_HOME = '/home/me';

test('docs/clients has a page for every client, and docs/connect.md lists them', () => {
  const pages = readdirSync(join(root, 'docs/clients')).toSorted();
  expect(pages).toEqual(CLIENT_IDS.map((id) => `${id}.md`).toSorted());
  const overview = readFileSync(join(root, 'docs/connect.md'), 'utf8');
  expect(CLIENT_IDS.filter((id) => !overview.includes(`](clients/${id}.md) | \`${id}\` |`))).toEqual([]);
});

test('each page shows exactly what connect writes, and where', async () => {
  const home = newFolder();
  const files = CLIENT_IDS.map((id) => ({ id, file: fileOf(id, home) }));
  for (const { file } of files) mkdirSync(dirname(file), { recursive: true });
  // Without Codex, whose entry other tests compare with the real one.
  const env = processes.env({ HOME: home, PATH: '/usr/bin', SWITCHBOARD_HOME: '' });
  const args = [join(root, 'dist/cli/main.js'), 'connect', ...CLIENT_IDS, '--yes'];
  const { status, err } = await runIn({ cwd: home, command: process.execPath, args, env });
  expect({ status, err }).toEqual({ status: 0, err: '' });
  for (const { id, file } of files) {
    const page = readFileSync(join(root, `docs/clients/${id}.md`), 'utf8');
    const shown = readBlocks(page).find(({ language }) => language === 'json' || language === 'toml');
    const written = readFileSync(file, 'utf8').replaceAll(home, SHOWN_HOME);
    const read = (text: string) => (shown?.language === 'toml' ? parse(text) : JSON.parse(text));
    expect(read(shown?.code ?? '{}'), id).toEqual(read(written));
    expect(page, id).toContain(`\`~/${relative(home, file)}\``);
  }
});

function fileOf(id: ClientId, home: string): string {
  const files = findClient(id)?.files({ cwd: home, home, env: {}, platform: 'linux' });
  return files?.[0]?.file ?? '';
}
