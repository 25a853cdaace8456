import { AppError } from '../../../base/errors.ts';
import { visible } from '../../../base/text/visible-text.ts';
import { canAsk } from '../../terminal/confirm.ts';
import type { ProgressLine } from '../../terminal/progress-line.ts';
import type { Notices } from './server-log.ts';

/** What a server asks while it works. */
export interface Questions {
  readonly capabilities: Readonly<Record<string, unknown>>;
  /** Whether somebody is just being asked: the time of a call stands still meanwhile. */
  isAsking(): boolean;
  answer(method: string, params: unknown): Promise<unknown>;
  /** The call is over, and so is every question. */
  close(): void;
}

/** On a terminal questions are put to whoever sits there, one after the other. Elsewhere nobody is asked. */
export function createQuestions({
  server,
  line,
  notices,
  isJson,
}: {
  readonly server: string;
  readonly line: ProgressLine;
  readonly notices: Notices;
  readonly isJson: boolean;
}): Questions {
  const isTerminal = !isJson && canAsk();
  const over = new AbortController();
  let asking = 0;
  let turn: Promise<unknown> = Promise.resolve();
  const ask = async (params: unknown) => {
    const { answerElicitation } = await import('../../elicitation/answer-elicitation.ts');
    const { openAsker } = await import('../../elicitation/prompter.ts');
    line.pause();
    const asker = openAsker(over.signal);
    try {
      return await answerElicitation(server, params, asker);
    } finally {
      asker.close();
      line.resume();
    }
  };
  return {
    capabilities: isTerminal ? { elicitation: { form: {}, url: {} } } : {},
    isAsking: () => asking > 0,
    async answer(method, params) {
      if (method !== 'elicitation/create' || !isTerminal) {
        const why = method === 'elicitation/create' ? 'there is no terminal to ask on' : 'it is not offered here';
        notices.say(`asked for ${visible(method)}, and is refused: ${why}`);
        throw new AppError('METHOD_NOT_FOUND', `${method} is refused: ${why}.`);
      }
      asking++;
      const mine = turn.then(() => ask(params));
      turn = mine.catch(() => {});
      return mine.finally(() => asking--);
    },
    close: () => over.abort(),
  };
}
