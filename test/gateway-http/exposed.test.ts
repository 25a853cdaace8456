import { readdirSync, writeFileSync } from 'node:fs';
import { describe, expect, test, vi } from 'vitest';
import { type Testbed, useTestbeds } from '../auth/login-harness.ts';
import { fixture } from '../fixtures/paths.ts';
import type { Message } from '../gateway/harness.ts';
import { trackProcesses } from '../processes.ts';
import { verifies } from '../verifies.ts';
import { exposedHomes, WITHIN } from './exposed-gateway.ts';
import type { RawClient } from './raw-client.ts';

const newTestbed = useTestbeds();
const homeIn = exposedHomes(trackProcesses());

const one = fixture('well-behaved');
const toolNames = ({ result }: Message): string[] => result.tools.map(({ name }: { name: string }) => name);
const idsOf = (names: readonly string[]) => [...new Set(names.map((name) => name.split('__')[0]))];
const listedIds = async (client: RawClient) => idsOf(toolNames(await client.request('tools/list')));
/** The tokens that the server got. The sign-in of the test itself sends none to it. */
const tokensSentTo = ({ server }: Testbed) => server.seen.flatMap(({ authorization }) => authorization ?? []);

async function statusOf(client: RawClient): Promise<string> {
  const { result } = await client.request('resources/read', { uri: 'switchboard://status' });
  return result.contents[0].text;
}

/** An error, or a tool result that is one. */
function failure({ error, result }: Message): string | undefined {
  return error?.message ?? (result?.isError === true ? JSON.stringify(result.content) : undefined);
}

