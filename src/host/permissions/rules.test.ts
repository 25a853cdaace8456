import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { propertyRuns } from '../../../test/property-runs.ts';
import type { Match } from './pattern.ts';
import { type RuleSubject, readRules } from './rules.ts';

describe('a misleading rule', () => {
  const word = 'annotations of a server are trusted only if the application names that server';
  test.each<[string, unknown, string]>([
    ['a non-object', 'allow', 'permissions.rules[1] must be an object.'],
    [
      'an unknown key',
      { tools: 'read', decide: 'allow' },
      'permissions.rules[1].tools is unknown: a rule may have server,',
    ],
    ['an undefined value', { server: undefined, decide: 'allow' }, 'permissions.rules[1].server is undefined: give it'],
    [
      'a protocol method as a tool',
      { tool: 'resources/read', decide: 'deny' },
      'rules[1].tool is not a tool: use resource instead',
    ],
    ['two kinds at once', { tool: 'a', prompt: 'b', decide: 'deny' }, 'names tool and prompt, but no call is both'],
    ['an unknown decision', { decide: 'maybe' }, 'permissions.rules[1].decide must be one of allow, deny, confirm.'],
    ['no decision', { server: 'a' }, 'permissions.rules[1].decide must be one of'],
    ['an empty list of servers', { server: [], decide: 'deny' }, 'permissions.rules[1].server is an empty list'],
    ['an empty list of tools', { tool: [], decide: 'deny' }, 'permissions.rules[1].tool is an empty list'],
    ['a hole in an array', { tool: new Array(1), decide: 'deny' }, 'permissions.rules[1].tool must be a name'],
    ['an empty name', { server: '', decide: 'deny' }, 'permissions.rules[1].server must be a name'],
    ['a regular expression as a name', { tool: /x/, decide: 'deny' }, 'permissions.rules[1].tool must be a name'],
    [
      'an unknown annotation',
      { annotations: { readonly: true }, decide: 'deny' },
      'permissions.rules[1].annotations.readonly is unknown: use readOnlyHint,',
    ],
    [
      'a non-boolean annotation',
      { annotations: { readOnlyHint: 'yes' }, decide: 'deny' },
      'permissions.rules[1].annotations.readOnlyHint must be true or false.',
    ],
    ['empty annotations', { annotations: {}, decide: 'deny' }, 'permissions.rules[1].annotations is empty'],
    ['empty arguments', { arguments: {}, decide: 'deny' }, 'permissions.rules[1].arguments is empty'],
    ['arguments that are an array', { arguments: ['a'], decide: 'deny' }, 'permissions.rules[1].arguments must be an'],
    [
      'an invalid path',
      { arguments: { 'a..b': '*' }, decide: 'deny' },
      'permissions.rules[1].arguments["a..b"] must be a',
    ],
    ['a stray backslash', { arguments: { 'a\\b': '*' }, decide: 'deny' }, '["a\\b"] must be a path like a.b, or a\\.b'],
    ['a number', { arguments: { a: 5 }, decide: 'deny' }, 'permissions.rules[1].arguments["a"] must be a string or a'],
    ['a flag', { arguments: { a: /x/g }, decide: 'deny' }, 'permissions.rules[1].arguments["a"] has the flag g or y'],
    ['a reason that is not a string', { decide: 'deny', why: 5 }, 'permissions.rules[1].why must be a string.'],
    ['an allow by annotations without a server', { annotations: { readOnlyHint: true }, decide: 'allow' }, word],
    [
      'an allow by annotations for a server pattern',
      { server: 'a*', annotations: { readOnlyHint: true }, decide: 'allow' },
      word,
    ],
    [
      'an allow by annotations for an array with a pattern',
      { server: ['a', '*'], annotations: { readOnlyHint: true }, decide: 'allow' },
      word,
    ],
  ])('is rejected: %s', (_, rule, message) => {
    expect(() => readRules([{ decide: 'confirm' }, rule])).toThrow(
      expect.objectContaining({ code: 'USAGE', message: expect.stringContaining(message) }),
    );
  });

  test('is rejected in a sparse array and outside a list', () => {
    expect(() => readRules(new Array(1))).toThrow('permissions.rules[0] must be an object.');
    expect(() => readRules({})).toThrow('permissions.rules must be a list of rules.');
  });
});

