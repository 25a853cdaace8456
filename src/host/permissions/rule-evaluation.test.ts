import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { propertyRuns } from '../../../test/property-runs.ts';
import { RawJson } from '../../wire/messages.ts';
import { MAX_EXPRESSION_TEXT } from './pattern.ts';
import type { PermissionAnswer, PermissionRule } from './permission-options.ts';
import { createPermissions } from './permissions.ts';
import { applyRules, type RuleResult } from './rule-evaluation.ts';
import { type RuleSubject, readRules } from './rules.ts';

const ONLY_TMP: readonly PermissionRule[] = [
  { tool: 'write', arguments: { 'opts.path': '/tmp/*' }, decide: 'confirm' },
  { decide: 'deny', why: 'only /tmp' },
];
const INSIDE = { opts: { path: '/tmp/a' } };
const OUTSIDE = { opts: { path: '/etc/passwd' } };

describe('an ambiguous call', () => {
  test.each<[string, object]>([
    ['with a dotted key that looks like the path', { ...OUTSIDE, 'opts.path': '/tmp/a' }],
    ['with a path that looks like the dotted key', { ...INSIDE, 'opts.path': '/etc/passwd' }],
    ['with only the dotted key', { 'opts.path': '/tmp/a' }],
    ['with a dotted key below the path', { ...INSIDE, 'opts.path.to': '/etc/passwd' }],
  ])('does not bypass a deny rule after a confirm rule: %s', async (_, args) => {
    const { decide, questions } = openPermissions(ONLY_TMP, { allow: true, remember: 'tool' });
    expect(await decide(INSIDE)).toMatchObject({ isAllowed: true, by: 'person' });
    expect(await decide(INSIDE)).toMatchObject({ isAllowed: true, by: 'remembered' });
    expect(await decide(args)).toMatchObject({ isAllowed: false, by: 'rule', reason: 'only /tmp' });
    expect(questions).toHaveLength(1);
  });

  test('does not bypass it with a text over the limit', async () => {
    const rules = [{ ...ONLY_TMP[0], arguments: { path: /^\/tmp\// }, decide: 'confirm' }, { decide: 'deny' }] as const;
    const { decide } = openPermissions(rules, { allow: true, remember: 'tool' });
    expect(await decide({ path: '/tmp/a' })).toMatchObject({ isAllowed: true, by: 'person' });
    const reason = 'rules[1] denies it';
    expect(await decide({ path: `/etc/${'x'.repeat(MAX_EXPRESSION_TEXT)}` })).toMatchObject({ by: 'rule', reason });
  });

  test.each<[string, readonly PermissionRule[]]>([
    ['the default', ONLY_TMP.slice(0, 1)],
    ['an allow rule', [...ONLY_TMP.slice(0, 1), { decide: 'allow' }]],
    ['a confirm rule', [...ONLY_TMP.slice(0, 1), { decide: 'confirm' }]],
  ])('is asked about before %s despite earlier permissions, and the question says so', async (_, rules) => {
    const { decide, questions } = openPermissions(rules, { allow: true, remember: 'tool' });
    await decide(INSIDE);
    const both = { ...OUTSIDE, 'opts.path': '/tmp/a' };
    expect(await decide(both)).toMatchObject({ isAllowed: true, by: 'person' });
    expect(await decide(both)).toMatchObject({ isAllowed: true, by: 'person' });
    const why = 'a rule requires confirmation by a person';
    const unclear = `${why}; its arguments are ambiguous, so no earlier permission applies`;
    expect(questions).toEqual([why, unclear, unclear]);
  });

  test('is denied by a remembered refusal', async () => {
    const { decide, questions } = openPermissions(ONLY_TMP.slice(0, 1), { allow: false, remember: 'tool' });
    await decide(INSIDE);
    expect(await decide({ ...OUTSIDE, 'opts.path': '/tmp/a' })).toMatchObject({ isAllowed: false, by: 'remembered' });
    expect(questions).toHaveLength(1);
  });

  test('matches a rule about everything inside an argument', async () => {
    const rules = [{ arguments: { options: /secret/ }, decide: 'deny' }, { decide: 'allow' }] as const;
    const { decide } = openPermissions(rules, true);
    for (const args of [
      { options: { mode: 'secret' } },
      { 'options.mode': 'secret' },
      { 'options.a': { b: 'secret' } },
    ])
      expect(await decide(args)).toMatchObject({ isAllowed: false, reason: 'rules[0] denies it' });
    expect(await decide({ options: { mode: 'plain' }, optionsmode: 'secret' })).toMatchObject({ isAllowed: true });
  });
});

test('matches a number as written, because it is sent like that', async () => {
  const rules = [{ arguments: { id: '9007199254740993' }, decide: 'deny' }, { decide: 'allow' }] as const;
  const { decide } = openPermissions(rules, true);
  expect(await decide(new RawJson('{"id":9007199254740993}'))).toMatchObject({ isAllowed: false });
  expect(await decide(new RawJson('{"id":9007199254740992}'))).toMatchObject({ isAllowed: true });
});

describe('for any rules and any call', () => {
  const WORDS = ['a', 'b', 'c'];
  /** One to three words, and one of the ways to nest them as keys. */
  const way = fc
    .tuple(fc.integer({ min: 1, max: 3 }), fc.boolean(), fc.boolean())
    .map(([length, ...isDot]) =>
      WORDS.slice(0, length).reduce((keys, word, at) => `${keys}${isDot[at - 1] === true ? '.' : '/'}${word}`),
    )
    .map((keys) => keys.split('/'));
  const value = fc.constantFrom('x', 'y', 'xy');
  const condition = fc.tuple(way, fc.constantFrom('x', 'y', '*', '*x*', '*y*', /.*x.*/s));
  const rule = fc.record({
    conditions: fc.array(condition, { maxLength: 2 }),
    decide: fc.constantFrom('allow', 'deny', 'confirm'),
  });

  test('adding an argument that no rule names never makes the outcome less strict', () => {
    fc.assert(
      fc.property(
        fc.array(rule, { maxLength: 4 }),
        fc.array(fc.tuple(way, value), { maxLength: 4 }),
        fc.tuple(way, value),
        (rules, given, decoy) => {
          const args = plant(given);
          const [first = ''] = decoy[0];
          const named = rules.flatMap(({ conditions }) => conditions.map(([keys]) => keys));
          fc.pre(!Object.hasOwn(args, first) && !named.some((keys) => keys.every((key, at) => key === decoy[0][at])));
          const read = readRules(rules.map(toRule));
          const strictness = (all: object) => strictnessOf(applyRules(read, callWith(all)));
          expect(strictness({ ...args, ...plant([decoy]) })).toBeGreaterThanOrEqual(strictness(args));
        },
      ),
      propertyRuns(500),
    );
  });

  function toRule({ conditions, decide }: { conditions: [string[], string | RegExp][]; decide: string }) {
    const members = conditions.map(([keys, pattern]) => [
      keys.map((key) => key.replaceAll('.', '\\.')).join('.'),
      pattern,
    ]);
    return { decide, ...(members.length === 0 ? {} : { arguments: Object.fromEntries(members) }) };
  }

  /** Leaves out a path if a string is in its way. */
  function plant(given: readonly (readonly [readonly string[], string])[]): object {
    const args: Record<string, unknown> = {};
    for (const [keys, text] of given) {
      const holder = keys.slice(0, -1).reduce<unknown>((at, key) => {
        if (!isHolder(at)) return undefined;
        at[key] ??= {};
        return at[key];
      }, args);
      if (isHolder(holder)) holder[keys.at(-1) ?? ''] = text;
    }
    return args;
  }

  function isHolder(candidate: unknown): candidate is Record<string, unknown> {
    return typeof candidate === 'object' && candidate !== null;
  }

  function strictnessOf(ruling: RuleResult): number {
    if (ruling.kind === 'ask') return ruling.isUnclear ? 2 : 1;
    return ruling.rule.decide === 'deny' ? 3 : 0;
  }
});

function callWith(args: object): RuleSubject {
  return { server: 's', kind: 'tool', tool: 't', hints: () => ({}), arguments: () => JSON.stringify(args) };
}

/** Calls of one tool. The person always gives the same answer. */
function openPermissions(rules: readonly PermissionRule[], answer: PermissionAnswer) {
  const questions: string[] = [];
  const confirm = ({ why }: { readonly why: string }) => {
    questions.push(why);
    return answer;
  };
  const permissions = createPermissions({ rules, confirm }, { now: () => 0, warn: expect.unreachable });
  const call = { server: 's', identity: 'i', kind: 'tool', tool: 'write', definition: '{}' } as const;
  return { questions, decide: (args: unknown) => permissions.decide({ ...call, arguments: args }) };
}
