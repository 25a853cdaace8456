import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { propertyRuns } from '../../../test/property-runs.ts';
import type { Match } from './pattern.ts';
import { type RuleSubject, readRules } from './rules.ts';

describe('a rule that would not do what it seems to say', () => {
  const word = "a server's word about itself counts only where the application names that server";
  test.each<[string, unknown, string]>([
    ['no object', 'allow', 'permissions.rules[1] must be an object.'],
    ['an unknown key', { tools: 'read', decide: 'allow' }, 'permissions.rules[1].tools is unknown: a rule has server,'],
    ['a forgotten value', { server: undefined, decide: 'allow' }, 'permissions.rules[1].server is undefined: give it'],
    [
      'a word of the protocol',
      { tool: 'resources/read', decide: 'deny' },
      'rules[1].tool is no tool: name what is meant by resource',
    ],
    ['two kinds at once', { tool: 'a', prompt: 'b', decide: 'deny' }, 'names tool and prompt, and no call is both'],
    ['an unknown decision', { decide: 'maybe' }, 'permissions.rules[1].decide must be one of allow, deny, confirm.'],
    ['no decision', { server: 'a' }, 'permissions.rules[1].decide must be one of'],
    ['an empty list of servers', { server: [], decide: 'deny' }, 'permissions.rules[1].server is an empty list'],
    ['an empty list of tools', { tool: [], decide: 'deny' }, 'permissions.rules[1].tool is an empty list'],
    ['a hole in a list', { tool: new Array(1), decide: 'deny' }, 'permissions.rules[1].tool must be a name'],
    ['an empty name', { server: '', decide: 'deny' }, 'permissions.rules[1].server must be a name'],
    ['an expression for a name', { tool: /x/, decide: 'deny' }, 'permissions.rules[1].tool must be a name'],
    [
      'an unknown annotation',
      { annotations: { readonly: true }, decide: 'deny' },
      'permissions.rules[1].annotations.readonly is unknown: there are readOnlyHint,',
    ],
    [
      'an annotation that is no boolean',
      { annotations: { readOnlyHint: 'yes' }, decide: 'deny' },
      'permissions.rules[1].annotations.readOnlyHint must be true or false.',
    ],
    ['no annotation', { annotations: {}, decide: 'deny' }, 'permissions.rules[1].annotations is empty'],
    ['no argument', { arguments: {}, decide: 'deny' }, 'permissions.rules[1].arguments is empty'],
    ['arguments that are a list', { arguments: ['a'], decide: 'deny' }, 'permissions.rules[1].arguments must be an'],
    ['a bad path', { arguments: { 'a..b': '*' }, decide: 'deny' }, 'permissions.rules[1].arguments["a..b"] must be a'],
    [
      'a backslash before nothing',
      { arguments: { 'a\\b': '*' }, decide: 'deny' },
      '["a\\b"] must be a path like a.b, or a\\.b',
    ],
    ['a number', { arguments: { a: 5 }, decide: 'deny' }, 'permissions.rules[1].arguments["a"] must be a string or a'],
    ['a flag', { arguments: { a: /x/g }, decide: 'deny' }, 'permissions.rules[1].arguments["a"] has the flag g or y'],
    ['a reason that is no text', { decide: 'deny', why: 5 }, 'permissions.rules[1].why must be a string.'],
    ['a word of nobody', { annotations: { readOnlyHint: true }, decide: 'allow' }, word],
    ['a word of anybody', { server: 'a*', annotations: { readOnlyHint: true }, decide: 'allow' }, word],
    ['a word of some', { server: ['a', '*'], annotations: { readOnlyHint: true }, decide: 'allow' }, word],
  ])('is refused: %s', (_, rule, message) => {
    expect(() => readRules([{ decide: 'confirm' }, rule])).toThrow(
      expect.objectContaining({ code: 'USAGE', message: expect.stringContaining(message) }),
    );
  });

  test('is refused in a list with holes, and in no list', () => {
    expect(() => readRules(new Array(1))).toThrow('permissions.rules[0] must be an object.');
    expect(() => readRules({})).toThrow('permissions.rules must be a list of rules.');
  });
});

