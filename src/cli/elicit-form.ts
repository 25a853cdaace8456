import { AppError } from '../base/errors.ts';
import { isSecretName } from '../base/redact.ts';
import { oneLine } from '../base/text.ts';
import { visible, visibleWord } from '../config/visible-text.ts';
import { isObject } from '../wire/messages.ts';
import type { Asker, ElicitAnswer } from './elicit.ts';
import { type Field, readAnswer, readField, wantedText } from './elicit-field.ts';

/** Asks for each field until what is typed fits, and at the end whether to send it. */
export async function askForm(server: string, schema: unknown, asker: Asker): Promise<ElicitAnswer> {
  const fields = readFields(schema);
  asker.say('  An empty line takes the default, or leaves out what is optional.');
  asker.say('  :decline refuses to answer; :cancel or Ctrl-C gives no answer.');
  const content: [string, unknown][] = [];
  for (const field of fields) {
    sayField(field, asker);
    const answer = await askUntilItFits(field, asker);
    if (answer.kind === 'over') return { action: answer.action };
    if (answer.kind === 'value') content.push([field.name, answer.value]);
  }
  const sent = await asker.ask(
    `Send ${fields.length === 0 ? 'your agreement' : 'this'} to ${visibleWord(server)}? [y/N] `,
  );
  if (sent === undefined || isWord(sent, ':cancel')) return { action: 'cancel' };
  if (!/^\s*y(es)?\s*$/i.test(sent)) return { action: 'decline' };
  return { action: 'accept', content: Object.fromEntries(content) };
}

const MAX_FIELDS = 50;
const MAX_TRIES = 20;
const MAX_TEXT = 500;

function readFields(schema: unknown): readonly Field[] {
  const { properties, required } = isObject(schema) ? schema : {};
  if (!isObject(properties)) throw new AppError('INVALID_PARAMS', 'elicitation/create has no form in requestedSchema.');
  const names = Object.keys(properties);
  if (names.length > MAX_FIELDS)
    throw new AppError('INVALID_PARAMS', `A form of more than ${MAX_FIELDS} fields is refused.`);
  const needed = Array.isArray(required) ? required : [];
  return names.map((name) => readField(name, properties[name], needed.includes(name)));
}

function sayField(field: Field, { say }: Asker): void {
  const { name, title, description, choices } = field;
  const words = [title === undefined || title === name ? '' : title, description ?? ''].filter((text) => text !== '');
  say('');
  say(`${visibleWord(name)} – ${wantedText(field)}`);
  for (const text of words) say(`  ${visible(oneLine(text, MAX_TEXT))}`);
  for (const [index, { value, title: label }] of choices.entries())
    say(
      `  ${index + 1}) ${visible(oneLine(value, 100))}${label === value ? '' : ` (${visible(oneLine(label, 100))})`}`,
    );
  if (isSecretName(name))
    say('  Warning: it looks like a secret. A server must not ask for one here, and what you type is seen.');
}

type Asked =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'left out' }
  | { readonly kind: 'over'; readonly action: 'decline' | 'cancel' };

async function askUntilItFits(field: Field, asker: Asker): Promise<Asked> {
  const { name, preset } = field;
  const shownPreset = preset === undefined ? '' : ` [${visible(oneLine(presetText(preset), 100))}]`;
  for (let tried = 0; tried < MAX_TRIES; tried++) {
    const typed = await asker.ask(`${visibleWord(name)}${shownPreset}: `);
    if (typed === undefined || isWord(typed, ':cancel')) return { kind: 'over', action: 'cancel' };
    if (isWord(typed, ':decline')) return { kind: 'over', action: 'decline' };
    const read = readAnswer(field, typed);
    if (read.kind !== 'wrong') return read;
    asker.say(`  ${read.why}`);
  }
  return { kind: 'over', action: 'cancel' };
}

function presetText(preset: unknown): string {
  if (Array.isArray(preset)) return preset.join(', ');
  if (typeof preset === 'boolean') return preset ? 'yes' : 'no';
  return String(preset);
}

function isWord(typed: string, word: string): boolean {
  return typed.trim().toLowerCase() === word;
}
