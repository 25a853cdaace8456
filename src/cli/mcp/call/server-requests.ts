import { AppError } from '../../../base/errors.ts';
import { escapeInvisible } from '../../../base/text/visible-text.ts';
import { canPrompt } from '../../terminal/confirm.ts';
import type { ProgressLine } from '../../terminal/progress-line.ts';
import type { ServerLog } from './server-log.ts';

/** Handles the server's requests during a call. */
export interface ServerRequestHandler {
  readonly capabilities: Readonly<Record<string, unknown>>;
  /** Whether a prompt is open: the call's timeout pauses meanwhile. */
  isPrompting(): boolean;
  handle(method: string, params: unknown): Promise<unknown>;
  /** Ends all prompts, because the call has ended. */
  close(): void;
}

/** On a terminal, prompts the person one request at a time. Elsewhere prompts nobody. */
export function createServerRequestHandler({
  server,
  line,
  log,
  isJson,
}: {
  readonly server: string;
  readonly line: ProgressLine;
  readonly log: ServerLog;
  readonly isJson: boolean;
}): ServerRequestHandler {
  const isTerminal = !isJson && canPrompt();
  const closed = new AbortController();
  let pendingPrompts = 0;
  let queue: Promise<unknown> = Promise.resolve();
  const prompt = async (params: unknown) => {
    const { answerElicitation } = await import('../../elicitation/answer-elicitation.ts');
    const { openPrompter } = await import('../../elicitation/prompter.ts');
    line.pause();
    const prompter = openPrompter(closed.signal);
    try {
      return await answerElicitation(server, params, prompter);
    } finally {
      prompter.close();
      line.resume();
    }
  };
  return {
    capabilities: isTerminal ? { elicitation: { form: {}, url: {} } } : {},
    isPrompting: () => pendingPrompts > 0,
    async handle(method, params) {
      if (method !== 'elicitation/create' || !isTerminal) {
        const why = method === 'elicitation/create' ? 'there is no terminal to prompt on' : 'it is not supported here';
        log.write(`requested ${escapeInvisible(method)}, which was refused: ${why}`);
        throw new AppError('METHOD_NOT_FOUND', `${method} is refused: ${why}.`);
      }
      pendingPrompts++;
      const pending = queue.then(() => prompt(params));
      queue = pending.catch(() => {});
      return pending.finally(() => pendingPrompts--);
    },
    close: () => closed.abort(),
  };
}
