import { expect, test } from 'vitest';
import { useTestbeds } from '../mcp/testbed.ts';
import { trackProcesses } from '../processes.ts';

const newTestbed = useTestbeds(trackProcesses());

/** Secrets in every place in which clients keep them. */
const SERVERS = {
  option: { command: 'db', args: ['--password', 'first-s3cret', '--api-key=second-s3cret'] },
  url: { command: 'db', args: ['postgres://me:third-s3cret@db.example/data'] },
  docker: { command: 'docker', args: ['run', '-e', 'TOKEN=fourth-s3cret', '--header', 'X-Custom: fifth-s3cret'] },
  script: { command: 'sh', args: ['-c', 'API_KEY=sixth-s3cret exec server'] },
  query: { url: 'https://web.example/mcp?session=seventh-s3cret' },
  basic: { url: 'https://me:eighth-s3cret@web.example/mcp', headers: { 'X-Any': 'ninth-s3cret' } },
  named: { command: 'x', args: ['--token', `\${env:MY_TOKEN}`], env: { ANY: 'tenth-s3cret' } },
};

test.each([
  ['cursor', '.cursor/mcp.json', { mcpServers: SERVERS }],
  ['opencode', '.config/opencode/opencode.json', { mcp: toOpencode() }],
])('neither connect nor disconnect of %s shows a secret', async (client, file, content) => {
  const testbed = newTestbed();
  testbed.write(file, content);
  const imported = await testbed.run(['import', '--all']);
  const connected = await testbed.run(['connect', client, '--yes']);
  const disconnected = await testbed.run(['disconnect', '--yes']);
  const all = [imported, connected, disconnected];
  expect(all.map(({ status }) => status)).toEqual([0, 0, 0]);
  for (const { stdout, stderr } of all) expect(`${stdout}${stderr}`).not.toContain('s3cret');
  expect(testbed.read(file)).toContain('first-s3cret');
});

test('the preview shows names of variables, which are no secrets', async () => {
  const testbed = newTestbed();
  testbed.write('.cursor/mcp.json', JSON.stringify({ mcpServers: { named: SERVERS.named } }));
  const { stdout } = await testbed.run(['connect', 'cursor', '--dry-run']);
  expect(stdout).toContain(`\${env:MY_TOKEN}`);
});

function toOpencode(): object {
  return Object.fromEntries(
    Object.entries(SERVERS).map(([name, server]) => [
      name,
      'url' in server
        ? { type: 'remote', ...server }
        : { type: 'local', command: [server.command, ...server.args], enabled: true },
    ]),
  );
}
