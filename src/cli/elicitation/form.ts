import { AppError } from '../../base/errors.ts';
import { isSecretName } from '../../base/redaction/redact.ts';
import { oneLine } from '../../base/text/safe-text.ts';
import { escapeInvisible, quoteIfNeeded } from '../../base/text/visible-text.ts';
import { isObject } from '../../wire/messages.ts';
import { validateArguments } from '../input-schema/validate-arguments.ts';
import type { ElicitResult, Prompter } from './answer-elicitation.ts';
import { describeField, type Field, readAnswer, readField } from './field.ts';

/** Prompts for each field until the answer is valid, shows all answers, and sends them only after a confirmation. */
export async function promptForm(server: string, schema: unknown, prompter: Prompter): Promise<ElicitResult> {
  const fields = readFields(schema);
  const answers = new Map<Field, Answered>();
  prompter.print('  Press Enter to accept the default or to skip an optional field.');
  prompter.print('  :decline declines the request; :cancel or Ctrl-C cancels it.');
  for (const field of fields) {
    const answer = await promptField(field, prompter);
    if (answer.kind === 'over') return { action: answer.action };
    answers.set(field, answer);
  }
  for (let round = 0; round < MAX_ROUNDS; round++) {
    printAnswers(answers, prompter);
    const choice = await confirmSend(server, fields, prompter);
    if (choice.kind === 'send') return { action: 'accept', content: contentOf(answers) };
    const answer = choice.kind === 'over' ? choice : await promptField(choice.field, prompter);
    if (answer.kind === 'over') return { action: answer.action };
    if (choice.kind === 'change') answers.set(choice.field, answer);
  }
  return { action: 'cancel' };
}

const MAX_FIELDS = 50;
const MAX_TRIES = 20;
/** Limit on how often a person may review and change the answers. */
const MAX_ROUNDS = 100;
const MAX_TEXT = 500;

type Ended = { readonly kind: 'over'; readonly action: 'decline' | 'cancel' };
type Answered = { readonly kind: 'value'; readonly value: unknown } | { readonly kind: 'left out' };

function readFields(schema: unknown): readonly Field[] {
  const { properties, required } = isObject(schema) ? schema : {};
  if (!isObject(properties)) throw new AppError('INVALID_PARAMS', 'elicitation/create has no form in requestedSchema.');
  const names = Object.keys(properties);
  if (names.length > MAX_FIELDS) throw new AppError('INVALID_PARAMS', `A form may have at most ${MAX_FIELDS} fields.`);
  const needed = Array.isArray(required) ? required : [];
  return names.map((name) => readField(name, properties[name], needed.includes(name)));
}

function printField(field: Field, { print }: Prompter): void {
  const { name, title, description, choices } = field;
  const words = [title === undefined || title === name ? '' : title, description ?? ''].filter((text) => text !== '');
  print('');
  print(`${quoteIfNeeded(name)} – ${describeField(field)}`);
  for (const text of words) print(`  ${escapeInvisible(oneLine(text, MAX_TEXT))}`);
  for (const [index, { value, title: label }] of choices.entries())
    print(
      `  ${index + 1}) ${escapeInvisible(oneLine(value, 100))}${label === value ? '' : ` (${escapeInvisible(oneLine(label, 100))})`}`,
    );
  if (isSecretName(name))
    print('  Warning: this looks like a secret. A server must not ask for one here, and your input is visible.');
}

async function promptField(field: Field, prompter: Prompter): Promise<Answered | Ended> {
  const { name, defaultValue } = field;
  printField(field, prompter);
  const shownPreset = defaultValue === undefined ? '' : ` [${escapeInvisible(oneLine(valueText(defaultValue), 100))}]`;
  for (let tried = 0; tried < MAX_TRIES; tried++) {
    const typed = await prompter.prompt(`${quoteIfNeeded(name)}${shownPreset}: `);
    if (typed === undefined || isCommand(typed, ':cancel')) return { kind: 'over', action: 'cancel' };
    if (isCommand(typed, ':decline')) return { kind: 'over', action: 'decline' };
    const read = readAnswer(field, typed);
    const why =
      read.kind === 'wrong' ? read.why : read.kind === 'value' ? await schemaFault(field, read.value) : undefined;
    if (read.kind !== 'wrong' && why === undefined) return read;
    prompter.print(`  ${why}`);
  }
  return { kind: 'over', action: 'cancel' };
}

/**
 * Validates the value against the rest of the schema, as for call arguments. Leaves an unusable schema to the server.
 */
async function schemaFault({ kind, schema }: Field, value: unknown): Promise<string | undefined> {
  const isPlain = schema['type'] === (kind === 'text' ? 'string' : kind);
  if (!isPlain) return undefined;
  const checked = await validateArguments(value, schema);
  const [fault] = checked.kind === 'checked' ? checked.faults : [];
  return fault === undefined ? undefined : `${fault.message}.`;
}

/** Prints all answers to send, with the numbers of the fields. */
function printAnswers(answers: ReadonlyMap<Field, Answered>, { print }: Prompter): void {
  if (answers.size > 0) print('');
  for (const [index, [{ name }, answer]] of [...answers].entries()) {
    const shown = answer.kind === 'value' ? escapeInvisible(oneLine(valueText(answer.value), MAX_TEXT)) : '(left out)';
    print(`  ${index + 1}) ${quoteIfNeeded(name)}: ${shown}`);
  }
}

type SendChoice = { readonly kind: 'send' } | { readonly kind: 'change'; readonly field: Field } | Ended;

/** Sends only after a yes. An unclear answer repeats the prompt, so that the filled-in form is not lost. */
async function confirmSend(server: string, fields: readonly Field[], { prompt }: Prompter): Promise<SendChoice> {
  const isBare = fields.length === 0;
  const choice = isBare ? '[y/N]' : '[y, n, or the number of a field to change it]';
  for (let tried = 0; tried < MAX_TRIES; tried++) {
    const typed = await prompt(`Send ${isBare ? 'your consent' : 'this'} to ${quoteIfNeeded(server)}? ${choice} `);
    if (typed === undefined || isCommand(typed, ':cancel')) return { kind: 'over', action: 'cancel' };
    if (/^\s*y(es)?\s*$/i.test(typed)) return { kind: 'send' };
    if (isBare || /^\s*(no?|:decline)\s*$/i.test(typed)) return { kind: 'over', action: 'decline' };
    const field = /^\s*\d+\s*$/.test(typed) ? fields[Number(typed) - 1] : undefined;
    if (field !== undefined) return { kind: 'change', field };
  }
  return { kind: 'over', action: 'cancel' };
}

function contentOf(answers: ReadonlyMap<Field, Answered>): Readonly<Record<string, unknown>> {
  const given = [...answers].flatMap(([{ name }, answer]) =>
    answer.kind === 'value' ? [[name, answer.value] as const] : [],
  );
  return Object.fromEntries(given);
}

function valueText(defaultValue: unknown): string {
  if (Array.isArray(defaultValue)) return defaultValue.join(', ');
  if (typeof defaultValue === 'boolean') return defaultValue ? 'yes' : 'no';
  return String(defaultValue);
}

function isCommand(typed: string, word: string): boolean {
  return typed.trim().toLowerCase() === word;
}
