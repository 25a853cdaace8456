import { neutralize } from '../../../../base/text/safe-text.ts';
import { isObject, type JsonObject } from '../../../../wire/messages.ts';
import type { ApprovalQuestion, ApprovalRequest } from '../../../approvals/approval-request.ts';
import { stringOf } from '../../../json-values.ts';
import { quote } from '../../../text/quoting.ts';
import { assertAnswerCount, findOption, invalidAnswer } from './choice.ts';

/** Codex asks the user one or several questions. Answers are not split at a colon: it is part of them. */
export function toUserInputRequest(params: JsonObject): ApprovalRequest {
  const rawQuestions = Array.isArray(params['questions']) ? params['questions'].filter(isObject) : [];
  const questions = rawQuestions.map(toApprovalQuestion);
  return {
    type: 'user_input',
    turnId: stringOf(params['turnId']),
    itemId: stringOf(params['itemId']),
    questions,
    details: { questions: rawQuestions.map(({ header, options }) => ({ header, options })) },
    refusal: { answers: {} },
    cancellation: { answers: {} },
    decide(answers) {
      assertAnswerCount(answers, questions.length);
      const given = answers.map((answer, index) => {
        const { options, isOpen }: Pick<ApprovalQuestion, 'options' | 'isOpen'> = questions[index] ?? {
          options: [],
          isOpen: true,
        };
        const option = isOpen === true ? answer.trim() : findOption(answer.trim(), options);
        if (option === undefined) throw invalidAnswer(answer, options);
        const optionIndex = options.indexOf(option);
        // Options are displayed neutralized, but returned as Codex wrote them.
        const chosen = labelsOf(rawQuestions[index] ?? {})[optionIndex] ?? answer;
        return [String(rawQuestions[index]?.['id'] ?? index), { answers: [chosen] }] as const;
      });
      return {
        response: { answers: Object.fromEntries(given) },
        note: undefined,
        isApproval: true,
        summary: 'answered',
      };
    },
  };
}

function labelsOf(question: JsonObject): readonly string[] {
  const options = Array.isArray(question['options']) ? question['options'].filter(isObject) : [];
  return options.map(({ label }) => stringOf(label)).filter((label) => label !== undefined);
}

function toApprovalQuestion(question: JsonObject): ApprovalQuestion {
  const options = Array.isArray(question['options']) ? question['options'].filter(isObject) : [];
  const labels = labelsOf(question).map((label) => neutralize(label));
  const text = stringOf(question['question']) ?? stringOf(question['header']) ?? '';
  const described = options
    .filter(({ description }) => stringOf(description))
    .map((one) => `- ${one['label']}: ${one['description']}`);
  const isOpen = question['isOther'] === true || labels.length === 0;
  return {
    question: `Codex asks:\n${quote([text, ...described].join('\n'))}`,
    options: labels,
    ...(isOpen ? { isOpen } : {}),
    ...(question['isSecret'] === true ? { isSecret: true } : {}),
  };
}
