import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load-config.ts';
import { acceptReview, reviewProject } from '../../src/config/trust/trust-review.ts';
import { listConfigFiles } from '../../src/config/watch/list-config-files.ts';
import { watchConfig } from '../../src/config/watch/watch-config.ts';
import { useFolders } from './folder.ts';

const newFolder = useFolders();

test('lists every config file once, and the trust store', async () => {
  const folder = newFolder();
  // Codex in the working folder uses the same file as the folder.
  const options = folder.testEnvironment({ CODEX_HOME: join(folder.path, 'project') });
  const { files } = await loadConfig(options);
  const looked = [...new Set(files.map(({ file }) => file))];
  expect(looked).toHaveLength(files.length - 1);
  expect(listConfigFiles(options)).toEqual([...looked, join(folder.home, '.local/share/switchboard/trust.json')]);
});

test('an explicitly named file is the only one, because it needs no trust', () => {
  const folder = newFolder();
  const file = join(folder.path, 'x.json');
  expect(listConfigFiles({ ...folder.testEnvironment(), explicitFiles: [file] })).toEqual([file]);
  expect(listConfigFiles(folder.testEnvironment({ CODEX_MCP_WRAPPER_CONFIG: file }))).toEqual([file]);
});

test('trust granted while watching takes effect at once', async () => {
  const folder = newFolder();
  folder.write('project/.mcp.json', { mcpServers: { a: { command: 'x' } } });
  const options = folder.testEnvironment();
  const verdict = async () => (await loadConfig(options)).servers[0]?.verdict.kind;
  expect(await verdict()).toBe('disabled');
  const problems: string[] = [];
  const changed = new Promise<void>((resolve) => {
    const watch = watchConfig({
      files: listConfigFiles(options),
      debounceMs: 20,
      onChange: () => {
        watch.close();
        resolve();
      },
      onProblem: (message) => problems.push(message),
    });
  });
  acceptReview(reviewProject({ ...options, dir: join(folder.path, 'project') }), options);
  await changed;
  expect([await verdict(), problems]).toEqual(['usable', []]);
});
