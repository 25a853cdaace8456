import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished } from 'vitest';
import { openAccess, type TokenAccess } from '../../src/serve/access/open-access.ts';
import { type Testbed, useTestbeds } from '../mcp/testbed.ts';
import { trackProcesses } from '../processes.ts';
import { verifies } from '../verifies.ts';

const newTestbed = useTestbeds(trackProcesses());

/** Opens the tokens of the testbed, as a server does. */
function open(testbed: Testbed): TokenAccess {
  const own = { cwd: testbed.folder, home: testbed.folder, env: { SWITCHBOARD_HOME: testbed.path('own') } };
  const access = openAccess({ environment: { ...own, platform: process.platform }, onProblem: () => undefined });
  onTestFinished(() => access.close());
  return access;
}

/** Waits until a token is revoked, and returns its id. */
function revocation(access: TokenAccess): Promise<string> {
  return Promise.race([
    new Promise<string>((resolve) => access.onRevoked(resolve)),
    delay(30_000, undefined, { ref: false }).then(() => Promise.reject(new Error('no token was revoked'))),
  ]);
}

verifies(
  'token:revoke:second',
  'a server accepts a new token at once, and stops when the user revokes it',
  async () => {
    const testbed = newTestbed();
    const access = open(testbed);
    const token = (await testbed.run(['token', 'create', 'ci', '--role', 'admin'])).stdout.trim();
    expect(access.authenticate(`Bearer ${token}`)).toMatchObject({ name: 'ci', role: 'admin' });
    const revoked = revocation(access);
    await testbed.run(['token', 'revoke', 'ci']);
    expect(await revoked).toBe(token.slice(4, 16));
    expect(access.authenticate(`Bearer ${token}`)).toBeUndefined();
  },
);

verifies('token:revoke:second', 'a server stops accepting a token that expires', async () => {
  const testbed = newTestbed();
  const { token, expires } = JSON.parse(
    (await testbed.run(['token', 'create', 'x', '--expires', '5s', '--json'])).stdout,
  );
  const access = open(testbed);
  const revoked = revocation(access);
  const isEarly = Date.now() < Date.parse(expires);
  // On a busy machine, the token may have expired before the server started.
  if (isEarly && access.authenticate(`Bearer ${token}`) !== undefined) expect(await revoked).toBe(token.slice(4, 16));
  else revoked.catch(() => undefined);
  expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(expires));
  expect(access.authenticate(`Bearer ${token}`)).toBeUndefined();
  expect((await testbed.run(['token', 'list'])).stdout).toMatch(/^x .* expired /m);
});

verifies('token:create:arguments', 'no process has a token in its arguments or environment', async () => {
  const testbed = newTestbed();
  const seen = new Set<string>();
  let isDone = false;
  const commands = (async () => {
    await testbed.run(['token', 'create', 'a']);
    await Promise.all([testbed.run(['token', 'list']), testbed.run(['token', 'revoke', 'a'])]);
  })().finally(() => {
    isDone = true;
  });
  while (!isDone) {
    for (const text of processTexts(testbed.path('own'))) seen.add(text);
    await delay(5);
  }
  await commands;
  expect([...seen].join('\n')).toContain('token\0create');
  expect([...seen].filter((text) => /swb_/.test(text))).toEqual([]);
});

/** Returns the arguments and variables of the processes that run with this folder. */
function processTexts(home: string): readonly string[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.flatMap((pid) => {
    const variables = readOrEmpty(`/proc/${pid}/environ`);
    return variables.includes(`SWITCHBOARD_HOME=${home}`) ? [variables, readOrEmpty(`/proc/${pid}/cmdline`)] : [];
  });
}

function readOrEmpty(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    // The process has ended, or belongs to another user.
    return '';
  }
}
