import { describe, expect, test } from 'vitest';
import { trackProcesses } from '../processes.ts';
import { expectFailure, oneDocument, verbRows, withBrokenConfig, withServers } from './output-modes.ts';
import { useTestbeds } from './testbed.ts';

const newTestbed = useTestbeds(trackProcesses());

describe('a command that fails writes only to stderr', () => {
  test.each(verbRows)('when it is given an invalid name: $verb', async ({ bad }) => {
    await expectFailure(() => withServers(newTestbed()), bad, { status: 2, code: 'USAGE' });
  });

  test.each(verbRows)('when the option is unknown: $verb', async ({ good }) => {
    const testbed = withServers(newTestbed());
    const [plain, json] = await Promise.all([
      testbed.mcp(...good, '--nonsense'),
      testbed.mcp(...good, '--nonsense', '--json'),
    ]);
    expect(plain).toEqual({ status: 2, stdout: '', stderr: expect.stringContaining('--nonsense') });
    expect([json.status, json.stdout, oneDocument(json.stderr)]).toMatchObject([2, '', { error: { code: 'USAGE' } }]);
  });

  test.each(verbRows.filter(({ verb }) => verb !== 'list'))(
    'when the config cannot be read, with the file and the line: $verb',
    async ({ good }) => {
      const words = await expectFailure(() => withBrokenConfig(newTestbed()), good, {
        status: 7,
        code: 'CONFIG_INVALID',
      });
      expect(words).toMatch(/own\/config\.json:2: Not JSON/);
    },
  );
});
