import type { PromptResponder } from '../../serve/prompts/prompt-responder.ts';
import { createPrompts } from '../../serve/prompts/prompts.ts';
import type { Prompt } from '../../serve/protocol.ts';
import { SANDBOX_MODES } from '../item-types.ts';
import type { ServerContext } from '../server-context.ts';
import { delegateText, reviewText, secondOpinionText } from './prompt-texts.ts';

interface CodexPrompt extends Prompt {
  readonly toText: (args: Readonly<Record<string, string>>) => string;
}

/** Provides the prompts that clients show as slash commands. Each tells the calling model how to use the tools. */
export function createCodexPrompts(
  { sessions, operatorLimits, cwd }: ServerContext,
  { hasReviewTool }: { readonly hasReviewTool: boolean },
): PromptResponder {
  const known: readonly CodexPrompt[] = [
    { ...DELEGATE, toText: delegateText },
    { ...SECOND_OPINION, toText: secondOpinionText },
    { ...REVIEW, toText: (args) => reviewText(args, { hasReviewTool }) },
  ];
  const highest = SANDBOX_MODES.indexOf(operatorLimits.maxSandbox);
  const values: Readonly<Record<string, () => readonly string[]>> = {
    folder: () => [...new Set([cwd, ...sessions.registry.all().map(({ opened }) => opened.cwd)])],
    sandbox: () => SANDBOXES.filter((mode) => SANDBOX_MODES.indexOf(mode) <= highest),
  };
  return createPrompts({
    prompts: known.map(({ toText: _, ...prompt }) => prompt),
    get(name, args) {
      const text = known.find((prompt) => prompt.name === name)?.toText(args) ?? '';
      return [{ role: 'user', content: { type: 'text', text } }];
    },
    valuesOf: (_, argument) => (Object.hasOwn(values, argument) ? values[argument] : undefined)?.() ?? [],
  });
}

/** A session without a sandbox is not something to choose from a list. */
const SANDBOXES = ['read-only', 'workspace-write'] as const;

const FOLDER = {
  name: 'folder',
  description: 'The folder that Codex works in. Default: the root of your current project',
};

const DELEGATE: Prompt = {
  name: 'delegate',
  title: 'Delegate a task to Codex',
  description: 'Give Codex a task, relay its questions to you, and check the result',
  arguments: [
    { name: 'task', description: 'What Codex should do', required: true },
    FOLDER,
    { name: 'sandbox', description: 'What Codex may do: read-only or workspace-write. Default: what the task needs' },
  ],
};

const SECOND_OPINION: Prompt = {
  name: 'second-opinion',
  title: 'Ask Codex for a second opinion',
  description: 'Let Codex answer a question independently, and compare its answer with yours',
  arguments: [
    { name: 'question', description: 'The question, plan or decision. Default: the one under discussion' },
    FOLDER,
  ],
};

const REVIEW: Prompt = {
  name: 'review',
  title: 'Let Codex review changes',
  description: 'Let Codex review uncommitted changes, or a branch, and check its findings',
  arguments: [
    { name: 'base', description: 'Review the changes since this branch. Default: the uncommitted changes' },
    { name: 'focus', description: 'What to look at, such as security or error handling. Default: everything' },
    FOLDER,
  ],
};