describe('a rule matches', () => {
  test.each<[string, object, Match]>([
    ['everything if it names nothing', {}, 'yes'],
    ['its server', { server: 'files' }, 'yes'],
    ['no other server', { server: 'file' }, 'no'],
    ['one of its servers', { server: ['mail', 'fi*'] }, 'yes'],
    ['its tool', { tool: 'write_*' }, 'yes'],
    ['nothing if one of its conditions does not match', { server: 'files', tool: 'read' }, 'no'],
    ['annotations that the server declares', { annotations: { readOnlyHint: false, idempotentHint: true } }, 'yes'],
    ['no annotations that the server denies', { annotations: { readOnlyHint: true } }, 'no'],
    [
      'the protocol defaults of missing annotations',
      { annotations: { destructiveHint: true, openWorldHint: true } },
      'yes',
    ],
    ['an argument', { arguments: { path: '/tmp/*' } }, 'yes'],
    ['nothing unless all arguments match', { arguments: { path: '/tmp/*', 'options.mode': '6' } }, 'no'],
    ['a nested argument', { arguments: { 'options.mode': '420' } }, 'yes'],
    ['an array element', { arguments: { 'tags.1': 'b' } }, 'yes'],
    ['an array as JSON', { arguments: { tags: '["a","b"]' } }, 'yes'],
    ['null as JSON', { arguments: { nothing: 'null' } }, 'yes'],
    ['an empty string', { arguments: { empty: '' } }, 'yes'],
    ['nothing at a path that leads nowhere', { arguments: { 'path.length': '*' } }, 'no'],
    ['no inherited properties of an object', { arguments: { constructor: '*' } }, 'no'],
    ['no inherited properties of an array', { arguments: { 'tags.length': '*' } }, 'no'],
    ['a dotted key', { arguments: { 'a\\.b': 'dotted' } }, 'yes'],
    [
      'possibly a dotted key written as a path, because a tool may read it that way',
      { arguments: { 'a.b': 'dotted' } },
      'unclear',
    ],
    ['possibly a path written as a dotted key', { arguments: { 'options\\.mode': '420' } }, 'unclear'],
    ['possibly an argument with a dotted key below it', { arguments: { a: '{"b":*}' } }, 'unclear'],
  ])('%s', (_, rule, expected) => {
    const [read] = readRules([{ ...rule, decide: 'deny' }]);
    expect(read?.match(call)).toBe(expected);
  });

  test.each<[string, string, object, Match]>([
    ['the value at its path', 'a.b', { a: { b: 'x' } }, 'yes'],
    ['an escaped dotted key', 'a\\.b', { 'a.b': 'x' }, 'yes'],
    ['possibly a dotted key in place of a path', 'a.b', { 'a.b': 'x' }, 'unclear'],
    ['possibly a path in place of a dotted key', 'a\\.b', { a: { b: 'x' } }, 'unclear'],
    ['both if both match', 'a.b', { a: { b: 'x' }, 'a.b': 'x' }, 'yes'],
    ['possibly, if only the intended reading matches', 'a.b', { a: { b: 'x' }, 'a.b': 'y' }, 'unclear'],
    ['possibly, if only the other reading matches', 'a\\.b', { a: { b: 'x' }, 'a.b': 'y' }, 'unclear'],
    ['nothing if no reading matches', 'a.b', { a: { b: 'y' }, 'a.b': 'y' }, 'no'],
    ['possibly, if there is a dotted key below it', 'a', { a: 'x', 'a.b': 'x' }, 'unclear'],
  ])('among arguments: %s', (_, path, args, expected) => {
    for (const decide of ['allow', 'deny', 'confirm']) {
      const [rule] = readRules([{ arguments: { [path]: 'x' }, decide }]);
      expect(rule?.match({ ...call, arguments: () => JSON.stringify(args) })).toBe(expected);
    }
  });

  test('and gives its reason without control characters', () => {
    const [rule] = readRules([{ decide: 'deny', why: 'not\u001b[31m here\n' }]);
    expect(rule).toEqual({ decide: 'deny', why: 'not here', match: expect.any(Function) });
  });

  test('independent of later changes to the original', () => {
    const written = { server: ['files'], decide: 'allow' };
    const [rule] = readRules([written]);
    written.server[0] = 'other';
    expect(rule?.match(call)).toBe('yes');
  });

  test('without reading the arguments if nothing depends on them', () => {
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

describe('a rule that denies or asks matches its expression in every notation of an argument', () => {
  const fitOf = (decide: string, pattern: unknown, json: string) =>
    readRules([{ arguments: { command: pattern }, decide }])[0]?.match({
      ...{ server: 'shell', kind: 'tool', tool: 'run', hints: () => ({}) },
      arguments: () => json,
    } as RuleSubject);

  test.each([
    ['after an escaped line break in an array', String.raw`["sh","-c","true\nsudo id"]`],
    ['with escaped letters in an array', String.raw`["\u0073udo id"]`],
    ['in a key', String.raw`{"x\nsudo":1}`],
    ['deeply nested', `${'[{"a":'.repeat(2000)}"true\\tsudo id"${'}]'.repeat(2000)}`],
    ['under a duplicate key', String.raw`{"a":"true\nsudo id","a":"ls"}`],
    ['in JSON inside a string', JSON.stringify(JSON.stringify({ script: 'true\nsudo id' }))],
    ['in JSON inside a string inside JSON', JSON.stringify(JSON.stringify([JSON.stringify(['true\nsudo id'])]))],
    ['in JSON after other text in a string', JSON.stringify(String.raw`data={"cmd":"\u0073udo id"}`)],
    [
      'in JSON inside a string of JSON after other text',
      JSON.stringify(`data=${JSON.stringify([String.raw`{"cmd":"true\nsudo id"}`])}`),
    ],
    ['in JSON that a quote precedes', JSON.stringify(String.raw`it's 5" wide {"cmd":"\u0073udo id"}`)],
    ['in JSON with an escaped quote before it', JSON.stringify(String.raw`{"a":"\"\u0073udo id"`)],
    ['in fullwidth letters', '"ｓｕｄｏ id"'],
  ])('%s', (_, command) => {
    const json = `{"command":${command}}`;
    expect(['deny', 'confirm'].map((decide) => fitOf(decide, /\bsudo\b/, json))).toEqual(['unclear', 'unclear']);
  });

  test('but a backslash that is not an escape of JSON stays as it is', () => {
    const json = JSON.stringify({ command: String.raw`C:\U0073\N\x \u12` });
    expect(fitOf('deny', /sudo/, json)).toBe('no');
    expect(fitOf('deny', /\\U0073\\N/, json)).toBe('yes');
  });

  test('a number in another notation, and a list with blanks', () => {
    expect(fitOf('deny', '22', '{"command":2.2e1}')).toBe('unclear');
    expect(fitOf('deny', /\["rm","-rf"/, '{"command":[ "rm" , "-rf" ]}')).toBe('unclear');
  });

  test('the words of a command line given as a list', () => {
    expect(fitOf('deny', /\brm -rf\b/, '{"command":["rm","-rf","/"]}')).toBe('unclear');
    expect(fitOf('deny', /\brm -rf\b/, '{"command":{"program":"rm","args":["-rf","/"]}}')).toBe('unclear');
  });

  test('a letter with a combining accent', () => {
    expect(fitOf('deny', '/home/Zoë/*', JSON.stringify({ command: '/home/Zoe\u0308/key' }))).toBe('unclear');
  });

  test('but an allow rule must match exactly what is sent', () => {
    expect(fitOf('allow', /ls/, '{"command":["ls"]}')).toBe('no');
  });

  test('anywhere in any value', () => {
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

test('a rule that allows resources below a folder allows none outside it', () => {
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
