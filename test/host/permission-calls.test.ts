import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createHost, type Decision, type PermissionAnswer, type PermissionQuestion } from '../../src/host/index.ts';
import { fixture } from '../fixtures/paths.ts';
import { ofMethod } from '../http/harness.ts';
import { verifies } from '../verifies.ts';
import {
  call,
  configOf,
  HARMFUL,
  hostHarness,
  linesOf,
  ownServer,
  recorder,
  textsIn,
  toolOf,
  WITHIN,
} from './host-harness.ts';

const { openHost, openFixture, newFolder, processes } = hostHarness();

describe('before a call', () => {
  verifies('host:permission:before-call', 'nothing is sent until it is allowed, over stdio', async () => {
    const file = join(newFolder(), 'calls');
    const person = createPerson();
    const host = await openHost({
      config: configOf({ one: recorder(file) }),
      permissions: { confirm: person.confirm },
    });
    const answered = call(host, 'one', 'echo', { text: 'secret plan' });
    await expect.poll(() => person.questions.length, WITHIN).toBe(1);
    expect(existsSync(file)).toBe(false);
    person.answer(true);
    expect(await answered).toMatchObject({ is_error: false, text: 'secret plan' });
    expect(linesOf(file)).toHaveLength(1);
  });

  verifies('host:permission:before-call', 'nothing is sent until it is allowed, over HTTP', async () => {
    const server = await openFixture('well-behaved');
    const person = createPerson();
    const host = await openHost({
      config: configOf({ one: { url: server.url } }),
      permissions: { confirm: person.confirm },
    });
    const answered = call(host, 'one', 'echo', { text: 'secret plan' });
    await expect.poll(() => person.questions.length, WITHIN).toBe(1);
    expect((await server.requests()).filter(({ body }) => body.includes('secret plan'))).toEqual([]);
    person.answer(true);
    expect(await answered).toMatchObject({ is_error: false, text: 'secret plan' });
    expect(ofMethod(await server.requests(), 'tools/call')).toHaveLength(1);
  });

  test('the arguments that were confirmed are sent, even if the agent changes them meanwhile', async () => {
    const file = join(newFolder(), 'calls');
    const person = createPerson();
    const host = await openHost({
      config: configOf({ one: recorder(file) }),
      permissions: { confirm: person.confirm },
    });
    const args = { text: 'harmless' };
    const answered = (await toolOf(host, 'one', 'echo')).run(args);
    await expect.poll(() => person.questions.length, WITHIN).toBe(1);
    args.text = 'rm -rf /';
    person.answer(true);
    expect(await answered).toMatchObject({ text: 'harmless' });
    expect(linesOf(file)).toMatchObject([{ args: { text: 'harmless' } }]);
  });

  test('a run cancelled during a confirmation makes no call', async () => {
    const file = join(newFolder(), 'calls');
    const person = createPerson();
    const host = await openHost({
      config: configOf({ one: recorder(file) }),
      permissions: { confirm: person.confirm },
    });
    const stop = new AbortController();
    const answered = (await toolOf(host, 'one', 'echo')).run({ text: 'a' }, { signal: stop.signal });
    await expect.poll(() => person.questions.length, WITHIN).toBe(1);
    stop.abort();
    expect(await answered).toMatchObject({ is_error: true });
    person.answer(true);
    expect(existsSync(file)).toBe(false);
  });
});

describe('a denied call', () => {
  verifies('host:permission:denied', 'is a tool error with the reason, and never reaches its server', async () => {
    const file = join(newFolder(), 'calls');
    const decisions: Decision[] = [];
    const host = await openHost({
      config: configOf({ one: recorder(file) }),
      permissions: {
        rules: [{ tool: 'wait', decide: 'deny', why: 'it takes too long' }],
        confirm: () => ({ allow: false, reason: 'not on a Monday' }),
        onDecision: (decision) => void decisions.push(decision),
      },
    });
    expect(await call(host, 'one', 'echo', { text: 'a' })).toEqual(denied('echo of one', 'not on a Monday'));
    expect(await call(host, 'one', 'wait')).toEqual(denied('wait of one', 'it takes too long'));
    expect(existsSync(file)).toBe(false);
    const at = expect.any(Number);
    expect(decisions).toEqual([
      { at, server: 'one', kind: 'tool', tool: 'echo', isAllowed: false, by: 'person', reason: 'not on a Monday' },
      { at, server: 'one', kind: 'tool', tool: 'wait', isAllowed: false, by: 'rule', reason: 'it takes too long' },
    ]);
  });

  verifies(['host:permission:default', 'host:permission:denied'], 'is every call if no user can be asked', async () => {
    const file = join(newFolder(), 'calls');
    await using host = await createHost({ config: configOf({ one: recorder(file) }), env: processes.env() });
    const tools = (await host.tools()).filter(({ origin }) => origin !== undefined);
    expect(tools).toHaveLength(4);
    for (const tool of tools) expect(await tool.run({})).toMatchObject({ is_error: true });
    expect(await host.run('mcp_resource_read', { uri: 'test://listed/0' })).toMatchObject({ is_error: true });
    expect(existsSync(file)).toBe(false);
  });

  test('is also one whose confirmation fails', async () => {
    const file = join(newFolder(), 'calls');
    const confirm = () => {
      throw new Error('the window is gone');
    };
    const host = await openHost({ config: configOf({ one: recorder(file) }), permissions: { confirm } });
    expect(await call(host, 'one', 'echo')).toMatchObject({
      is_error: true,
      text: expect.stringContaining('the window is gone'),
    });
    expect(existsSync(file)).toBe(false);
  });
});

