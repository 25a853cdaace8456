import { AppError } from '../../../base/errors.ts';
import { escapeInvisible } from '../../../base/text/visible-text.ts';
import { canPrompt } from '../../terminal/confirm.ts';
import type { ProgressLine } from '../../terminal/progress-line.ts';
import type { ServerLog } from './server-log.ts';

/** What a server asks while it works. */
export interface ServerRequestHandler {
  readonly capabilities: Readonly<Record<string, unknown>>;
  /** Whether somebody is just being asked: the time of a call stands still meanwhile. */
  isPrompting(): boolean;
  handle(method: string, params: unknown): Promise<unknown>;
  /** The call is over, and so is every question. */
  close(): void;
}

/** On a terminal questions are put to whoever sits there, one after the other. Elsewhere nobody is asked. */
export function createServerRequestHandler({
  server,
  line,
  notices: log,
  isJson,
}: {
  readonly server: string;
  readonly line: ProgressLine;
  readonly notices: ServerLog;
  readonly isJson: boolean;
}): ServerRequestHandler {
  const isTerminal = !isJson && canPrompt();
  const closed = new AbortController();
  let pendingPrompts = 0;
  let queue: Promise<unknown> = Promise.resolve();
  const prompt = async (params: unknown) => {
    const { answerElicitation } = await import('../../elicitation/answer-elicitation.ts');
    const { openPrompter: openAsker } = await import('../../elicitation/prompter.ts');
    line.pause();
    const prompter = openAsker(closed.signal);
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
        const why = method === 'elicitation/create' ? 'there is no terminal to ask on' : 'it is not offered here';
        log.write(`asked for ${escapeInvisible(method)}, and is refused: ${why}`);
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