describe('a rule matches', () => {
  test.each<[string, object, Match]>([
    ['everything when it names nothing', {}, 'yes'],
    ['its server', { server: 'files' }, 'yes'],
    ['no other server', { server: 'file' }, 'no'],
    ['one of its servers', { server: ['mail', 'fi*'] }, 'yes'],
    ['its tool', { tool: 'write_*' }, 'yes'],
    ['nothing when one of its parts does not match', { server: 'files', tool: 'read' }, 'no'],
    ['what the server claims', { annotations: { readOnlyHint: false, idempotentHint: true } }, 'yes'],
    ['not what the server denies', { annotations: { readOnlyHint: true } }, 'no'],
    [
      'what the protocol assumes of a silent server',
      { annotations: { destructiveHint: true, openWorldHint: true } },
      'yes',
    ],
    ['an argument', { arguments: { path: '/tmp/*' } }, 'yes'],
    ['all of the arguments', { arguments: { path: '/tmp/*', 'options.mode': '6' } }, 'no'],
    ['an argument inside another', { arguments: { 'options.mode': '420' } }, 'yes'],
    ['an element of a list', { arguments: { 'tags.1': 'b' } }, 'yes'],
    ['a list as JSON', { arguments: { tags: '["a","b"]' } }, 'yes'],
    ['null as JSON', { arguments: { nothing: 'null' } }, 'yes'],
    ['the empty text', { arguments: { empty: '' } }, 'yes'],
    ['not where a path leads nowhere', { arguments: { 'path.length': '*' } }, 'no'],
    ['not what every object has', { arguments: { constructor: '*' } }, 'no'],
    ['not what every list has', { arguments: { 'tags.length': '*' } }, 'no'],
    ['a key with a dot', { arguments: { 'a\\.b': 'dotted' } }, 'yes'],
    [
      'a key with a dot by the words of a path, because a tool may take it so',
      { arguments: { 'a.b': 'dotted' } },
      'unclear',
    ],
    ['a path by the words of a key with a dot', { arguments: { 'options\\.mode': '420' } }, 'unclear'],
    ['perhaps what is below the argument, when that is written with a dot', { arguments: { a: '{"b":*}' } }, 'unclear'],
  ])('%s', (_, rule, expected) => {
    const [read] = readRules([{ ...rule, decide: 'deny' }]);
    expect(read?.match(call)).toBe(expected);
  });

  test.each<[string, string, object, Match]>([
    ['what its path leads to', 'a.b', { a: { b: 'x' } }, 'yes'],
    ['a key with a dot that it names', 'a\\.b', { 'a.b': 'x' }, 'yes'],
    ['perhaps a key with a dot in the place of a path', 'a.b', { 'a.b': 'x' }, 'unclear'],
    ['perhaps a path in the place of a key with a dot', 'a\\.b', { a: { b: 'x' } }, 'unclear'],
    ['both when both fit', 'a.b', { a: { b: 'x' }, 'a.b': 'x' }, 'yes'],
    ['perhaps, when only what it means fits', 'a.b', { a: { b: 'x' }, 'a.b': 'y' }, 'unclear'],
    ['perhaps, when only what it does not mean fits', 'a\\.b', { a: { b: 'x' }, 'a.b': 'y' }, 'unclear'],
    ['not what fits in no way', 'a.b', { a: { b: 'y' }, 'a.b': 'y' }, 'no'],
    ['perhaps, when something else stands below it', 'a', { a: 'x', 'a.b': 'x' }, 'unclear'],
  ])('among arguments: %s', (_, path, args, expected) => {
    for (const decide of ['allow', 'deny', 'confirm']) {
      const [rule] = readRules([{ arguments: { [path]: 'x' }, decide }]);
      expect(rule?.match({ ...call, arguments: () => JSON.stringify(args) })).toBe(expected);
    }
  });

  test('and says why, in words that are fit to be shown', () => {
    const [rule] = readRules([{ decide: 'deny', why: 'not\u001b[31m here\n' }]);
    expect(rule).toEqual({ decide: 'deny', why: 'not here', match: expect.any(Function) });
  });

  test('whoever changes it later', () => {
    const written = { server: ['files'], decide: 'allow' };
    const [rule] = readRules([written]);
    written.server[0] = 'other';
    expect(rule?.match(call)).toBe('yes');
  });

  test('without taking the arguments when nothing depends on them', () => {
    const [rule] = readRules([{ tool: 'read', arguments: { path: '*' }, decide: 'deny' }]);
    const untouchable = () => expect.unreachable('the arguments were taken');
    expect(rule?.match({ ...call, arguments: untouchable })).toBe('no');
  });
});

const call: RuleSubject = {
  server: 'files',
  kind: 'tool',
  tool: 'write_file',
  hints: () => ({ readOnlyHint: false, idempotentHint: true }),
  arguments: () =>
    JSON.stringify({
      path: '/tmp/x',
      options: { mode: 420 },
      tags: ['a', 'b'],
      nothing: null,
      empty: '',
      'a.b': 'dotted',
    }),
};

