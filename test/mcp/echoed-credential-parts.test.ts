import { expect, test } from 'vitest';
import { httpHarness } from '../http/harness.ts';
import { configure } from './test-report.ts';
import { useTestbeds } from './testbed.ts';

const { processes, openServer } = httpHarness();
const newTestbed = useTestbeds(processes);

const PASSWORD = 'q7Zt9pw4Lm2vKx';
const DATABASE = `postgresql://me:${PASSWORD}@127.0.0.1/db`;
const BASIC = `Basic ${Buffer.from(`me:${PASSWORD}`).toString('base64')}`;

test.each([
  ['a password that Basic encodes', { headers: { Authorization: BASIC } }],
  ['a password that Basic encodes, from a variable', { header_env: { Authorization: 'MINE' } }, BASIC],
  ['a token without its scheme, from a variable', { header_env: { Authorization: 'MINE' } }, `Bearer ${PASSWORD}`],
  ['the value of a cookie', { headers: { Cookie: `theme=dark; session=${PASSWORD}` } }],
])('an HTTP server that repeats only %s does not reveal it', async (_, entry, variable = '') => {
  const { url } = await openServer((_came, response) =>
    response.writeHead(400, { 'content-type': 'text/plain' }).end(`not accepted: ${PASSWORD}`),
  );
  const testbed = configure(newTestbed(), { s: { transport: 'http', url, ...entry } });

  const { stdout, stderr } = await testbed.run(['mcp', 'test', 's'], { env: { MINE: variable } });

  expect(stdout + stderr).toContain('not accepted: ***');
  expect(stdout + stderr).not.toContain(PASSWORD);
});

test.each([
  ['an argument', { args: [DATABASE], env: {} }],
  ['a variable', { args: [], env: { DATABASE } }],
])('a program that repeats only the password of a URL in %s does not reveal it', async (_, { args, env }) => {
  const testbed = newTestbed();
  const file = testbed.write(
    'server.cjs',
    `process.stderr.write('wrong password ${PASSWORD}\\n'); process.exitCode = 1;`,
  );
  configure(testbed, { s: { command: process.execPath, args: [file, ...args], env } });

  const { stdout, stderr } = await testbed.run(['mcp', 'test', 's']);

  expect(stdout + stderr).toContain('wrong password ***');
  expect(stdout + stderr).not.toContain(PASSWORD);
});
