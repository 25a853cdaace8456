import { chmodSync, statSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { trackProcesses } from '../processes.ts';
import { GLOBAL, ownConfig, PROJECT, serversIn, useTestbeds } from './testbed.ts';

const newTestbed = useTestbeds(trackProcesses());
const URL_A = 'https://example.com/mcp';

describe('a secret on the command line', () => {
  test.each([
    ['--header Authorization', ['--header', 'Authorization=Bearer geheim'], '--header-env Authorization=VARIABLE'],
    ['--header X-Api-Key', ['--header', 'X-Api-Key: geheim'], '--header-env X-Api-Key=VARIABLE'],
    ['--bearer-token', ['--bearer-token', 'geheim'], '--bearer-token-env-var VARIABLE'],
    ['--oauth-client-secret', ['--oauth-client-secret', 'geheim'], '--oauth-client-secret-env VARIABLE'],
  ])('works for %s, with a warning that names better ways and not the secret', async (option, args, better) => {
    const testbed = newTestbed();
    const { status, stdout, stderr } = await testbed.mcp('add', 'a', URL_A, '--scope', 'global', ...args);
    expect(status).toBe(0);
    expect(stderr).toContain(`Warning: the value of ${option} was on the command line`);
    expect(stderr).toContain(better);
    expect(stdout + stderr).not.toContain('geheim');
    expect(testbed.read(GLOBAL)).toContain('geheim');
  });

  test('for a program causes a warning too, and so does one in its arguments or in a URL', async () => {
    const testbed = newTestbed();
    const { stderr } = await testbed.mcp('add', 'a', '--env', 'TOKEN=geheim', '--', 'x', '--api-key', 'geheim');
    expect(stderr).toContain('the value of --env TOKEN was on the command line');
    expect(stderr).toContain('args seems to contain a secret');
    expect((await testbed.mcp('add', 'b', `${URL_A}?api_key=geheim`)).stderr).toContain(
      'url seems to contain a secret',
    );
    expect((await testbed.mcp('add', 'c', '--env', 'MODE=fast', '--', 'x')).stderr).toMatch(/^(?!.*MODE)/s);
  });

  test('makes the file private, and explains the consequence in a project', async () => {
    const testbed = newTestbed();
    const plain = testbed.write(PROJECT, ownConfig({ a: { command: 'a' } }));
    chmodSync(plain, 0o664);
    await testbed.mcp('add', 'b', URL_A);
    expect(statSync(plain).mode & 0o777).toBe(0o664);
    const { stderr } = await testbed.mcp('add', 'c', '--env', 'TOKEN=geheim', '--', 'x');
    expect(statSync(plain).mode & 0o777).toBe(0o600);
    expect(stderr).toContain(`${plain} contains a secret and is in a project. Keep it out of version control`);
    expect((await testbed.mcp('add', 'd', URL_A)).stderr).toBe('Next: switchboard mcp test d\n');
  });

  test('is not assumed if a variable is named', async () => {
    const testbed = newTestbed();
    const { stderr } = await testbed.mcp('add', 'a', URL_A, '--header-env', 'Authorization=MY_TOKEN');
    expect(stderr).toBe('Next: switchboard mcp test a\n');
    expect(statSync(testbed.path(PROJECT)).mode & 0o777).toBe(0o644);
  });
});

describe('a secret from stdin', () => {
  test('is read as one line for each -', async () => {
    const testbed = newTestbed();
    const args = ['--header', 'X-Token=-', '--bearer-token', '-', '--oauth-client-secret', '-'];
    const ran = await testbed.run(['mcp', 'add', 'a', URL_A, ...args], { stdin: 'one\r\ntwo words\nthree\nleft\n' });
    expect(ran.status).toBe(0);
    expect(ran.stderr).not.toContain('was on the command line');
    expect(serversIn(testbed, PROJECT)).toMatchObject({
      a: { headers: { 'X-Token': 'one', Authorization: 'Bearer two words' }, oauth: { client_secret: 'three' } },
    });
  });

  test('ends with its line, even if the pipe stays open', async () => {
    const testbed = newTestbed();
    const ran = await testbed.run(['mcp', 'add', 'a', URL_A, '--bearer-token', '-'], {
      stdin: 'geheim\n',
      keepsStdin: true,
    });
    expect(ran.status).toBe(0);
    expect(serversIn(testbed, PROJECT)).toMatchObject({ a: { headers: { Authorization: 'Bearer geheim' } } });
  });

  test('that ends too early is a usage error, and nothing is written', async () => {
    const testbed = newTestbed();
    expect(await testbed.run(['mcp', 'add', 'a', '--env', 'TOKEN=-', '--', 'x'])).toMatchObject({
      ...{ status: 2, stdout: '' },
      stderr: expect.stringContaining('Expected a line with the value of the variable TOKEN on stdin.'),
    });
    expect(testbed.exists(PROJECT)).toBe(false);
  });
});

describe('a secret without a value', () => {
  test.each([
    [['--header', 'Authorization'], '--header Authorization has no value', '--header Authorization=- to read it'],
    [['--bearer-token'], '--bearer-token has no value', '--bearer-token-env-var VARIABLE'],
    [['--oauth-client-secret', '--json'], '--oauth-client-secret has no value', '--oauth-client-secret - to read it'],
  ])('without a terminal is a usage error: %j', async (args, culprit, better) => {
    const testbed = newTestbed();
    const { status, stdout, stderr } = await testbed.mcp('add', 'a', URL_A, ...args);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toContain(culprit);
    expect(stderr).toContain(better);
    expect(testbed.exists(PROJECT)).toBe(false);
  });

  test('is prompted for on a terminal, one after the other, and never shown', async () => {
    const testbed = newTestbed();
    const args = ['add', 'a', URL_A, '--header', 'X-Token', '--oauth-client-secret'];
    const { status, shown } = await testbed.onTerminal(args, ['gehX\u007feim-1\r', 'geheim-2\r']);
    expect(status).toBe(0);
    expect(shown).toContain('value of the header X-Token (not shown): ');
    expect(shown).toContain('client secret (not shown): ');
    expect(shown).not.toMatch(/geh/);
    expect(serversIn(testbed, PROJECT)).toMatchObject({
      a: { headers: { 'X-Token': 'geheim-1' }, oauth: { client_secret: 'geheim-2' } },
    });
  });

  test.each([
    ['Ctrl-C', '\u0003'],
    ['Ctrl-D', '\u0004'],
    ['nothing', '\r'],
  ])('answered with %s writes nothing', async (_, typed) => {
    const testbed = newTestbed();
    const { status, shown } = await testbed.onTerminal(['add', 'a', URL_A, '--bearer-token'], [typed]);
    expect(status).toBe(130);
    expect(shown).toContain('No token was given. Nothing was changed.');
    expect(testbed.exists(PROJECT)).toBe(false);
  });

  test('is not prompted for if the entry could not be written anyway', async () => {
    const testbed = newTestbed();
    testbed.write(PROJECT, ownConfig({ a: { command: 'a' } }));
    const { status, shown } = await testbed.onTerminal(['add', 'a', URL_A, '--bearer-token'], []);
    expect(status).toBe(2);
    expect(shown).not.toContain('(not shown)');
  });
});
