import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  addDecision,
  canBeRemembered,
  type DecisionSubject,
  findDecision,
  type NewDecision,
  type RememberedDecision,
  SCOPES,
  subjectOf,
  withoutDecisions,
} from './remembered-decisions.ts';

const call: DecisionSubject = { server: 'files', identity: 'i', tool: 'write', definition: 'd', arguments: 'a' };
const changed = { ...call, definition: 'changed' };

describe('remembers nothing', () => {
  test.each<[string, DecisionSubject]>([
    ['of another server', { ...call, server: 'other' }],
    ['of another server with the same name', { ...call, identity: 'other' }],
    ['of another tool', { ...call, tool: 'read' }],
    ['with other arguments', { ...call, arguments: 'other' }],
  ])('about a call %s', (_, subject) => {
    expect(outcome([allow('arguments')], subject)).toBe('nothing');
  });

  test('about other tools and servers than those decided', () => {
    expect(outcome([allow('tool')], { ...call, tool: 'read' })).toBe('nothing');
    expect(outcome([allow('server')], { ...call, identity: 'other' })).toBe('nothing');
  });

  test('about names that would damage the file', () => {
    const names = ['a'.repeat(513), 'a\0b'];
    expect(names.map((tool) => canBeRemembered({ ...call, tool }))).toEqual([false, false]);
    expect(names.map((server) => canBeRemembered({ ...call, server }))).toEqual([false, false]);
    expect(canBeRemembered({ ...call, tool: '' })).toBe(true);
  });
});

describe('a changed tool', () => {
  test.each(SCOPES.filter((scope) => scope !== 'server'))('asks again after a decision about its %s', (scope) => {
    expect(outcome([allow(scope)], changed)).toBe('changed allow');
    expect(outcome([deny(scope)], changed)).toBe('changed deny');
  });

  test('stays denied if the server is allowed', () => {
    expect(outcome([deny('tool'), allow('server', { ...call, tool: 'other' })], changed)).toBe('changed deny');
  });

  test('stays denied if only some arguments are allowed later', () => {
    const decisions = [deny('tool'), allow('server', { ...call, tool: 'other' }), allow('arguments', changed)];
    expect(outcome(decisions, changed)).toBe('allow');
    expect(outcome(decisions, { ...changed, arguments: 'other' })).toBe('changed deny');
  });

  test('is recognized after a new decision, and its old definition is not', () => {
    expect(outcome([deny('tool'), allow('tool', changed)], changed)).toBe('allow');
    expect(outcome([deny('tool'), allow('tool', changed)], call)).toBe('changed allow');
    expect(outcome([deny('tool'), allow('server', changed)], changed)).toBe('allow');
  });

  test('is covered by a decision about the whole server', () => {
    expect(outcome([allow('server')], changed)).toBe('allow');
  });
});

describe('decisions', () => {
  test.each(SCOPES)('about the %s apply', (scope) => {
    expect(outcome([allow(scope)], call)).toBe('allow');
    expect(outcome([deny(scope)], call)).toBe('deny');
    expect(outcome([deny(scope), allow(scope)], call)).toBe('allow');
  });

  test('deny before they allow, whatever their scope and order', () => {
    const scope = fc.constantFrom(...SCOPES);
    fc.assert(
      fc.property(scope, scope, fc.boolean(), (refused, allowed, isFirst) => {
        fc.pre(refused !== allowed);
        const both = isFirst ? [deny(refused), allow(allowed)] : [allow(allowed), deny(refused)];
        expect(outcome(both, call)).toBe('deny');
      }),
    );
  });

  test('are stored without their subject', () => {
    const secret = { path: 'correct horse battery staple' };
    const definition = '{"name":"write","description":"staple"}';
    const json = JSON.stringify(secret);
    const subject = subjectOf({ ...call, identity: 'battery', definition }, { value: secret, json });
    const [kept] = addDecision([], { subject, scope: 'arguments', isAllowed: true, at: 5 });
    const digest = expect.stringMatching(/^[0-9a-f]{64}$/);
    expect(kept).toEqual({
      scope: 'arguments',
      server: 'files',
      identity: digest,
      tool: 'write',
      definition: digest,
      arguments: digest,
      isAllowed: true,
      at: 5,
    });
    expect(JSON.stringify(kept)).not.toMatch(/horse|battery|staple/);
  });

  test('are limited to a thousand, and the oldest are dropped', () => {
    let kept: readonly RememberedDecision[] = [];
    for (let at = 0; at < 1_005; at++)
      kept = addDecision(kept, { subject: { ...call, tool: `t${at}` }, scope: 'tool', isAllowed: true, at });
    expect([kept.length, kept[0]?.tool, kept.at(-1)?.tool]).toEqual([1000, 't5', 't1004']);
  });

  test('can be forgotten by server, by tool, by both, or all at once', () => {
    const other = { ...call, server: 'mail', identity: 'j' };
    const all = decided([allow('server'), allow('tool'), allow('arguments'), allow('tool', other)]);
    const left = (server?: string, tool?: string) =>
      withoutDecisions(all, { server, tool }).map((decision) => `${decision.server} ${decision.scope}`);
    expect([left(), left('files'), left('files', 'write'), left(undefined, 'write'), left('x')]).toEqual([
      [],
      ['mail tool'],
      ['files server', 'mail tool'],
      ['files server'],
      ['files server', 'files tool', 'files arguments', 'mail tool'],
    ]);
  });
});

function allow(scope: NewDecision['scope'], subject = call): NewDecision {
  return { subject, scope, isAllowed: true, at: 0 };
}

function deny(scope: NewDecision['scope'], subject = call): NewDecision {
  return { subject, scope, isAllowed: false, at: 0 };
}

function decided(added: readonly NewDecision[]): readonly RememberedDecision[] {
  return added.reduce<readonly RememberedDecision[]>(addDecision, []);
}

function outcome(added: readonly NewDecision[], subject: DecisionSubject): string {
  const found = findDecision(decided(added), subject);
  if (found.kind === 'nothing') return 'nothing';
  const word = found.decision.isAllowed ? 'allow' : 'deny';
  return found.kind === 'changed' ? `changed ${word}` : word;
}
