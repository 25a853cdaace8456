import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Environment } from '../../src/config/files/folders.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { resolveProgram } from '../../src/config/resolve/resolve-stdio.ts';
import { untrustProject } from '../../src/config/trust/trust-project.ts';
import { acceptReview, reviewProject } from '../../src/config/trust/trust-review.ts';
import { type Folder, useFolders } from './folder.ts';

const newFolder = useFolders();
const server = { command: 'node', args: ['./server.cjs'] };
const own = { version: 1, mcp: { servers: { own: server } } };

test.each([
  ['.mcp.json', '.mcp.json'],
  ['.switchboard', '.switchboard'],
  ['.switchboard/config.json', '.switchboard/config.json'],
  ['.mcp.json', '.switchboard/config.json'],
])('%s that is a symlink to a trusted file in another folder needs its own trust', async (name, target) => {
  const folder = withTrustedProject();
  link(folder, `evil/${name}`, `project/${target}`);
  expect(await programs(folder.testEnvironment({}, 'evil'))).toEqual({});
  trust(folder.testEnvironment({}, 'evil'));
  expect(Object.values(await programs(folder.testEnvironment({}, 'evil')))).toEqual([join(folder.path, 'evil')]);
  const project = join(folder.path, 'project');
  expect(await programs(folder.testEnvironment())).toEqual({ own: project, shared: project });
});

test('a symlink inside a trusted project to its own file does not extend the trust to another folder', async () => {
  const folder = withTrustedProject();
  link(folder, 'project/vendor/evil/.mcp.json', 'project/.mcp.json');
  const project = join(folder.path, 'project');
  // The file itself still takes effect, in its own folder.
  expect(await programs(folder.testEnvironment({}, 'project/vendor/evil'))).toEqual({ own: project, shared: project });
});

test('a symlinked working folder has the trust of the real one, and programs run in the real one', async () => {
  const folder = withTrustedProject();
  symlinkSync(join(folder.path, 'project'), join(folder.path, 'alias'));
  const project = join(folder.path, 'project');
  expect(await programs(folder.testEnvironment({}, 'alias'))).toEqual({ own: project, shared: project });
});

test('untrust of a symlink keeps the trust of its target', async () => {
  const folder = withTrustedProject();
  link(folder, 'other/.mcp.json', 'project/.mcp.json');
  const other = folder.testEnvironment({}, 'other');
  trust(other);
  expect(untrustProject({ ...other, dir: other.cwd }).forgotten).toHaveLength(1);
  expect(await programs(other)).toEqual({});
  expect(Object.keys(await programs(folder.testEnvironment()))).toEqual(['own', 'shared']);
});

function withTrustedProject(): Folder {
  const folder = newFolder();
  folder.write('project/.mcp.json', { mcpServers: { shared: server } });
  folder.write('project/.switchboard/config.json', own);
  trust(folder.testEnvironment());
  return folder;
}

function trust(testEnvironment: Environment): void {
  const options = { ...testEnvironment, dir: testEnvironment.cwd };
  acceptReview(reviewProject(options), options);
}

function link(folder: Folder, name: string, target: string): void {
  mkdirSync(join(folder.path, name, '..'), { recursive: true });
  symlinkSync(join(folder.path, target), join(folder.path, name));
}

/** The folder in which each usable server would run. */
async function programs(testEnvironment: Environment): Promise<Readonly<Record<string, string | undefined>>> {
  const { servers } = await loadConfig(testEnvironment);
  return Object.fromEntries(
    servers.flatMap(({ id, verdict }) =>
      verdict.kind === 'usable' ? [[id, resolveProgram(verdict.entry, {}, testEnvironment).cwd]] : [],
    ),
  );
}
