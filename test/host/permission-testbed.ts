import type {
  PermissionAnswer,
  PermissionQuestion,
  PermissionRequest,
} from '../../src/host/permissions/permission-options.ts';

export const call: PermissionRequest = {
  server: 'files',
  kind: 'tool',
  identity: 'files at home',
  tool: 'write',
  definition: '{"name":"write"}',
  arguments: { path: '/tmp/x' },
};

export function testEnvironment() {
  const warnings: string[] = [];
  return { now: () => 1000, warn: (text: string) => void warnings.push(text), warnings };
}

interface Asked {
  readonly question: PermissionQuestion;
  readonly signal: AbortSignal | undefined;
  readonly answer: (answer: PermissionAnswer) => void;
}

/** A user who answers when the test says so. */
export function createPerson() {
  const questions: PermissionQuestion[] = [];
  const waiting: Asked[] = [];
  let wake = () => {};
  return {
    questions,
    confirm: (question: PermissionQuestion, { signal }: { readonly signal: AbortSignal | undefined }) =>
      new Promise<PermissionAnswer>((answer) => {
        questions.push(question);
        waiting.push({ question, signal, answer });
        wake();
      }),
    /** Resolves with the next question. */
    async next(): Promise<Asked> {
      const asked = waiting.shift();
      if (asked !== undefined) return asked;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
      return this.next();
    },
  };
}