describe('a remembered decision', () => {
  test('applies to the next host too, until it is removed', async () => {
    const folder = newFolder();
    const file = join(folder, 'permissions.json');
    const config = configOf({ one: recorder(join(folder, 'calls')) });
    const first = createPerson({ allow: true, remember: 'tool' });
    const host = await openHost({ config, permissions: { confirm: first.confirm, file } });
    await call(host, 'one', 'echo', { text: 'a' });
    await call(host, 'one', 'echo', { text: 'b' });
    expect(first.questions).toHaveLength(1);
    const second = createPerson(false);
    const next = await openHost({ config, permissions: { confirm: second.confirm, file } });
    expect(await call(next, 'one', 'echo', { text: 'c' })).toMatchObject({ is_error: false });
    expect(second.questions).toHaveLength(0);
    next.forget('one');
    expect(await call(next, 'one', 'echo', { text: 'd' })).toMatchObject({ is_error: true });
    expect(second.questions).toHaveLength(1);
  });

  test('does not apply to another server with the same id', async () => {
    const folder = newFolder();
    const file = join(folder, 'permissions.json');
    const { confirm } = createPerson({ allow: true, remember: 'server' });
    const permissions = { confirm, file };
    const host = await openHost({ config: configOf({ one: recorder(join(folder, 'calls')) }), permissions });
    expect(await call(host, 'one', 'echo', { text: 'a' })).toMatchObject({ is_error: false });
    const person = createPerson(false);
    const config = configOf({ one: fixture('well-behaved') });
    const other = await openHost({ config, permissions: { confirm: person.confirm, file } });
    expect(await call(other, 'one', 'echo', { text: 'b' })).toMatchObject({ is_error: true });
    expect(person.questions).toHaveLength(1);
  });
});

describe('the tool metadata of a server', () => {
  verifies(
    'host:safety:metadata',
    'lowers no permission, and is shown sanitized to the model and the user',
    async () => {
      const person = createPerson(false);
      const host = await openHost({
        config: configOf({ one: ownServer('hides-text') }),
        permissions: { confirm: person.confirm },
      });
      const [tool] = (await host.tools()).filter(({ origin }) => origin !== undefined);
      if (tool === undefined) expect.fail('there is no tool');
      expect(textsIn([tool.name, tool.description, tool.parameters, host.get('one'), host.list()])).not.toMatch(
        HARMFUL,
      );
      expect(tool.description).toMatch(/^\[MCP server "one", tool "/);
      expect(await tool.run({ path: '/' })).toMatchObject({ is_error: true });
      expect(person.questions).toMatchObject([
        { server: 'one', annotations: { readOnlyHint: true, destructiveHint: false }, arguments: { path: '/' } },
      ]);
      const { arguments: _, ...words } = person.questions[0] ?? {};
      expect(textsIn(words)).not.toMatch(HARMFUL);
    },
  );

  test('is not accepted in an allow rule that names no server', async () => {
    const rules = [{ annotations: { readOnlyHint: true }, decide: 'allow' }] as const;
    await expect(openHost({ config: configOf({}), permissions: { rules } })).rejects.toMatchObject({ code: 'USAGE' });
  });
});

/** A person who always gives the same answer, or answers when the test says so. */
function createPerson(always?: PermissionAnswer) {
  const questions: PermissionQuestion[] = [];
  let answer: (reply: PermissionAnswer) => void = () => {};
  return {
    questions,
    answer: (reply: PermissionAnswer) => answer(reply),
    confirm(question: PermissionQuestion): PermissionAnswer | Promise<PermissionAnswer> {
      questions.push(question);
      if (always !== undefined) return always;
      return new Promise((resolve) => {
        answer = resolve;
      });
    },
  };
}

function denied(what: string, reason: string) {
  const text = expect.stringContaining(`${what} was not called: ${reason}`);
  return { content: [{ type: 'text', text }], text, is_error: true };
}
