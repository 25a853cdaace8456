import { describe, expect, test } from 'vitest';
import { call, createPerson, testEnvironment } from '../../../test/host/permission-testbed.ts';
import type { Decision, PermissionAnswer, PermissionOptions, PermissionRequest } from './permission-options.ts';
import { createPermissions } from './permissions.ts';

describe('misleading options', () => {
  test.each<[unknown, string]>([
    [undefined, 'permissions must be an object.'],
    [[], 'permissions must be an object.'],
    [{ rule: [] }, 'permissions.rule is unknown: use rules, confirm, file, onDecision.'],
    [{ constructor: 1 }, 'permissions.constructor is unknown'],
    [{ rules: 'allow' }, 'permissions.rules must be a list of rules.'],
    [{ rules: null }, 'permissions.rules must be a list of rules.'],
    [{ rules: [{ decide: 'yes' }] }, 'permissions.rules[0].decide must be one of'],
    [{ confirm: true }, 'permissions.confirm must be a function that prompts a person.'],
    [{ file: '' }, 'permissions.file must be the path of a file.'],
    [{ onDecision: {} }, 'permissions.onDecision must be a function.'],
  ])('are rejected: %j', (options, message) => {
    expect(() => createPermissions(options as PermissionOptions, testEnvironment())).toThrow(
      expect.objectContaining({ code: 'USAGE', message: expect.stringContaining(message) }),
    );
  });
});

describe('a call is denied', () => {
  test('if nobody can be asked', async () => {
    expect(await createPermissions({}, testEnvironment()).decide(call)).toEqual({
      at: 1000,
      server: 'files',
      kind: 'tool',
      tool: 'write',
      isAllowed: false,
      by: 'default',
      reason: expect.stringMatching(/^it requires confirmation by a person, but the host has no `confirm`: /),
    });
  });

  test.each<[string, () => unknown, string]>([
    ['throws', () => Promise.reject(new Error('no\u001b[31m terminal')), 'confirm failed: no terminal'],
    ['returns undefined', () => undefined, 'confirm returned an invalid answer'],
    ['returns null', () => null, 'confirm returned an invalid answer'],
    ['returns 1', () => 1, 'confirm returned an invalid answer'],
    ['returns yes as a string', () => 'yes', 'confirm returned an invalid answer'],
    ['returns allow as a string', () => ({ allow: 'yes' }), 'confirm returned an invalid answer'],
    ['returns no allow', () => ({ remember: 'tool' }), 'confirm returned an invalid answer'],
    [
      'returns an unknown scope to remember',
      () => ({ allow: true, remember: 'all' }),
      'confirm returned an invalid answer',
    ],
    ['returns a reason that is not a string', () => ({ allow: true, reason: 5 }), 'confirm returned an invalid answer'],
    ['returns an array', () => [true], 'confirm returned an invalid answer'],
  ])('if the confirm callback %s', async (_, answer, reason) => {
    for (const confirm of [answer, async () => answer()] as (() => PermissionAnswer)[])
      expect(await createPermissions({ confirm }, testEnvironment()).decide(call)).toMatchObject({
        isAllowed: false,
        by: 'default',
        reason: expect.stringContaining(reason),
      });
  });

  test('if the confirm callback throws synchronously, or returns an object that throws', async () => {
    const thrower = () => {
      throw new Error('at once');
    };
    const trap = () => Object.defineProperty({}, 'allow', { get: thrower }) as { allow: boolean };
    for (const confirm of [thrower, trap])
      expect(await createPermissions({ confirm }, testEnvironment()).decide(call)).toMatchObject({
        isAllowed: false,
        reason: 'confirm failed: at once',
      });
  });

  test('if it is cancelled before or during a question, and a late answer is ignored', async () => {
    const person = createPerson();
    const permissions = createPermissions({ confirm: person.confirm }, testEnvironment());
    const cancelled = {
      isAllowed: false,
      by: 'default',
      reason: 'the call was cancelled before a person had answered',
    };
    expect(await permissions.decide(call, AbortSignal.abort())).toMatchObject(cancelled);
    expect(person.questions).toEqual([]);
    const stop = new AbortController();
    const decided = permissions.decide(call, stop.signal);
    const late = await person.next();
    expect(late.signal).toBe(stop.signal);
    stop.abort();
    expect(await decided).toMatchObject(cancelled);
    late.answer({ allow: true, remember: 'server' });
    const again = permissions.decide(call);
    (await person.next()).answer(false);
    expect(await again).toMatchObject({ isAllowed: false, by: 'person' });
  });

  test('if its arguments cannot be serialized, before anybody is asked', async () => {
    const person = createPerson();
    const permissions = createPermissions({ confirm: person.confirm }, testEnvironment());
    expect(await permissions.decide({ ...call, arguments: { n: 1n } })).toMatchObject({
      isAllowed: false,
      by: 'default',
      reason: expect.stringMatching(/^the decision failed: its arguments cannot be written as JSON: /),
    });
    expect(person.questions).toEqual([]);
  });

  test('if too many questions are pending, and only then', async () => {
    const person = createPerson();
    const permissions = createPermissions({ confirm: person.confirm }, testEnvironment());
    const calls = Array.from({ length: 257 }, () => permissions.decide(call));
    expect(await permissions.decide(call)).toMatchObject({
      isAllowed: false,
      by: 'default',
      reason: 'too many confirmations are pending',
    });
    (await person.next()).answer({ allow: true, remember: 'tool' });
    const decisions = await Promise.all(calls);
    expect(decisions.map(({ isAllowed, by }) => `${isAllowed} ${by}`)).toEqual([
      'true person',
      ...Array.from({ length: 256 }, () => 'true remembered'),
    ]);
    expect(person.questions).toHaveLength(1);
  });
});

