import { AppError } from '../../../base/errors.ts';
import type { ToolContext } from '../../../serve/context.ts';
import type { ServedClient } from '../../../serve/served-client.ts';

interface LocalCall {
  readonly signal: AbortSignal;
  /** Answers an elicitation as an MCP client would. */
  ask(params: Readonly<Record<string, unknown>>, options: { readonly signal: AbortSignal }): Promise<unknown>;
}

/** Creates the context of a tool call whose client is this command, so that the tools run without a connection. */
export function createLocalCall({ signal, ask }: LocalCall): ToolContext {
  const client: ServedClient = {
    info: { name: 'switchboard' },
    canBeAsked: true,
    reach: 'always',
    notify: () => {},
    ask: (params, options) => ask(params, { signal: options.signal ?? signal }),
    left: new AbortController().signal,
  };
  return {
    signal,
    client,
    meta: {},
    requestId: 0,
    progress: () => {},
    log: () => {},
    // The tools elicit through the client, which can always be asked, and send no other requests.
    elicit: needsClient,
    sample: needsClient,
    roots: needsClient,
  };
}

function needsClient(): Promise<never> {
  return Promise.reject(new AppError('CAPABILITY_MISSING', 'This request needs the client of the call.'));
}
