import { describe, expect, test } from 'vitest';
import { trackProcesses } from '../processes.ts';
import { expectFailure, oneDocument, verbRows, withBrokenConfig, withServers } from './output-modes.ts';
import { useWorlds } from './world.ts';

const newWorld = useWorlds(trackProcesses());

describe('a command that fails writes only to stderr', () => {
  test.each(verbRows)('when it is given an invalid name: $verb', async ({ bad }) => {
    await expectFailure(() => withServers(newWorld()), bad, { status: 2, code: 'USAGE' });
  });

  test.each(verbRows)('when the option is unknown: $verb', async ({ good }) => {
    const world = withServers(newWorld());
    const [plain, json] = await Promise.all([
      world.mcp(...good, '--nonsense'),
      world.mcp(...good, '--nonsense', '--json'),
    ]);
    expect(plain).toEqual({ status: 2, stdout: '', stderr: expect.stringContaining('--nonsense') });
    expect([json.status, json.stdout, oneDocument(json.stderr)]).toMatchObject([2, '', { error: { code: 'USAGE' } }]);
  });

  test.each(verbRows.filter(({ verb }) => verb !== 'list'))(
    'when the config cannot be read, with the file and the line: $verb',
    async ({ good }) => {
      const words = await expectFailure(() => withBrokenConfig(newWorld()), good, {
        status: 7,
        code: 'CONFIG_INVALID',
      });
      expect(words).toMatch(/own\/config\.json:2: Not JSON/);
    },
  );
});
