import { AppError, isAppError } from '../base/errors.ts';
import type { JsonObject } from '../wire/messages.ts';
import { complete } from './completion/complete.ts';
import type { CallLink } from './context.ts';
import { getPrompt, listPrompts } from './prompts/prompt-requests.ts';
import { listResources, listTemplates, readResource } from './resources/resource-requests.ts';
import type { Server } from './server.ts';
import { reportHandlerError } from './tools/handler-error.ts';

/**
 * Answers a request about prompts, resources or completion. The client gets the message of an error that a handler
 * throws; the server's author gets the stack.
 */
export async function answerFeatureRequest(server: Server, link: CallLink): Promise<JsonObject> {
  const { method } = link.request;
  const answer = Object.hasOwn(ANSWERS, method) ? ANSWERS[method] : undefined;
  if (answer === undefined) throw new AppError('METHOD_NOT_FOUND', `Method not found: ${method}`);
  try {
    return await answer(server, link);
  } catch (error) {
    if (!isAppError(error)) reportHandlerError(server, error, method);
    throw error;
  }
}

type Answer = (server: Server, link: CallLink) => JsonObject | Promise<JsonObject>;

const ANSWERS: Readonly<Record<string, Answer>> = {
  'prompts/list': listPrompts,
  'prompts/get': getPrompt,
  'resources/list': listResources,
  'resources/templates/list': listTemplates,
  'resources/read': readResource,
  'completion/complete': complete,
};
