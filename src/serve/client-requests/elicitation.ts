import { AppError } from '../../base/errors.ts';
import { isObject } from '../../wire/messages.ts';
import { canElicit, cannotElicit } from '../client-capabilities.ts';
import type { CallLink } from '../context.ts';
import type { InputRequestOptions } from '../eras/input-request.ts';
import { type Checked, type Checker, createChecker, type Schema } from '../tools/schema.ts';

/** A request to the user of the client: a message and a form. */
export interface ElicitRequest<Given extends Schema = Schema> {
  readonly message: string;
  /** An object schema with flat members: string, number, boolean or enum. The response is validated against it. */
  readonly schema: Given;
}

export type ElicitResult<Given extends Schema = Schema> =
  | { readonly action: 'accept'; readonly content: Checked<Given> }
  | { readonly action: 'decline' }
  | { readonly action: 'cancel' };

/** How long to wait for a client's answer, and a signal that ends the wait. */
export type ElicitOptions = InputRequestOptions;

export async function elicit<Given extends Schema>(
  link: CallLink,
  { message, schema }: ElicitRequest<Given>,
  options?: ElicitOptions,
): Promise<ElicitResult<Given>> {
  if (!canElicit(link.capabilities)) throw cannotElicit();
  const checker = createChecker(schema, 'input', 'The schema of elicit()');
  const params = { message, requestedSchema: checker.jsonSchema };
  return readAnswer(checker, await link.requestClient('elicitation/create', params, options));
}

/** Fails closed: content that does not match the schema is an error, never an acceptance. */
async function readAnswer<Given extends Schema>(checker: Checker, answer: unknown): Promise<ElicitResult<Given>> {
  const action = isObject(answer) ? answer['action'] : undefined;
  if (action === 'decline' || action === 'cancel') return { action };
  if (action !== 'accept' || !isObject(answer))
    throw new AppError('BAD_ANSWER', 'The client answered the question with an unknown action.');
  const checked = await checker.check(answer['content'] ?? {});
  if (checked.problems !== undefined)
    throw new AppError('BAD_ANSWER', `The answer does not match the form: ${checked.problems.join('; ')}`);
  // The checker has just validated it.
  return { action, content: checked.value as Checked<Given> };
}
