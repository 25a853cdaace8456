import { AppError } from '../base/errors.ts';
import { isObject } from '../wire/messages.ts';
import type { InputRequestOptions } from './eras/input-request.ts';
import type { JsonSchema } from './protocol.ts';
import { type Checked, createChecker, type Schema } from './tools/schema.ts';

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

export type ElicitOptions = InputRequestOptions;

/** How long the user may take to answer, unless the tool overrides it. */
export const ELICIT_TIMEOUT_MS = 5 * 60_000;

export interface Elicitation<Given extends Schema> {
  readonly params: { readonly message: string; readonly requestedSchema: JsonSchema };
  /**
   * Reads the client's response. Fails closed: content that does not match the schema is an error, never an acceptance.
   */
  read(answer: unknown): Promise<ElicitResult<Given>>;
}

export function createElicitation<Given extends Schema>(request: ElicitRequest<Given>): Elicitation<Given> {
  const checker = createChecker(request.schema, 'input', 'The schema of elicit()');
  return {
    params: { message: request.message, requestedSchema: checker.jsonSchema },
    async read(answer) {
      const action = isObject(answer) ? answer['action'] : undefined;
      if (action === 'decline' || action === 'cancel') return { action };
      if (action !== 'accept' || !isObject(answer))
        throw new AppError('BAD_ANSWER', 'The client answered the question with an unknown action.');
      const checked = await checker.check(answer['content'] ?? {});
      if (checked.problems !== undefined)
        throw new AppError('BAD_ANSWER', `The answer does not match the form: ${checked.problems.join('; ')}`);
      // The checker has just validated it.
      return { action, content: checked.value as Checked<Given> };
    },
  };
}

/** Returns whether the client supports form elicitation. Declaring elicitation without a mode means forms. */
export function canElicit(capabilities: unknown): boolean {
  const elicitation = isObject(capabilities) ? capabilities['elicitation'] : undefined;
  return isObject(elicitation) && (isObject(elicitation['form']) || elicitation['url'] === undefined);
}

export function cannotElicit(): AppError {
  return new AppError(
    'CAPABILITY_MISSING',
    'The tool must prompt the user, but the client did not declare elicitation.',
    {
      data: { requiredCapabilities: { elicitation: {} } },
    },
  );
}
