import { beforeAll, describe, expect, test } from 'vitest';
import { objectsOf } from '../codex/json.ts';
import { eventually } from '../codex-server/testbed.ts';
import { verifies } from '../verifies.ts';
import { call, type HttpCodex, settled, shareHttpTestbed, startSession } from './testbed.ts';

const testbed = shareHttpTestbed();

let server: HttpCodex;
let token: string;
beforeAll(async () => {
  token = await testbed().token('one');
  server = await testbed().serve();
});

verifies('codex:http:many', 'clients of both eras work at the same time, each with its own sessions', async () => {
  const tokens = [token, await testbed().token('two')];
  const clients = await Promise.all(tokens.flatMap((each) => [server.connect(each), server.client('modern', each)]));
  const results = await Promise.all(
    clients.map(async (client, index) => {
      const { tools } = (await client.request('tools/list')).result;
      expect(objectsOf(tools).map(({ name }) => name)).toContain('codex_start');
      return (await settled(client, await startSession(client, [{ message: `answer ${index}` }])))['result'];
    }),
  );
  expect(results).toEqual(['answer 0', 'answer 1', 'answer 2', 'answer 3']);
});

verifies('codex:http:stop', 'the status names the URL, the clients and the sessions', async () => {
  const client = server.client('legacy', token);
  await client.initialize({}, { name: 'visitor', version: '2' });
  const sessionId = await startSession(client, [{ message: 'x' }]);
  const status = await eventually(async () => {
    const { stdout } = await testbed().cli('mcp', 'status', '--json');
    const { running } = JSON.parse(stdout);
    return objectsOf(running).find(({ pid }) => pid === server.pid);
  });
  expect(status).toMatchObject({ role: 'codex', url: server.url, clients: expect.arrayContaining(['visitor 2']) });
  expect(objectsOf(status['sessions']).map(({ id }) => id)).toContain(sessionId);
});

verifies(
  'codex:http:roles',
  'without a token, with the role read, or limited to a view, nothing can be used',
  async () => {
    const [reader, viewer] = [
      await testbed().token('reader', '--role', 'read'),
      await testbed().token('viewer', '--view', 'review'),
    ];
    const message = { id: 1, method: 'tools/call', params: { name: 'codex_start', arguments: { prompt: 'x' } } };
    for (const era of ['legacy', 'modern'] as const) {
      const statuses = await Promise.all(
        [undefined, `${token}0`, reader, viewer].map(
          async (each) => (await server.client(era, each).post(message)).status,
        ),
      );
      expect(statuses).toEqual([401, 401, 403, 403]);
    }
    const { stdout } = await testbed().cli('mcp', 'status', '--json');
    expect(stdout).not.toContain('"state":"active"');
  },
);

verifies('codex:http:local', 'the local user has the sessions that no token has started', async () => {
  const client = await server.connect(token);
  const ofToken = await startSession(client, [{ message: 'of a token' }]);
  await settled(client, ofToken);
  const anonymous = await testbed().serve({ args: ['--auth', 'none', '--tools', 'full'] });
  const local = await anonymous.connect();
  const ofLocal = await startSession(local, [{ message: 'of nobody' }]);
  await settled(local, ofLocal);
  const list = async () => JSON.stringify((await call(local, 'codex_list', { limit: 200 }))['sessions']);
  expect(await list()).toContain(ofLocal);
  expect(await list()).not.toContain(ofToken);
  // Codex itself accepts other spellings of an id.
  for (const id of [ofToken, ofToken.toUpperCase(), ofToken.replaceAll('-', ''), `urn:uuid:${ofToken}`]) {
    expect(await call(local, 'codex_read', { sessionId: id })).toEqual({
      error: expect.stringContaining('no session'),
    });
    expect(await call(client, 'codex_read', { sessionId: ofLocal })).not.toHaveProperty('turns');
  }
  await local.end();
  await anonymous.kill('SIGTERM');
  // On stdio, the user has all.
  const { stdout } = await testbed().cli('codex', 'sessions', '--json');
  expect([stdout.includes(ofLocal), stdout.includes(ofToken)]).toEqual([true, true]);
});

describe('options', () => {
  test.each([
    [['--auth', 'none'], '--http'],
    [['--http', '0.0.0.0:4747', '--auth', 'none'], '--auth none'],
    [['--http', 'nonsense'], 'port'],
    [['--http', '0', '--tls-cert', 'x.pem'], '--tls-key'],
    [['--http', '0', '--auth', 'some'], '--auth'],
  ])('%j are refused', async (args, mentioned) => {
    const { status, stderr } = await testbed().cli('codex', ...args);
    expect(status).toBe(2);
    expect(stderr).toContain(mentioned);
  });

  test('a port in use is an error that names the process', async () => {
    const { port } = new URL(server.url);
    const { status, stderr } = await testbed().cli('codex', '--http', port, '--auth', 'none');
    expect(status).toBe(4);
    expect(stderr).toContain(String(server.pid));
  });

  test('the health page needs no token, and unknown paths are named', async () => {
    const { origin } = new URL(server.url);
    const health = await fetch(`${origin}/health`);
    expect([health.status, await health.json()]).toEqual([200, { status: 'ok' }]);
    const unknown = await fetch(`${origin}/codex`, { headers: { authorization: `Bearer ${token}` } });
    expect([unknown.status, await unknown.text()]).toEqual([404, expect.stringContaining('/mcp')]);
  });
});