describe('rules', () => {
  test('apply in order, and the first match decides', async () => {
    const rules: PermissionOptions['rules'] = [
      { tool: 'drop', decide: 'deny', why: 'nothing is dropped here' },
      { server: 'files', arguments: { path: '/tmp/*' }, decide: 'allow' },
      { server: 'files', decide: 'deny' },
    ];
    const permissions = createPermissions({ rules }, testEnvironment());
    const decide = async (changes: Partial<PermissionRequest>) => {
      const { isAllowed, by, reason } = await permissions.decide({ ...call, ...changes });
      return [isAllowed, by, reason];
    };
    expect(await decide({})).toEqual([true, 'rule', 'rules[1] allows it']);
    expect(await decide({ tool: 'drop' })).toEqual([false, 'rule', 'nothing is dropped here']);
    expect(await decide({ arguments: { path: '/etc' } })).toEqual([false, 'rule', 'rules[2] denies it']);
    expect(await decide({ server: 'mail' })).toEqual([false, 'default', expect.any(String)]);
  });

  test('that allow or deny take precedence over remembered answers, but those that ask do not', async () => {
    const person = createPerson();
    const rules: PermissionOptions['rules'] = [
      { arguments: { path: '/etc*' }, decide: 'deny' },
      { server: 'files', decide: 'confirm', why: 'files are dear' },
    ];
    const permissions = createPermissions({ rules, confirm: person.confirm }, testEnvironment());
    const first = permissions.decide(call);
    const { question, answer } = await person.next();
    expect(question.why).toBe('files are dear');
    answer({ allow: true, remember: 'server' });
    expect(await first).toMatchObject({ isAllowed: true, by: 'person' });
    expect(await permissions.decide(call)).toMatchObject({ isAllowed: true, by: 'remembered' });
    const denied = { ...call, arguments: { path: '/etc/passwd' } };
    expect(await permissions.decide(denied)).toMatchObject({ isAllowed: false, by: 'rule' });
  });
});

describe('every decision', () => {
  test('is reported to onDecision', async () => {
    const reported: Decision[] = [];
    const onDecision = (decision: Decision) => void reported.push(decision);
    const permissions = createPermissions(
      { rules: [{ tool: 'read', decide: 'allow' }], onDecision },
      testEnvironment(),
    );
    const decisions = [await permissions.decide(call), await permissions.decide({ ...call, tool: 'read' })];
    expect(reported).toEqual(decisions);
    expect(reported.map(({ isAllowed, by }) => [isAllowed, by])).toEqual([
      [false, 'default'],
      [true, 'rule'],
    ]);
  });

  test('stands even if onDecision fails', async () => {
    const { warnings, ...around } = testEnvironment();
    const fail = () => {
      throw new Error('at once');
    };
    const failLater = () => Promise.reject(new Error('later'));
    for (const onDecision of [fail, failLater]) {
      const permissions = createPermissions({ rules: [{ decide: 'allow' }], onDecision }, around);
      expect(await permissions.decide(call)).toMatchObject({ isAllowed: true });
    }
    await new Promise((resolve) => setImmediate(resolve));
    expect(warnings).toEqual(['onDecision failed: at once', 'onDecision failed: later']);
  });
});
