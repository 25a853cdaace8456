import { describe, expect, test } from 'vitest';
import { answerElicitation, type Prompter } from './answer-elicitation.ts';

/** A user at a terminal who types these lines and then presses Ctrl-C. */
function person(...typed: readonly (string | undefined)[]) {
  const rest = [...typed];
  const shown: string[] = [];
  const asker: Prompter = {
    print: (line) => void shown.push(line),
    async prompt(question) {
      shown.push(question);
      return rest.shift();
    },
  };
  return { asker, shown, answer: (params: unknown) => answerElicitation('notes', params, asker) };
}

const SEND = 'Send this to notes? [y, n, or the number of a field to change it] ';

const form = (properties: object, required: readonly string[] = []) => ({
  message: 'Who are you?',
  requestedSchema: { type: 'object', properties, required },
});

describe('a form', () => {
  const fields = form(
    {
      name: { type: 'string', title: 'Your name', description: 'As in your passport', minLength: 2 },
      age: { type: 'integer', minimum: 0, maximum: 150 },
      mail: { type: 'string', format: 'email' },
      agree: { type: 'boolean', default: false },
      color: { type: 'string', enum: ['r', 'g'], enumNames: ['Red', 'Green'] },
      size: {
        type: 'string',
        oneOf: [
          { const: 's', title: 'Small' },
          { const: 'l', title: 'Large' },
        ],
        default: 's',
      },
      tags: { type: 'array', items: { anyOf: [{ const: 'a' }, { const: 'b' }] }, minItems: 1 },
    },
    ['name'],
  );

  test('prompts for each field, repeats after invalid input, and sends after confirmation', async () => {
    const { answer, shown } = person(
      ...['', 'x', 'Ada', 'old', '36', 'nobody', '', 'y', '3', 'Green', '', 'a, c', '1, b', 'y'],
    );
    expect(await answer(fields)).toEqual({
      action: 'accept',
      content: { name: 'Ada', age: 36, agree: true, color: 'g', size: 's', tags: ['a', 'b'] },
    });
    expect(shown).toEqual([
      ...['', 'The server notes asks you the following (unverified text from the server):', '  Who are you?'],
      '  Press Enter to accept the default or to skip an optional field.',
      '  :decline declines the request; :cancel or Ctrl-C cancels it.',
      ...['', 'name – text of at least 2 characters', '  Your name', '  As in your passport'],
      ...[
        'name: ',
        '  This field is required.',
        'name: ',
        '  It has 1 character; allowed: text of at least 2 characters.',
        'name: ',
      ],
      ...[
        '',
        'age – integer ≥ 0 and ≤ 150 (optional)',
        'age: ',
        '  Allowed: integer ≥ 0 and ≤ 150 (optional).',
        'age: ',
      ],
      ...['', 'mail – text in the form "email" (optional)', 'mail: '],
      ...['  This is not an email address; allowed: text in the form "email" (optional).', 'mail: '],
      ...['', 'agree – yes or no (optional)', 'agree [no]: '],
      ...['', 'color – one of these, by number or name (optional)', '  1) r (Red)', '  2) g (Green)'],
      ...['color: ', '  This is not one of the 2 options.', 'color: '],
      ...['', 'size – one of these, by number or name (optional)', '  1) s (Small)', '  2) l (Large)', 'size [s]: '],
      ...['', 'tags – any of these, by number or name, separated by commas (optional)', '  1) a', '  2) b'],
      ...['tags: ', '  "c" is not one of the 2 options.', 'tags: '],
      ...['', '  1) name: Ada', '  2) age: 36', '  3) mail: (left out)', '  4) agree: yes', '  5) color: g'],
      ...['  6) size: s', '  7) tags: a, b', SEND],
    ]);
  });

  test('is shown again before sending, and a field can be changed by number', async () => {
    const { answer, shown } = person('Ada', '', '2020-99-99', '2020-02-29', '', '0', '2', '36', '3', '', 'y');
    const birthday = { type: 'string', format: 'date' };
    const params = form({ name: { type: 'string' }, age: { type: 'integer' }, birthday }, ['name']);
    expect(await answer(params)).toEqual({ action: 'accept', content: { name: 'Ada', age: 36 } });
    expect(shown.slice(13)).toEqual([
      ...['birthday: ', '  There is no month 99; allowed: text in the form "date" (optional).', 'birthday: '],
      ...['', '  1) name: Ada', '  2) age: (left out)', '  3) birthday: 2020-02-29', SEND, SEND, SEND],
      ...['', 'age – integer (optional)', 'age: '],
      ...['', '  1) name: Ada', '  2) age: 36', '  3) birthday: 2020-02-29', SEND],
      ...['', 'birthday – text in the form "date" (optional)', 'birthday: '],
      ...['', '  1) name: Ada', '  2) age: 36', '  3) birthday: (left out)', SEND],
    ]);
  });

  test('without fields asks for consent, and accepts only a yes', async () => {
    const yes = person('y');
    expect(await yes.answer(form({}))).toEqual({ action: 'accept', content: {} });
    expect(yes.shown.at(-1)).toBe('Send your consent to notes? [y/N] ');
    expect(await person('').answer(form({}))).toEqual({ action: 'decline' });
  });

  test.each([
    ['declined with :decline', ['Ada', ':decline'], 'decline'],
    ['cancelled with :cancel', [':CANCEL'], 'cancel'],
    ['cancelled with Ctrl-C', ['Ada', undefined], 'cancel'],
    ['declined at the final prompt', ['Ada', '', '', '', '', '', '', 'n'], 'decline'],
    ['declined while editing a field', ['Ada', '', '', '', '', '', '', '1', ':decline'], 'decline'],
    ['cancelled after too many prompts without a yes', ['Ada', ...Array(30).fill('')], 'cancel'],
    ['cancelled at the final prompt', ['Ada', '', '', '', '', '', '', undefined], 'cancel'],
  ])('is %s', async (_, typed, action) => {
    expect(await person(...typed).answer(fields)).toEqual({ action });
  });

  test('accepts common number formats, lists of strings, and values that match the pattern', async () => {
    const params = form({
      count: { type: 'integer' },
      tags: { type: 'array', items: { type: 'string' }, minItems: 2 },
      code: { type: 'string', pattern: '^[A-Z]{2}$' },
      slow: { type: 'string', pattern: '^(a+)+$' },
    });
    const { answer, shown } = person('0x10', '1e1', 'a', 'a, b,', 'xy', 'XY', `${'a'.repeat(40)}!`, 'y');
    expect(await answer(params)).toEqual({
      action: 'accept',
      content: { count: 10, tags: ['a', 'b'], code: 'XY', slow: `${'a'.repeat(40)}!` },
    });
    expect(shown).toEqual(expect.arrayContaining(['  "xy" is not allowed; allowed: text matching "^[A-Z]{2}$".']));
  });

  test('warns about a field that looks like a secret', async () => {
    const { answer, shown } = person(':decline');
    await answer(form({ api_key: { type: 'string' } }));
    expect(shown).toContain(
      '  Warning: this looks like a secret. A server must not ask for one here, and your input is visible.',
    );
  });

  test('prints no control characters, and accepts a field named __proto__', async () => {
    const evil = '\u001b]52;c;cm0=\u0007\u001b[2J\u202e';
    const { answer, shown } = person('x', 'y', 'y');
    const properties = JSON.parse('{"__proto__":{"type":"string"}}');
    properties[`k${evil}`] = { type: 'string', title: evil, description: `${evil}\nhi`, default: evil };
    const answered = await answer({ ...form(properties), message: `${evil}hello\r\nSend it` });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the test searches for them
    expect(shown.join('|')).not.toMatch(/[\u0000-\u001f\u202e]/);
    expect(JSON.stringify(answered)).toContain('"content":{"__proto__":"x"');
  });

  test.each([
    ['missing params', undefined],
    ['a missing form', { message: 'x' }],
    ['a form that is too large', form(Object.fromEntries(Array.from({ length: 51 }, (_, at) => [`f${at}`, {}])))],
    ['an unknown mode', { mode: 'telepathy', message: 'x' }],
    ['a missing URL', { mode: 'url', message: 'x' }],
  ])('rejects %s', async (_, params) => {
    await expect(person().answer(params)).rejects.toMatchObject({ code: 'INVALID_PARAMS' });
  });

  test('is cancelled after too many invalid inputs', async () => {
    const typed = Array(100).fill('x');
    expect(await person(...typed).answer(form({ age: { type: 'number' } }))).toEqual({ action: 'cancel' });
  });
});

describe('a URL', () => {
  const url = 'https://bank.example@evil.example/%E2%80%AE?a=1';
  test('is shown in full, with its host and a warning about anything unusual', async () => {
    const { answer, shown } = person('y');
    expect(await answer({ mode: 'url', message: 'Please sign in', url })).toEqual({ action: 'accept' });
    expect(shown.slice(2)).toEqual([
      ...['  Please sign in', `  ${url}`, '  leads to: evil.example'],
      expect.stringMatching(/^ {2}Warning: .*evil\.example/),
      '  Switchboard does not open this URL. n declines; Ctrl-C or end of input cancels.',
      'Have you completed this step? [y/N] ',
    ]);
  });

  test.each([
    ['', 'decline'],
    ['no', 'decline'],
    [undefined, 'cancel'],
  ])('is not accepted with %j', async (typed, action) => {
    expect(await person(typed).answer({ mode: 'url', message: 'x', url })).toEqual({ action });
  });
});