describe('servers with a personal sign-in', () => {
  verifies(
    'token:sign-in:withheld',
    'are left out of lists, calls, endpoints, views, status and instructions, unless their entry shares them',
    async () => {
      const testbed = await newTestbed();
      const { url } = testbed.server;
      await testbed.signIn();
      await testbed.signIn({ serverId: 'team' });
      const home = homeIn(testbed.folder);
      home.configure({
        servers: {
          one,
          notes: { url },
          planned: { url, oauth: { client_id: 'x' } },
          team: { url, shareSignIn: true },
        },
        views: { mine: { servers: ['one', 'notes', 'team'] } },
      });
      const gateway = await home.start();
      expect(gateway.process.stderr).toContain('Everyone with a token acts as you on: team\n');
      expect(gateway.process.stderr).toContain(
        'Left out, because they use your own sign-in: notes, planned. To share one: switchboard set notes shareSignIn=true --scope global\n',
      );
      for (const era of ['legacy', 'modern'] as const) {
        for (const path of ['', '/@mine']) {
          const client = await gateway.client(era, path);
          expect(await listedIds(client)).toEqual(['one', 'team']);
          expect((await client.call('team__whoami')).result.content[0].text).toBe('alice');
          expect(failure(await client.call('notes__whoami'))).toContain('Unknown tool: notes__whoami');
          const status = await statusOf(client);
          expect(status).toContain('team');
          expect(status).not.toMatch(/notes|planned/);
        }
      }
      const opened = await (await gateway.client('legacy')).initialize();
      expect(JSON.stringify(opened.response)).not.toMatch(/notes|planned/);
      const authorization = `Bearer ${gateway.token}`;
      const origin = new URL(gateway.url).origin;
      for (const id of ['notes', 'planned']) {
        expect((await fetch(`${gateway.url}/${id}`, { method: 'POST', headers: { authorization } })).status).toBe(404);
        expect((await fetch(`${origin}/health?server=${id}`)).status).toBe(404);
      }
      const team = await gateway.client('modern', '/team');
      expect((await team.call('whoami')).result.content[0].text).toBe('alice');
    },
  );

  test('follow the config: sharing one adds it, and withdrawing that removes it', async () => {
    const testbed = await newTestbed();
    const { url } = testbed.server;
    await testbed.signIn();
    const home = homeIn(testbed.folder);
    home.configure({ servers: { one, notes: { url } } });
    const gateway = await home.start();
    const client = await gateway.client('legacy');
    const methods: unknown[] = [];
    client.onMessage = ({ method }) => void methods.push(method);
    const controller = new AbortController();
    const stream = await client.listen(controller.signal);
    expect(await listedIds(client)).toEqual(['one']);
    await home.run('set', 'notes', 'shareSignIn=true');
    await gateway.says('acts as you on: notes');
    await vi.waitFor(() => expect(methods).toContain('notifications/tools/list_changed'), WITHIN);
    await vi.waitFor(async () => expect(await listedIds(client)).toEqual(['one', 'notes']), WITHIN);
    expect((await client.call('notes__whoami')).result.content[0].text).toBe('alice');
    await home.run('unset', 'notes', 'shareSignIn');
    await vi.waitFor(async () => expect(await listedIds(client)).toEqual(['one']), WITHIN);
    const sent = tokensSentTo(testbed).length;
    expect(failure(await client.call('notes__whoami'))).toContain('Unknown tool');
    expect(tokensSentTo(testbed)).toHaveLength(sent);
    controller.abort();
    await stream.ended;
  });

  verifies(
    'token:sign-in:late',
    'are left out as soon as the user signs in, and the sign-in is never sent to them',
    async () => {
      const testbed = await newTestbed({ server: { isOpen: true } });
      const { url } = testbed.server;
      const home = homeIn(testbed.folder);
      home.configure({ servers: { one, notes: { url } } });
      const gateway = await home.start();
      const client = await gateway.client('legacy');
      await vi.waitFor(async () => expect(await listedIds(client)).toEqual(['one', 'notes']), WITHIN);
      expect((await client.call('notes__echo', { text: 'hi' })).result.content[0].text).toBe('hi');
      expect(failure(await client.call('notes__whoami'))).toContain('"shareSignIn": true');
      await testbed.signIn();
      // The file is noticed after a moment. Until then, calls go without the sign-in.
      expect(failure(await client.call('notes__whoami'))).toMatch(/shareSignIn|Unknown tool/);
      await gateway.says('Left out, because they use your own sign-in: notes');
      await vi.waitFor(async () => expect(await listedIds(client)).toEqual(['one']), WITHIN);
      expect(await statusOf(client)).not.toContain('notes');
      expect(tokensSentTo(testbed)).toEqual([]);
    },
  );

  test('are left out when they ask for a sign-in that nobody has', async () => {
    const testbed = await newTestbed();
    const home = homeIn(testbed.folder);
    home.configure({ servers: { one, notes: { url: testbed.server.url } } });
    const gateway = await home.start();
    const client = await gateway.client('legacy');
    await client.request('tools/list');
    await gateway.says('Left out, because they use your own sign-in: notes');
    await vi.waitFor(async () => expect(await statusOf(client)).not.toContain('notes'), WITHIN);
    await testbed.signIn();
    expect(failure(await client.call('notes__whoami'))).toContain('Unknown tool');
    expect(tokensSentTo(testbed)).toEqual([]);
  });

  test('include every possible one if the sign-ins cannot be read', async () => {
    const testbed = await newTestbed({ server: { isOpen: true } });
    const home = homeIn(testbed.folder);
    home.configure({ servers: { one, notes: { url: testbed.server.url } } });
    writeFileSync(`${testbed.folder}/mcp-auth.json`, '{');
    const gateway = await home.start();
    expect(gateway.process.stderr).toMatch(/mcp-auth\.json.* Until then, any server may have a sign-in\./);
    expect(await listedIds(await gateway.client('modern'))).toEqual(['one']);
  });

  test('stay in the list that is stored for clients on stdio', async () => {
    const testbed = await newTestbed();
    const home = homeIn(testbed.folder);
    home.configure({ servers: { one, notes: { url: testbed.server.url, oauth: {} } } });
    const gateway = await home.start();
    expect(await listedIds(await gateway.client('legacy'))).toEqual(['one']);
    process.kill(gateway.process.pid, 'SIGTERM');
    await gateway.process.exited;
    const files = readdirSync(testbed.folder, { recursive: true }).map(String);
    expect(files.filter((file) => file.endsWith('.list'))).toEqual([]);
  });

  test('are served as before if only this machine can connect', async () => {
    const testbed = await newTestbed();
    await testbed.signIn();
    const home = homeIn(testbed.folder);
    home.configure({ servers: { one, notes: { url: testbed.server.url } } });
    const gateway = await home.start('--http', '0');
    expect(gateway.process.stderr).not.toContain('own sign-in');
    const client = await gateway.client('modern');
    expect((await client.call('notes__whoami')).result.content[0].text).toBe('alice');
  });
});
