import type { PendingQuestion } from '../approvals/approvals.ts';
import type { Session } from '../sessions/session.ts';
import { cutJson, cutMiddleJson } from '../text/truncate.ts';

/** The oldest question is shown in full, as far as that goes; of the others what they are about. */
const MAX_OLDEST_CHARS = 6_000;
const MAX_OTHER_CHARS = 600;
const MAX_QUESTIONS = 10;
const MAX_OPTION_CHARS = 200;
const MAX_OPTIONS = 20;

/** The oldest question under the name that has always been there, and all of them beside it. */
export function questionsOf({ questions }: Session, { isWhole = false }: { readonly isWhole?: boolean } = {}) {
  const [oldest, ...others] = questions;
  if (oldest === undefined) return {};
  if (isWhole) {
    const all = questions.map((question) => toQuestionView(question, Number.POSITIVE_INFINITY));
    return { pendingQuestion: all[0], pendingQuestions: all };
  }
  const first = toQuestionView(oldest, MAX_OLDEST_CHARS);
  const rest = others.slice(0, MAX_QUESTIONS - 1).map((other) => toQuestionView(other, MAX_OTHER_CHARS));
  return { pendingQuestion: first, pendingQuestions: [first, ...rest] };
}

function toQuestionView({ id, question, askedAt, isBeingAsked }: PendingQuestion, maxChars: number) {
  const maxPart = Math.floor(maxChars / Math.max(1, question.parts.length));
  const isCut = question.parts.some(({ question: text }) => cutMiddleJson(text, maxPart) !== text);
  return {
    id,
    type: question.type,
    questions: question.parts.map(({ question: text, options, isOpen, isSecret }) => ({
      question: cutMiddleJson(text, maxPart),
      options: options.slice(0, MAX_OPTIONS).map((option) => cutJson(option, MAX_OPTION_CHARS)),
      ...(isOpen === true ? { isOpen } : {}),
      ...(isSecret === true ? { isSecret } : {}),
    })),
    askedAt: new Date(askedAt).toISOString(),
    // The resource of the session has it whole.
    ...(isCut ? { truncated: true } : {}),
    // Whoever looks at the client's own dialog will most likely answer there.
    ...(isBeingAsked ? { askedByElicitation: true } : {}),
  };
}
