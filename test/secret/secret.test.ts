import { describe, expect, test } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { GLOBAL, ownConfig, useTestbeds } from '../mcp/testbed.ts';
import { trackProcesses } from '../processes.ts';
import { modeOf } from '../temporary-folder.ts';

const newTestbed = useTestbeds(trackProcesses());
const STORE = 'own/secrets.json';
const VALUE = 's3cret-value';

/** A server that inherits TOKEN by name and reports its environment. */
const server = { ...fixture('reports-environment'), env_vars: ['TOKEN'] };

describe('switchboard secret', () => {
  test('stores a value from stdin, lists its name and the servers that use it, and removes it', async () => {
    const testbed = newTestbed();
    testbed.write(GLOBAL, ownConfig({ reports: server }));
    const set = await testbed.run(['secret', 'set', 'TOKEN'], { stdin: `${VALUE}\n` });
    expect(set).toEqual({
      status: 0,
      stdout: 'Stored TOKEN. Servers that use this variable get this value unless the client sets its own.\n',
      stderr: '',
    });
    expect(modeOf(testbed.path(STORE))).toBe('600');
    await testbed.run(['secret', 'set', 'UNUSED'], { stdin: 'x\n' });
    const list = await testbed.run(['secret', 'list'], { env: { UNUSED: 'y' } });
    expect(list.stdout).toBe(
      'TOKEN   used by reports\nUNUSED  no server uses it; this shell sets another value, which takes precedence\n',
    );
    expect(JSON.parse((await testbed.run(['secret', 'list', '--json'])).stdout)).toEqual({
      v: 1,
      secrets: [
        { name: 'TOKEN', servers: ['reports'], setHere: false },
        { name: 'UNUSED', servers: [], setHere: false },
      ],
    });
    expect((await testbed.run(['secret', 'remove', 'TOKEN'])).stdout).toBe('Removed TOKEN.\n');
    expect(testbed.json(STORE)).toEqual({ version: 1, secrets: { UNUSED: 'x' } });
  });

  test('gives a server the value only if the client sets none, and never a value that it does not name', async () => {
    const testbed = newTestbed();
    testbed.write(GLOBAL, ownConfig({ reports: server, other: { ...server, env_vars: [], inherit_env: true } }));
    await testbed.run(['secret', 'set', 'TOKEN'], { stdin: `${VALUE}\n` });
    const tokenOf = async (id: string, env: Record<string, string> = {}) => {
      const { stdout } = await testbed.run(['call', `${id}.environment`, '--json'], { env });
      return JSON.parse(JSON.parse(stdout).result.content[0].text).env['TOKEN'];
    };
    expect(await tokenOf('reports')).toBe(VALUE);
    expect(await tokenOf('reports', { TOKEN: 'from the client' })).toBe('from the client');
    expect(await tokenOf('reports', { TOKEN: '' })).toBe(VALUE);
    expect(await tokenOf('other')).toBeUndefined();
  });

  test.each([
    [['set', 'A=b'], 'Give only the name. The value is read from stdin, or asked for.'],
    [['set', 'a-b'], 'a-b is not the name of a variable: use letters, digits and _'],
    [['set'], '<name> is missing.'],
    [['set', 'A', 'b'], 'Unexpected argument b.'],
    [['remove', 'TOKN'], 'No secret TOKN is stored. Did you mean TOKEN?'],
    [['sett', 'A'], 'There is no switchboard secret sett. Did you mean switchboard secret set?'],
  ])('refuses %j with a usage error, and stores nothing', async (args, expected) => {
    const testbed = newTestbed();
    testbed.write(STORE, { version: 1, secrets: { TOKEN: VALUE } });
    const content = testbed.read(STORE);
    const { status, stdout, stderr } = await testbed.run(['secret', ...args], { stdin: 'x\n' });
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toContain(expected);
    expect(testbed.read(STORE)).toBe(content);
  });

  test('refuses an empty value, and a damaged store, which it leaves as it is', async () => {
    const testbed = newTestbed();
    expect(await testbed.run(['secret', 'set', 'A'])).toMatchObject({ status: 2, stdout: '' });
    testbed.write(STORE, '{"version":1,');
    const damaged = await testbed.run(['secret', 'set', 'A'], { stdin: 'x\n' });
    expect(damaged).toMatchObject({ status: 7, stdout: '', stderr: expect.stringContaining('secrets.json') });
    expect(testbed.read(STORE)).toBe('{"version":1,');
  });
});
