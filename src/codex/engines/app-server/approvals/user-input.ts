import { neutralise } from '../../../../base/text/safe-text.ts';
import { isObject } from '../../../../wire/messages.ts';
import type { Question, QuestionPart } from '../../../approvals/approval-request.ts';
import { quote } from '../../../text/quoting.ts';
import { badOption, checkCount, findOption, textOf } from './choice.ts';

type Members = Readonly<Record<string, unknown>>;

/** Codex asks the user something, in one or several questions. Answers are taken as they are: a colon belongs to them. */
export function userInput(params: Members): Question {
  const asked = Array.isArray(params['questions']) ? params['questions'].filter(isObject) : [];
  const parts = asked.map(toPart);
  return {
    type: 'user_input',
    turnId: textOf(params['turnId']),
    itemId: textOf(params['itemId']),
    parts,
    details: { questions: asked.map(({ header, options }) => ({ header, options })) },
    refusal: { answers: {} },
    cancellation: { answers: {} },
    decide(answers) {
      checkCount(answers, parts.length);
      const given = answers.map((answer, index) => {
        const { options, isOpen }: Pick<QuestionPart, 'options' | 'isOpen'> = parts[index] ?? {
          options: [],
          isOpen: true,
        };
        const option = isOpen === true ? answer.trim() : findOption(answer.trim(), options);
        if (option === undefined) throw badOption(answer, options);
        const place = options.indexOf(option);
        // Shown without what hides in it, and given back as Codex wrote it.
        const chosen = labelsOf(asked[index] ?? {})[place] ?? answer;
        return [String(asked[index]?.['id'] ?? index), { answers: [chosen] }] as const;
      });
      return { response: { answers: Object.fromEntries(given) }, note: undefined, summary: 'answered' };
    },
  };
}

function labelsOf(question: Members): readonly string[] {
  const options = Array.isArray(question['options']) ? question['options'].filter(isObject) : [];
  return options.map(({ label }) => textOf(label)).filter((label) => label !== undefined);
}

function toPart(question: Members): QuestionPart {
  const options = Array.isArray(question['options']) ? question['options'].filter(isObject) : [];
  const labels = labelsOf(question).map((label) => neutralise(label));
  const asked = textOf(question['question']) ?? textOf(question['header']) ?? '';
  const described = options
    .filter(({ description }) => textOf(description))
    .map((one) => `- ${one['label']}: ${one['description']}`);
  const isOpen = question['isOther'] === true || labels.length === 0;
  return {
    question: `Codex asks:\n${quote([asked, ...described].join('\n'))}`,
    options: labels,
    ...(isOpen ? { isOpen } : {}),
    ...(question['isSecret'] === true ? { isSecret: true } : {}),
  };
}
