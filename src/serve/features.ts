import type { JsonObject } from '../wire/messages.ts';
import type { CallLink } from './context.ts';
import type { Server } from './server.ts';

/** Returns whether a request is about prompts, resources or completion, and the server has them. */
export function isFeatureRequest({ prompts, resources }: Server, method: string): boolean {
  if (method.startsWith('prompts/')) return prompts !== undefined;
  if (method.startsWith('resources/')) return resources !== undefined;
  return method === 'completion/complete' && (prompts ?? resources) !== undefined;
}

/** Answers a request about prompts, resources or completion. Their code is loaded at the first one. */
export async function answerFeature(server: Server, link: CallLink): Promise<JsonObject> {
  const { answerFeatureRequest } = await import('./feature-requests.ts');
  return answerFeatureRequest(server, link);
}
