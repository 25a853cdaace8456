import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { verifies } from '../verifies.ts';
import { call, configOf, hostHarness, linesOf, recorder, WITHIN } from './host-harness.ts';

const { openHost, newFolder } = hostHarness();
const recorded = () => {
  const file = join(newFolder(), 'calls');
  return { file, config: configOf({ one: recorder(file) }) };
};

describe('prompts', () => {
  verifies('host:prompts:list', 'are listed with their arguments', async () => {
    const host = await openHost({ config: recorded().config });
    const greet = {
      server: 'one',
      name: 'greet-0',
      title: 'Greet',
      description: 'Greets somebody',
      arguments: [
        { name: 'who', description: 'Whom', isRequired: true },
        { name: 'how', isRequired: false },
      ],
    };
    expect(await host.prompts.list()).toEqual([greet]);
    expect(await host.prompts.list({ server: 'one' })).toEqual([greet]);
    await expect(host.prompts.list({ server: 'two' })).rejects.toMatchObject({ code: 'USAGE' });
  });

  verifies('host:prompts:get', 'are returned with their arguments filled in', async () => {
    const { config, file } = recorded();
    const host = await openHost({ config, permissions: {} });
    // A person has chosen the prompt, so no confirmation is needed.
    expect(await host.prompts.get('one', 'greet-0', { who: 'Ada' })).toEqual({
      messages: [{ role: 'user', content: { type: 'text', text: '{"who":"Ada"}' } }],
    });
    expect(linesOf(file)).toMatchObject([{ prompt: 'greet-0' }]);
    await expect(host.prompts.get('two', 'greet-0')).rejects.toMatchObject({ code: 'USAGE' });
  });

  test('that their server rejects fail with its message', async () => {
    const host = await openHost({ config: configOf({ one: fixture('well-behaved') }) });
    await expect(host.prompts.get('one', 'none')).rejects.toThrow(/Method not found/);
  });

  verifies('host:prompts:list-changed', 'that a server adds are available in the next run', async () => {
    const changes: string[] = [];
    const { config } = recorded();
    const host = await openHost({ config, promptsAsTools: true, onChange: (kind) => void changes.push(kind) });
    expect(await host.prompts.list()).toHaveLength(1);
    await expect.poll(() => changes, WITHIN).toContain('prompts');
    changes.length = 0;
    await call(host, 'one', 'grow');
    expect((await host.prompts.list()).map(({ name }) => name)).toEqual(['greet-0', 'greet-1']);
    const tools = (await host.tools()).map(({ name }) => name);
    expect(tools.filter((name) => name.includes('greet'))).toHaveLength(2);
    await expect.poll(() => changes, WITHIN).toContain('prompts');
  });

  verifies('host:prompts:for-people', 'are tools of the model only if the application enables it', async () => {
    const without = await openHost({ config: recorded().config });
    expect((await without.tools()).filter(({ name }) => name.includes('greet'))).toEqual([]);
    const { config, file } = recorded();
    let isAllowed = false;
    const host = await openHost({ config, promptsAsTools: true, permissions: { confirm: () => isAllowed } });
    const [tool, ...others] = (await host.tools()).filter(({ name }) => name.includes('greet'));
    expect(others).toEqual([]);
    expect(tool).toMatchObject({
      description: '[MCP server "one", prompt "greet-0"] Greets somebody',
      parameters: {
        type: 'object',
        properties: { who: { type: 'string', description: 'Whom' }, how: { type: 'string' } },
        required: ['who'],
      },
    });
    expect(await tool?.run({ who: 'Ada' })).toMatchObject({ is_error: true });
    expect(existsSync(file)).toBe(false);
    isAllowed = true;
    expect(await tool?.run({ who: 'Ada' })).toMatchObject({ is_error: false, text: 'user:\n{"who":"Ada"}' });
  });

  test('can be run as tools by name before any list was requested', async () => {
    const { config } = recorded();
    const first = await openHost({ config, promptsAsTools: true });
    const { name } = (await first.tools()).find((tool) => tool.name.includes('greet')) ?? expect.fail();
    const second = await openHost({ config, promptsAsTools: true });
    expect(await second.run(name, { who: 'Ada' })).toMatchObject({ is_error: false, text: 'user:\n{"who":"Ada"}' });
  });

  test('with the same names as tools get distinct names', async () => {
    const config = configOf({ one: fixture('has-names', 'one', '["a","b"]') });
    const host = await openHost({ config, promptsAsTools: true });
    const names = (await host.tools()).map(({ name }) => name).filter((name) => name.startsWith('mcp_one_'));
    expect(new Set(names).size).toBe(4);
  });
});
