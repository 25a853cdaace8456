import type { Server } from '../../serve/server.ts';
import { SANDBOX_MODES } from '../item-types.ts';
import type { ServerContext } from '../server-context.ts';
import { delegateText, reviewText, secondOpinionText } from './prompt-texts.ts';

/** Adds the prompts that clients show as slash commands. Each tells the calling model how to use the tools. */
export function addCodexPrompts(
  server: Server,
  { sessions, operatorLimits, cwd }: ServerContext,
  { hasReviewTool }: { readonly hasReviewTool: boolean },
): void {
  const highest = SANDBOX_MODES.indexOf(operatorLimits.maxSandbox);
  const sandbox = SANDBOXES.filter((mode) => SANDBOX_MODES.indexOf(mode) <= highest);
  const folder = (typed: string) =>
    [...new Set([cwd, ...sessions.registry.all().map(({ opened }) => opened.cwd)])].filter((known) =>
      known.toLowerCase().startsWith(typed.toLowerCase()),
    );
  server.prompt('delegate', { ...DELEGATE, complete: { folder, sandbox } }, delegateText);
  server.prompt('second-opinion', { ...SECOND_OPINION, complete: { folder } }, secondOpinionText);
  server.prompt('review', { ...REVIEW, complete: { folder } }, (args) => reviewText(args, { hasReviewTool }));
}

/** A session without a sandbox is not something to choose from a list. */
const SANDBOXES = ['read-only', 'workspace-write'] as const;

const FOLDER = text('The folder that Codex works in. Default: the root of your current project');

const DELEGATE = {
  title: 'Delegate a task to Codex',
  description: 'Give Codex a task, relay its questions to you, and check the result',
  input: {
    type: 'object',
    properties: {
      task: text('What Codex should do'),
      folder: FOLDER,
      sandbox: text('What Codex may do: read-only or workspace-write. Default: what the task needs'),
    },
    required: ['task'],
  },
};

const SECOND_OPINION = {
  title: 'Ask Codex for a second opinion',
  description: 'Let Codex answer a question independently, and compare its answer with yours',
  input: {
    type: 'object',
    properties: {
      question: text('The question, plan or decision. Default: the one under discussion'),
      folder: FOLDER,
    },
  },
};

const REVIEW = {
  title: 'Let Codex review changes',
  description: 'Let Codex review uncommitted changes, or a branch, and check its findings',
  input: {
    type: 'object',
    properties: {
      base: text('Review the changes since this branch. Default: the uncommitted changes'),
      focus: text('What to look at, such as security or error handling. Default: everything'),
      folder: FOLDER,
    },
  },
};

function text(description: string) {
  return { type: 'string', description };
}