describe('a rule that denies or asks finds its expression however the argument is written', () => {
  const fitOf = (decide: string, pattern: unknown, json: string) =>
    readRules([{ arguments: { command: pattern }, decide }])[0]?.match({
      ...{ server: 'shell', kind: 'tool', tool: 'run', hints: () => ({}) },
      arguments: () => json,
    } as RuleSubject);

  test.each([
    ['after an escaped line break in a list', String.raw`["sh","-c","true\nsudo id"]`],
    ['in a string of a list with escaped letters', String.raw`["\u0073udo id"]`],
    ['in a key', String.raw`{"x\nsudo":1}`],
    ['deep inside', `${'[{"a":'.repeat(2000)}"true\\tsudo id"${'}]'.repeat(2000)}`],
    ['under a key that stands there twice', String.raw`{"a":"true\nsudo id","a":"ls"}`],
    ['in JSON that is a string itself', JSON.stringify(JSON.stringify({ script: 'true\nsudo id' }))],
    ['in JSON that is a string in JSON', JSON.stringify(JSON.stringify([JSON.stringify(['true\nsudo id'])]))],
    ['in letters of another width', '"ｓｕｄｏ id"'],
  ])('%s', (_, command) => {
    const json = `{"command":${command}}`;
    expect(['deny', 'confirm'].map((decide) => fitOf(decide, /\bsudo\b/, json))).toEqual(['unclear', 'unclear']);
  });

  test('a number in another notation, and a list with blanks', () => {
    expect(fitOf('deny', '22', '{"command":2.2e1}')).toBe('unclear');
    expect(fitOf('deny', /\["rm","-rf"/, '{"command":[ "rm" , "-rf" ]}')).toBe('unclear');
  });

  test('the words of a command line that is given as a list', () => {
    expect(fitOf('deny', /\brm -rf\b/, '{"command":["rm","-rf","/"]}')).toBe('unclear');
    expect(fitOf('deny', /\brm -rf\b/, '{"command":{"program":"rm","args":["-rf","/"]}}')).toBe('unclear');
  });

  test('a letter with its accent beside it', () => {
    expect(fitOf('deny', '/home/Zoë/*', JSON.stringify({ command: '/home/Zoe\u0308/key' }))).toBe('unclear');
  });

  test('one that allows has to cover what is sent, as before', () => {
    expect(fitOf('allow', /ls/, '{"command":["ls"]}')).toBe('no');
  });

  test('wherever in whatever value it stands', () => {
    const value = fc.letrec((tie) => ({
      tree: fc.oneof({ maxDepth: 5 }, tie('leaf'), fc.array(tie('tree'), { maxLength: 3 }), tie('object')),
      object: fc.dictionary(fc.string({ unit: 'binary' }), tie('tree'), { maxKeys: 3 }),
      leaf: fc.oneof(fc.string({ unit: 'binary' }), fc.double(), fc.boolean(), fc.constant(null)),
    })).tree;
    const hidden = fc.tuple(fc.constantFrom('\n', '\t', '"', '\\', ' ', '/', '\u2028'), fc.boolean());
    fc.assert(
      fc.property(value, value, hidden, (before, after, [edge, isKey]) => {
        const text = `true${edge}sudo${edge}id`;
        const command = [before, isKey ? { [text]: 1 } : { a: [text] }, after];
        return fitOf('deny', /\bsudo\b/, JSON.stringify({ command })) !== 'no';
      }),
      propertyRuns(500),
    );
  });
});

test('a rule that denies a resource denies every spelling of its URI', () => {
  const [deny, allow] = readRules([
    { resource: 'file:///etc/passwd', decide: 'deny' },
    { resource: 'file:///etc/passwd', decide: 'allow' },
  ]);
  const fits = (uri: string) =>
    [deny, allow].map((rule) =>
      rule?.match({
        server: 's',
        kind: 'resource',
        tool: uri,
        hints: () => ({}),
        arguments: () => '{}',
      } as RuleSubject),
    );
  expect(fits('file:///etc/passwd')).toEqual(['yes', 'yes']);
  for (const uri of [
    ...['file:///etc/p%61sswd', 'file:///etc/./passwd', 'FILE:///etc/passwd', 'file:///x/../etc/passwd'],
    ...['file:///etc/p%61sswd#%', 'file:///etc/passwd?a=b', 'file:///etc/passwd#a', 'file:////etc//passwd'],
    ...['file:///etc/p%2561sswd', 'file:///etc/passwd/', 'file:/etc/passwd', 'file:///etc%2f%2fpasswd'],
  ])
    expect([uri, ...fits(uri)]).toEqual([uri, 'yes', 'no']);
});

test('a rule that allows resources below a folder allows none that is above it', () => {
  const [allow] = readRules([{ resource: ['file:///home/me/*', 'notes://../a'], decide: 'allow' }]);
  const fitOf = (uri: string) =>
    allow?.match({ server: 's', kind: 'resource', tool: uri, hints: () => ({}), arguments: () => '{}' } as RuleSubject);
  for (const uri of ['file:///home/me/a..b', 'file:///home/me/a b%20c', 'notes://../a'])
    expect([uri, fitOf(uri)]).toEqual([uri, 'yes']);
  for (const uri of [
    ...['file:///home/me/../x', 'file:///home/me/%2e%2E/x', 'file:///home/me/a%2f..%2f..%2fx', 'file:///home/me/..'],
    ...['file:///home/me/..\\x', 'file:///home/me/%252e%252e/x', 'file:///home/me/.%2e/x#%', 'file:///home/me/.\t./x'],
  ])
    expect([uri, fitOf(uri)]).toEqual([uri, 'no']);
});
