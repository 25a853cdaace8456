import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { configOf, hostHarness, linesOf, ownServer, recorder, toolOf, WITHIN } from './host-harness.ts';

const { openHost, newFolder } = hostHarness();

describe('permissions judge exactly what is sent', () => {
  test('even if the arguments change each time they are read', async () => {
    const file = join(newFolder(), 'calls');
    const rules = [{ tool: 'echo', arguments: { text: 'harmless' }, decide: 'allow' }] as const;
    const host = await openHost({ config: configOf({ one: recorder(file) }), permissions: { rules } });
    const tool = await toolOf(host, 'one', 'echo');
    let reads = 0;
    const fickle = {
      get text() {
        return reads++ === 0 ? 'harmful' : 'harmless';
      },
    };
    expect(await tool.run(fickle)).toMatchObject({ is_error: true });
    expect(await tool.run({ toJSON: () => 5 })).toMatchObject({ is_error: true });
    expect(await tool.run({ text: 'harmless' })).toMatchObject({ is_error: false });
    expect(linesOf(file).map(({ args }) => args)).toEqual([{ text: 'harmless' }]);
  });

  // Node 20 cannot serialize such a number.
  test.skipIf(!('rawJSON' in JSON))('even for a number that JavaScript cannot represent', async () => {
    const file = join(newFolder(), 'calls');
    const rules = [{ arguments: { text: '9007199254740993' }, decide: 'deny' }, { decide: 'allow' }] as const;
    const host = await openHost({ config: configOf({ one: recorder(file) }), permissions: { rules } });
    const tool = await toolOf(host, 'one', 'echo');
    const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };
    expect(await tool.run({ text: rawJSON('9007199254740993') })).toMatchObject({ is_error: true });
    expect(await tool.run({ text: rawJSON('9007199254740992') })).toMatchObject({ is_error: false });
    expect(linesOf(file)).toHaveLength(1);
  });

  test('a retained tool is judged by its current definition, and fails when it no longer exists', async () => {
    const asked: string[] = [];
    const host = await openHost({
      config: configOf({ one: ownServer('changes-its-tool') }),
      permissions: {
        confirm({ tool, why }) {
          asked.push(`${tool}: ${why}`);
          return { allow: true, remember: 'tool' };
        },
      },
    });
    const kept = await toolOf(host, 'one', 'act');
    expect(await kept.run({})).toMatchObject({ is_error: false, text: 'first' });
    expect(await kept.run({})).toMatchObject({ is_error: false, text: 'second' });
    await expect.poll(() => host.list()[0]?.tools, WITHIN).toBe(0);
    expect(await kept.run({})).toMatchObject({
      is_error: true,
      text: expect.stringContaining('one no longer offers act'),
    });
    expect(asked).toEqual([
      'act: no rule applies to it',
      'act: it has changed since you agreed; no rule applies to it',
    ]);
  });

  test('a rule for tools does not apply to resources, whatever their names', async () => {
    const file = join(newFolder(), 'calls');
    const rules = [
      { tool: '*', decide: 'allow' },
      { resource: 'test://listed/*', decide: 'allow' },
    ] as const;
    const host = await openHost({ config: configOf({ one: recorder(file) }), permissions: { rules } });
    expect(await host.run('mcp_resource_read', { uri: 'test://listed/0' })).toMatchObject({ is_error: false });
    expect(await host.run('mcp_resource_read', { uri: 'test://other' })).toMatchObject({ is_error: true });
    expect(linesOf(file).map(({ read }) => read)).toEqual(['test://listed/0']);
  });
});

describe('a result that cannot be read', () => {
  test.each(['many', 'broken'])('because it is %s fails only its own call', async (what) => {
    const host = await openHost({ config: configOf({ one: ownServer('returns-huge-result') }) });
    const tool = await toolOf(host, 'one', 'answer');
    const [unreadable, other] = await Promise.all([tool.run({ what }), tool.run({ what: 'plain' })]);
    expect(unreadable.is_error).toBe(true);
    expect(other).toMatchObject({ is_error: false, text: 'plain' });
  });
});

test('an unanswered server request does not block later calls', async () => {
  const host = await openHost({
    config: configOf({ one: ownServer('elicits-outside-call') }),
    onElicitation: () => new Promise(() => {}),
  });
  const tool = await toolOf(host, 'one', 'wait');
  expect(await tool.run({}, { timeoutMs: 300 })).toMatchObject({
    is_error: true,
    text: expect.stringContaining('within'),
  });
});
