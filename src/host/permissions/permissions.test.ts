import { describe, expect, test } from 'vitest';
import { call, createPerson, surroundings } from '../../../test/host/permission-world.ts';
import type { Decision, PermissionAnswer, PermissionOptions, PermissionRequest } from './permission-options.ts';
import { createPermissions } from './permissions.ts';

describe('options that would not do what they seem to say', () => {
  test.each<[unknown, string]>([
    [undefined, 'permissions must be an object.'],
    [[], 'permissions must be an object.'],
    [{ rule: [] }, 'permissions.rule is unknown: there are rules, confirm, file, onDecision.'],
    [{ constructor: 1 }, 'permissions.constructor is unknown'],
    [{ rules: 'allow' }, 'permissions.rules must be a list of rules.'],
    [{ rules: null }, 'permissions.rules must be a list of rules.'],
    [{ rules: [{ decide: 'yes' }] }, 'permissions.rules[0].decide must be one of'],
    [{ confirm: true }, 'permissions.confirm must be a function that asks a person.'],
    [{ file: '' }, 'permissions.file must be the path of a file.'],
    [{ onDecision: {} }, 'permissions.onDecision must be a function.'],
  ])('are refused: %j', (options, message) => {
    expect(() => createPermissions(options as PermissionOptions, surroundings())).toThrow(
      expect.objectContaining({ code: 'USAGE', message: expect.stringContaining(message) }),
    );
  });
});

describe('a call is denied', () => {
  test('when nobody can be asked', async () => {
    expect(await createPermissions({}, surroundings()).decide(call)).toEqual({
      at: 1000,
      server: 'files',
      kind: 'tool',
      tool: 'write',
      isAllowed: false,
      by: 'default',
      reason: expect.stringMatching(/^it needs the confirmation of a person, and there is nobody to ask: /),
    });
  });

  test.each<[string, () => unknown, string]>([
    ['throws', () => Promise.reject(new Error('no\u001b[31m terminal')), 'the question failed: no terminal'],
    ['says nothing', () => undefined, 'the answer to the question was not understood'],
    ['says null', () => null, 'the answer to the question was not understood'],
    ['says 1', () => 1, 'the answer to the question was not understood'],
    ['says yes as a text', () => 'yes', 'the answer to the question was not understood'],
    ['says yes as a text inside', () => ({ allow: 'yes' }), 'the answer to the question was not understood'],
    ['says nothing inside', () => ({ remember: 'tool' }), 'the answer to the question was not understood'],
    ['remembers what is not there', () => ({ allow: true, remember: 'all' }), 'the answer to the question was not'],
    [
      'gives a reason that is none',
      () => ({ allow: true, reason: 5 }),
      'the answer to the question was not understood',
    ],
    ['answers with a list', () => [true], 'the answer to the question was not understood'],
  ])('when who is asked %s', async (_, answer, reason) => {
    for (const confirm of [answer, async () => answer()] as (() => PermissionAnswer)[])
      expect(await createPermissions({ confirm }, surroundings()).decide(call)).toMatchObject({
        isAllowed: false,
        by: 'default',
        reason: expect.stringContaining(reason),
      });
  });

  test('when who is asked throws at once, or answers with something that throws', async () => {
    const thrower = () => {
      throw new Error('at once');
    };
    const trap = () => Object.defineProperty({}, 'allow', { get: thrower }) as { allow: boolean };
    for (const confirm of [thrower, trap])
      expect(await createPermissions({ confirm }, surroundings()).decide(call)).toMatchObject({
        isAllowed: false,
        reason: 'the question failed: at once',
      });
  });

  test('when it is cancelled before or while somebody is asked, and a late answer does not count', async () => {
    const person = createPerson();
    const permissions = createPermissions({ confirm: person.confirm }, surroundings());
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

  test('when its arguments cannot be written, before anybody is asked', async () => {
    const person = createPerson();
    const permissions = createPermissions({ confirm: person.confirm }, surroundings());
    expect(await permissions.decide({ ...call, arguments: { n: 1n } })).toMatchObject({
      isAllowed: false,
      by: 'default',
      reason: expect.stringMatching(/^it could not be decided: its arguments cannot be written as JSON: /),
    });
    expect(person.questions).toEqual([]);
  });

  test('when too many questions wait, and only then', async () => {
    const person = createPerson();
    const permissions = createPermissions({ confirm: person.confirm }, surroundings());
    const calls = Array.from({ length: 257 }, () => permissions.decide(call));
    expect(await permissions.decide(call)).toMatchObject({
      isAllowed: false,
      by: 'default',
      reason: 'too many questions wait for a person',
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
  test('count in their order, and the first that matches decides', async () => {
    const rules: PermissionOptions['rules'] = [
      { tool: 'drop', decide: 'deny', why: 'nothing is dropped here' },
      { server: 'files', arguments: { path: '/tmp/*' }, decide: 'allow' },
      { server: 'files', decide: 'deny' },
    ];
    const permissions = createPermissions({ rules }, surroundings());
    const decide = async (changes: Partial<PermissionRequest>) => {
      const { isAllowed, by, reason } = await permissions.decide({ ...call, ...changes });
      return [isAllowed, by, reason];
    };
    expect(await decide({})).toEqual([true, 'rule', 'rules[1] allows it']);
    expect(await decide({ tool: 'drop' })).toEqual([false, 'rule', 'nothing is dropped here']);
    expect(await decide({ arguments: { path: '/etc' } })).toEqual([false, 'rule', 'rules[2] denies it']);
    expect(await decide({ server: 'mail' })).toEqual([false, 'default', expect.any(String)]);
  });

  test('that allow or deny count before what is remembered, and those that ask do not', async () => {
    const person = createPerson();
    const rules: PermissionOptions['rules'] = [
      { arguments: { path: '/etc*' }, decide: 'deny' },
      { server: 'files', decide: 'confirm', why: 'files are dear' },
    ];
    const permissions = createPermissions({ rules, confirm: person.confirm }, surroundings());
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
  test('is told', async () => {
    const told: Decision[] = [];
    const onDecision = (decision: Decision) => void told.push(decision);
    const permissions = createPermissions({ rules: [{ tool: 'read', decide: 'allow' }], onDecision }, surroundings());
    const decisions = [await permissions.decide(call), await permissions.decide({ ...call, tool: 'read' })];
    expect(told).toEqual(decisions);
    expect(told.map(({ isAllowed, by }) => [isAllowed, by])).toEqual([
      [false, 'default'],
      [true, 'rule'],
    ]);
  });

  test('stays as it is when who is told fails', async () => {
    const { warnings, ...around } = surroundings();
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
