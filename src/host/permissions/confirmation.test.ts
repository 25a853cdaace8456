import { describe, expect, test } from 'vitest';
import { call, createPerson, testEnvironment } from '../../../test/host/permission-testbed.ts';
import type { Decision, PermissionAnswer, PermissionOptions, PermissionRequest } from './permission-options.ts';
import { createPermissions } from './permissions.ts';

describe('an answer', () => {
  test.each<[PermissionAnswer, Partial<Decision>]>([
    [true, { isAllowed: true, reason: 'a person allowed it' }],
    [false, { isAllowed: false, reason: 'a person denied it' }],
    [
      { allow: false, reason: 'not\n today\u0007' },
      { isAllowed: false, reason: 'not today' },
    ],
    [
      { allow: true, reason: '' },
      { isAllowed: true, reason: 'a person allowed it' },
    ],
  ])('%j is passed on and applies once', async (answer, expected) => {
    let asked = 0;
    const confirm = () => {
      asked++;
      return answer;
    };
    const permissions = createPermissions({ confirm }, testEnvironment());
    for (let time = 0; time < 2; time++)
      expect(await permissions.decide(call)).toEqual({
        at: 1000,
        server: 'files',
        kind: 'tool',
        tool: 'write',
        by: 'person',
        ...expected,
      });
    expect(asked).toBe(2);
  });

  test.each<['tool' | 'server' | 'arguments', readonly string[]]>([
    ['arguments', ['remembered', 'person', 'person', 'person', 'person']],
    ['tool', ['remembered', 'remembered', 'person', 'person', 'person']],
    ['server', ['remembered', 'remembered', 'remembered', 'remembered', 'person']],
  ])('remembered for the %s covers no more than that', async (remember, expected) => {
    for (const allow of [true, false]) {
      const answers: PermissionAnswer[] = [{ allow, remember }];
      const permissions = createPermissions({ confirm: () => answers.shift() ?? !allow }, testEnvironment());
      expect(await permissions.decide(call)).toMatchObject({ isAllowed: allow, by: 'person' });
      const others: readonly Partial<PermissionRequest>[] = [
        {},
        { arguments: { path: '/etc' } },
        { definition: '{"name":"write","description":"changed"}' },
        { tool: 'other' },
        { identity: 'another one' },
      ];
      const decisions = await Promise.all(others.map((changes) => permissions.decide({ ...call, ...changes })));
      expect(decisions.map(({ by }) => by)).toEqual(expected);
      expect(decisions.map(({ isAllowed }) => isAllowed)).toEqual(
        expected.map((by) => (by === 'remembered' ? allow : !allow)),
      );
    }
  });

  test('is required again, with a note, if the tool has changed, but not for another key order', async () => {
    const person = createPerson();
    const permissions = createPermissions({ confirm: person.confirm }, testEnvironment());
    const first = permissions.decide({ ...call, definition: '{"name":"write","title":"W"}' });
    (await person.next()).answer({ allow: true, remember: 'tool' });
    await first;
    const same = await permissions.decide({ ...call, definition: '{ "title": "W", "name": "write" }' });
    expect(same).toMatchObject({ by: 'remembered', reason: 'a person allowed this tool before' });
    const changed = permissions.decide({ ...call, definition: '{"name":"write","title":"X"}' });
    const { question, answer } = await person.next();
    expect(question.why).toBe('it has changed since you agreed; no rule applies to it');
    answer({ allow: false, remember: 'tool' });
    expect(await changed).toMatchObject({ isAllowed: false });
    const back = permissions.decide({ ...call, definition: '{"name":"write","title":"W"}' });
    const last = await person.next();
    expect(last.question.why).toBe('it has changed since you refused; no rule applies to it');
    last.answer(false);
    await back;
  });

  test('can be forgotten', async () => {
    const permissions = createPermissions({ confirm: () => ({ allow: true, remember: 'tool' }) }, testEnvironment());
    const by = async () => (await permissions.decide(call)).by;
    expect([await by(), await by()]).toEqual(['person', 'remembered']);
    permissions.forget('files', 'other');
    expect(await by()).toBe('remembered');
    permissions.forget('files', 'write');
    expect(await by()).toBe('person');
    permissions.forget();
    expect(await by()).toBe('person');
  });

  test('for a tool whose name cannot be stored is not remembered, with a warning', async () => {
    const { warnings, ...around } = testEnvironment();
    const permissions = createPermissions({ confirm: () => ({ allow: true, remember: 'tool' }) }, around);
    const odd = { ...call, tool: 'a\0b' };
    expect([await permissions.decide(odd), await permissions.decide(odd)].map(({ by, tool }) => [by, tool])).toEqual([
      ['person', 'a\\u0000b'],
      ['person', 'a\\u0000b'],
    ]);
    expect(warnings[0]).toBe('The decision is not remembered: the name a\\u0000b is too long, or contains a NUL.');
  });
});

describe('questions', () => {
  test('are asked one at a time, and block no call that needs none', async () => {
    const person = createPerson();
    const rules: PermissionOptions['rules'] = [{ tool: 'read', decide: 'allow' }];
    const permissions = createPermissions({ rules, confirm: person.confirm }, testEnvironment());
    const leaving = new AbortController();
    const first = permissions.decide(call);
    const second = permissions.decide({ ...call, tool: 'second' });
    const third = permissions.decide({ ...call, tool: 'third' }, leaving.signal);
    const asked = await person.next();
    expect(await permissions.decide({ ...call, tool: 'read' })).toMatchObject({ isAllowed: true, by: 'rule' });
    leaving.abort();
    expect(await third).toMatchObject({ isAllowed: false, by: 'default' });
    expect(person.questions.map(({ tool }) => tool)).toEqual(['write']);
    asked.answer(true);
    expect(await first).toMatchObject({ isAllowed: true });
    (await person.next()).answer(false);
    expect(await second).toMatchObject({ isAllowed: false, by: 'person' });
    expect(person.questions.map(({ tool }) => tool)).toEqual(['write', 'second']);
  });

  test('continue after one that failed or was cancelled without an answer', async () => {
    const stop = new AbortController();
    let asked = 0;
    const confirm = (): Promise<boolean> => {
      asked++;
      if (asked === 2) return Promise.reject(new Error('broken'));
      if (asked === 3) return Promise.resolve(true);
      setImmediate(() => stop.abort());
      return new Promise(() => {});
    };
    const permissions = createPermissions({ confirm }, testEnvironment());
    const all = [permissions.decide(call, stop.signal), permissions.decide(call), permissions.decide(call)];
    expect((await Promise.all(all)).map(({ isAllowed }) => isAllowed)).toEqual([false, false, true]);
  });

  test('use the arguments of the call, even if they are modified meanwhile', async () => {
    const person = createPerson();
    const permissions = createPermissions({ confirm: person.confirm }, testEnvironment());
    const args = { path: '/tmp/x' };
    const first = permissions.decide({ ...call, arguments: args });
    const { question, answer } = await person.next();
    args.path = '/etc';
    Object.assign(question.arguments as object, { path: '/home' });
    answer({ allow: true, remember: 'arguments' });
    await first;
    expect((await permissions.decide({ ...call, arguments: { path: '/tmp/x' } })).by).toBe('remembered');
    for (const path of ['/etc', '/home']) {
      const other = permissions.decide({ ...call, arguments: { path } });
      (await person.next()).answer(false);
      expect((await other).by).toBe('person');
    }
  });
});
