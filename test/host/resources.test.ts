import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { PermissionQuestion } from '../../src/host/index.ts';
import { fixture } from '../fixtures/paths.ts';
import { verifies } from '../verifies.ts';
import { call, configOf, hostHarness, linesOf, recorder, WITHIN } from './host-harness.ts';

const { openHost, newFolder } = hostHarness();

describe('resources', () => {
  verifies('host:resources:list', 'are listed by the host and by a tool', async () => {
    const config = configOf({ one: fixture('offers-everything', 'one'), two: fixture('offers-everything', 'two') });
    const host = await openHost({ config });
    const all = [
      { server: 'one', uri: 'test://one/listed', name: 'listed' },
      { server: 'one', uri: 'test://shared', name: 'shared' },
      { server: 'two', uri: 'test://two/listed', name: 'listed' },
      { server: 'two', uri: 'test://shared', name: 'shared' },
    ];
    expect(await host.resources.list()).toEqual(all);
    expect(await host.resources.list({ server: 'two' })).toEqual(all.slice(2));
    const message = await host.run('mcp_resources_list', {});
    expect({ ...message, listed: JSON.parse(message.text) }).toMatchObject({ is_error: false, listed: { items: all } });
    const some = await host.run('mcp_resources_list', { server: 'two' });
    expect(JSON.parse(some.text)).toEqual({ items: all.slice(2) });
  });

  verifies('host:resources:templates', 'have templates, which are listed by the host and by a tool', async () => {
    const host = await openHost({ config: configOf({ one: fixture('offers-everything', 'one') }) });
    const all = [
      { server: 'one', uri: 'test://one/items/{id}', name: 'item' },
      { server: 'one', uri: 'common://{path}', name: 'common' },
    ];
    expect(await host.resources.templates()).toEqual(all);
    const { text } = await host.run('mcp_resource_templates_list', {});
    expect(JSON.parse(text)).toEqual({ items: all });
  });

  verifies('host:resources:read', 'are read by the host and by a tool', async () => {
    const config = configOf({ one: fixture('offers-everything', 'one'), two: fixture('offers-everything', 'two') });
    const host = await openHost({ config });
    expect(await host.resources.read('test://two/listed')).toEqual({
      contents: [{ uri: 'test://two/listed', text: 'two has test://two/listed' }],
    });
    // No server lists it, so the server must be named.
    await expect(host.resources.read('test://one/items/7')).rejects.toMatchObject({
      code: 'RESOURCE_NOT_FOUND',
      message: expect.stringContaining('one, two'),
    });
    const named = { uri: 'test://one/items/7', server: 'one' };
    expect(await host.resources.read(named.uri, { server: 'one' })).toMatchObject({ contents: [{ uri: named.uri }] });
    const resource = { uri: named.uri, text: 'one has test://one/items/7' };
    expect(await host.run('mcp_resource_read', named)).toMatchObject({
      is_error: false,
      content: [{ type: 'resource', resource }],
      text: expect.stringContaining(resource.text),
    });
  });

  test('that cannot be read are errors of the tool and rejections of the host', async () => {
    const host = await openHost({ config: configOf({ one: fixture('offers-everything', 'one') }) });
    await expect(host.resources.read('test://nowhere')).rejects.toThrow('Resource not found');
    await expect(host.resources.read('test://nowhere', { server: 'none' })).rejects.toMatchObject({ code: 'USAGE' });
    for (const args of [{ uri: 'test://nowhere' }, { uri: 5 }, {}, 'test://shared', { uri: 'x:y', server: 'none' }])
      expect(await host.run('mcp_resource_read', args)).toMatchObject({ is_error: true });
    expect(await host.run('mcp_resources_list', { server: 'none' })).toMatchObject({
      is_error: true,
      text: expect.stringContaining('configured: one'),
    });
    const untyped = { signal: {} as AbortSignal };
    for (const tool of ['mcp_resources_list', 'mcp_resource_templates_list', 'mcp_resource_read'])
      expect(await host.run(tool, { uri: 'test://shared' }, untyped)).toMatchObject({
        is_error: true,
        text: expect.stringContaining('options.signal must be an AbortSignal'),
      });
  });

  verifies(
    ['host:permission:before-call', 'host:permission:denied'],
    'are read by the model only if allowed',
    async () => {
      const file = join(newFolder(), 'calls');
      const questions: PermissionQuestion[] = [];
      const confirm = (question: PermissionQuestion) => {
        questions.push(question);
        return questions.length > 1;
      };
      const host = await openHost({ config: configOf({ one: recorder(file) }), permissions: { confirm } });
      const read = () => host.run('mcp_resource_read', { uri: 'test://listed/0' });
      expect(await read()).toMatchObject({ is_error: true });
      expect(existsSync(file)).toBe(false);
      expect(await read()).toMatchObject({ is_error: false });
      expect(linesOf(file)).toMatchObject([{ read: 'test://listed/0' }]);
      expect(questions[0]).toMatchObject({
        server: 'one',
        kind: 'resource',
        tool: 'test://listed/0',
        arguments: { uri: 'test://listed/0' },
      });
    },
  );

  verifies('host:resources:list-changed', 'that a server adds are available in the next run', async () => {
    const changes: string[] = [];
    const config = configOf({ one: recorder(join(newFolder(), 'calls')) });
    const host = await openHost({ config, onChange: (kind) => void changes.push(kind) });
    expect((await host.resources.list()).map(({ uri }) => uri)).toEqual(['test://listed/0']);
    await expect.poll(() => changes, WITHIN).toContain('resources');
    changes.length = 0;
    await call(host, 'one', 'grow');
    expect((await host.resources.list()).map(({ uri }) => uri)).toEqual(['test://listed/0', 'test://listed/1']);
    expect((await host.resources.templates()).map(({ name }) => name)).toEqual(['item 0', 'item 1']);
    const { text } = await host.run('mcp_resources_list', {});
    expect(JSON.parse(text).items).toHaveLength(2);
    expect(await host.resources.read('test://listed/1')).toMatchObject({ contents: [{ uri: 'test://listed/1' }] });
    await expect.poll(() => changes, WITHIN).toContain('resources');
  });

  test('of a server are available while another server is still starting', async () => {
    const config = configOf({ one: fixture('offers-everything', 'one'), stuck: fixture('hangs-at-initialize') });
    const host = await openHost({ config });
    const all = host.resources.list();
    const server = 'one';
    const [resource] = await settlesBefore(all, host.resources.list({ server }));
    expect(resource).toMatchObject({ server, uri: 'test://one/listed' });
    await settlesBefore(all, host.resources.templates({ server }));
    await settlesBefore(all, host.prompts.list({ server }));
    await settlesBefore(all, host.resources.read('test://one/listed', { server }));
    expect(await settlesBefore(all, host.run('mcp_resources_list', { server }))).toMatchObject({ is_error: false });
  });

  test('are listed by a tool without further waiting when the call is cancelled', async () => {
    const host = await openHost({ config: configOf({ stuck: fixture('hangs-at-initialize') }) });
    const all = host.resources.list();
    const cancelling = new AbortController();
    const listing = host.run('mcp_resources_list', {}, { signal: cancelling.signal });
    cancelling.abort();
    expect(await settlesBefore(all, listing)).toMatchObject({ is_error: false });
  });

  test('of a server without resources are empty, and it is not asked', async () => {
    const host = await openHost({ config: configOf({ one: fixture('says-anything') }) });
    expect([await host.resources.list(), await host.resources.templates()]).toEqual([[], []]);
    await expect(host.resources.read('test://x')).rejects.toMatchObject({ code: 'RESOURCE_NOT_FOUND' });
    const { text } = await call(host, 'one', 'heard');
    expect(text).not.toContain('resources/');
  });
});

/** Returns the result of `first`, which must not settle after `second`. */
async function settlesBefore<Result>(second: Promise<unknown>, first: Promise<Result>): Promise<Result> {
  const late = second.then(() => expect.fail('the other one was settled first'));
  return Promise.race([late, first]);
}
