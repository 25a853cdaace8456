import { describe, expect, test } from 'vitest';
import type {
  Decision,
  PermissionAnswer,
  PermissionOptions,
  PermissionQuestion,
  PermissionRequest,
} from './permission-options.ts';
import { createPermissions } from './permissions.ts';

const call: PermissionRequest = {
  server: 'files',
  kind: 'tool',
  identity: 'files at home',
  tool: 'write',
  definition: '{"name":"write"}',
  arguments: { path: '/tmp/x' },
};

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
  ])('%j is given on, and counts once', async (answer, expected) => {
    let asked = 0;
    const confirm = () => {
      asked++;
      return answer;
    };
    const permissions = createPermissions({ confirm }, surroundings());
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
  ])('that is remembered for the %s covers no more than that', async (remember, expected) => {
    for (const allow of [true, false]) {
      const answers: PermissionAnswer[] = [{ allow, remember }];
      const permissions = createPermissions({ confirm: () => answers.shift() ?? !allow }, surroundings());
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

  test('is asked for again when the tool has changed, and says so; the order of its keys is no change', async () => {
    const person = createPerson();
    const permissions = createPermissions({ confirm: person.confirm }, surroundings());
    const first = permissions.decide({ ...call, definition: '{"name":"write","title":"W"}' });
    (await person.next()).answer({ allow: true, remember: 'tool' });
    await first;
    const same = await permissions.decide({ ...call, definition: '{ "title": "W", "name": "write" }' });
    expect(same).toMatchObject({ by: 'remembered', reason: 'a person allowed this tool before' });
    const changed = permissions.decide({ ...call, definition: '{"name":"write","title":"X"}' });
    const { question, answer } = await person.next();
    expect(question.why).toBe('it is not what it was when you agreed; no rule decides about it');
    answer({ allow: false, remember: 'tool' });
    expect(await changed).toMatchObject({ isAllowed: false });
    const back = permissions.decide({ ...call, definition: '{"name":"write","title":"W"}' });
    const last = await person.next();
    expect(last.question.why).toBe('it is not what it was when you refused; no rule decides about it');
    last.answer(false);
    await back;
  });

  test('can be forgotten', async () => {
    const permissions = createPermissions({ confirm: () => ({ allow: true, remember: 'tool' }) }, surroundings());
    const by = async () => (await permissions.decide(call)).by;
    expect([await by(), await by()]).toEqual(['person', 'remembered']);
    permissions.forget('files', 'other');
    expect(await by()).toBe('remembered');
    permissions.forget('files', 'write');
    expect(await by()).toBe('person');
    permissions.forget();
    expect(await by()).toBe('person');
  });

  test('to a tool with a name that cannot be kept is not remembered, and that is told', async () => {
    const { warnings, ...around } = surroundings();
    const permissions = createPermissions({ confirm: () => ({ allow: true, remember: 'tool' }) }, around);
    const odd = { ...call, tool: 'a\0b' };
    expect([await permissions.decide(odd), await permissions.decide(odd)].map(({ by, tool }) => [by, tool])).toEqual([
      ['person', 'a\\u0000b'],
      ['person', 'a\\u0000b'],
    ]);
    expect(warnings[0]).toBe('The decision is not remembered: a\\u0000b is too long a name, or has a NUL in it.');
  });
});

describe('questions', () => {
  test('come one after the other, and a slow person keeps nobody waiting who needs none', async () => {
    const person = createPerson();
    const rules: PermissionOptions['rules'] = [{ tool: 'read', decide: 'allow' }];
    const permissions = createPermissions({ rules, confirm: person.confirm }, surroundings());
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

  test('are gone on with after one that failed or was cancelled without an end', async () => {
    const stop = new AbortController();
    let asked = 0;
    const confirm = (): Promise<boolean> => {
      asked++;
      if (asked === 2) return Promise.reject(new Error('broken'));
      if (asked === 3) return Promise.resolve(true);
      setImmediate(() => stop.abort());
      return new Promise(() => {});
    };
    const permissions = createPermissions({ confirm }, surroundings());
    const all = [permissions.decide(call, stop.signal), permissions.decide(call), permissions.decide(call)];
    expect((await Promise.all(all)).map(({ isAllowed }) => isAllowed)).toEqual([false, false, true]);
  });

  test('are about what was asked, whoever changes the arguments meanwhile', async () => {
    const person = createPerson();
    const permissions = createPermissions({ confirm: person.confirm }, surroundings());
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

function surroundings() {
  const warnings: string[] = [];
  return { now: () => 1000, warn: (text: string) => void warnings.push(text), warnings };
}

interface Asked {
  readonly question: PermissionQuestion;
  readonly signal: AbortSignal | undefined;
  readonly answer: (answer: PermissionAnswer) => void;
}

/** Somebody who answers when the test wants it. */
function createPerson() {
  const questions: PermissionQuestion[] = [];
  const waiting: Asked[] = [];
  let wake = () => {};
  return {
    questions,
    confirm: (question: PermissionQuestion, { signal }: { readonly signal: AbortSignal | undefined }) =>
      new Promise<PermissionAnswer>((answer) => {
        questions.push(question);
        waiting.push({ question, signal, answer });
        wake();
      }),
    /** The next one that is asked. */
    async next(): Promise<Asked> {
      const asked = waiting.shift();
      if (asked !== undefined) return asked;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
      return this.next();
    },
  };
}
