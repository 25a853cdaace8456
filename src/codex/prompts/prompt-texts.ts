type Arguments = Readonly<Record<string, string>>;

/** Returns the text of the `delegate` prompt. */
export function delegateText({ task = '', folder, sandbox }: Arguments): string {
  const settings = [
    'prompt: the task, completed as described below',
    workingDirectory(folder),
    sandbox === undefined
      ? 'sandbox: "workspace-write" if the task changes files, else "read-only"'
      : `sandbox: ${JSON.stringify(sandbox)}`,
  ];
  return `Delegate this task to Codex, another coding agent, with the codex_* tools. Do not do it yourself.

${section('Task', task)}

1. Call codex_start once with:
${list(settings)}
   Codex does not see our conversation. Complete the task with what it needs: the goal, the files that matter, the constraints, and how to check the result.
${waitSteps(2)}
4. When the status is done, check the work yourself: read the changes, and run the tests if there are any. If something is missing or wrong, call codex_say with the same sessionId and describe it, then wait again.
5. Tell me what Codex changed, what you checked, what is still open, and the sessionId.`;
}

/** Returns the text of the `second-opinion` prompt. */
export function secondOpinionText({ question, folder }: Arguments): string {
  const asked =
    question === undefined
      ? 'The question is the one that we are discussing. State it in one or two sentences first.'
      : section('Question', question);
  const settings = [
    'prompt: the question with the facts that Codex needs, and a request for an answer with reasons and risks',
    workingDirectory(folder),
    'sandbox: "read-only"',
  ];
  return `Ask Codex, another coding agent, for a second opinion with the codex_* tools.

${asked}

1. Call codex_start once with:
${list(settings)}
   Codex does not see our conversation. Describe the situation and the constraints neutrally, and name the files to read. Leave out your own answer, so that the opinion is independent.
${waitSteps(2)}
4. Compare the answer with your own: where you agree, where you differ, and who is right where you can check it in the code. If the difference matters and stays open, send one follow-up question with codex_say and the same sessionId.
5. Summarize both answers for me, and say what you recommend now. Change no files.`;
}

/** Returns the text of the `review` prompt. Without the `codex_review` tool, an ordinary session does the review. */
export function reviewText(
  { base, focus, folder }: Arguments,
  { hasReviewTool }: { readonly hasReviewTool: boolean },
): string {
  const what = base === undefined ? 'the uncommitted changes' : `the changes since the branch ${JSON.stringify(base)}`;
  const all = `${what}${focus === undefined ? '' : `, with a focus on: ${focus}`}`;
  const call = hasReviewTool ? reviewCall({ base, focus, all }) : sessionCall(all);
  return `Let Codex, another coding agent, review ${all}. Use the codex_* tools.

1. Call ${call.tool} once with:
${list([...call.settings, workingDirectory(folder)])}
${waitSteps(2)}
4. Check each finding in the code before you pass it on. Drop those that are wrong, and say why.
5. List the remaining findings, the most serious first, each with file, line, what can go wrong and how to fix it. Change no files until I ask you to.`;
}

interface ReviewCall {
  readonly tool: string;
  readonly settings: readonly string[];
}

/** Codex's own review takes no focus, except in the instructions of a custom one. */
function reviewCall({
  base,
  focus,
  all,
}: {
  base: string | undefined;
  focus: string | undefined;
  all: string;
}): ReviewCall {
  if (focus !== undefined)
    return {
      tool: 'codex_review',
      settings: ['target: "custom"', `instructions: ${JSON.stringify(`Review ${all}.`)}`],
    };
  if (base !== undefined)
    return { tool: 'codex_review', settings: ['target: "base"', `base: ${JSON.stringify(base)}`] };
  return { tool: 'codex_review', settings: ['target: "uncommitted"'] };
}

function sessionCall(all: string): ReviewCall {
  const prompt = `Review ${all}. Find them with git. Report bugs, regressions and missing tests, the most serious first, each with file and line. Change no files.`;
  return { tool: 'codex_start', settings: [`prompt: ${JSON.stringify(prompt)}`, 'sandbox: "read-only"'] };
}

function workingDirectory(folder: string | undefined): string {
  return `workingDirectory: ${folder === undefined ? 'the root of the current project, as an absolute path' : JSON.stringify(folder)}`;
}

/** How every prompt waits for a session and handles its questions. */
function waitSteps(first: number): string {
  return `${first}. Call codex_wait with that sessionId. While the status is active, call it again. Do not start a second session.
${first + 1}. When the status is awaiting_approval, show me pendingQuestion and let me decide. Pass my answer on with codex_respond (sessionId, pendingQuestion.id, one answer per question), then wait again. Do not approve anything for me. If askedByElicitation is set, I am being asked already: just wait again.`;
}

function section(title: string, text: string): string {
  return `${title}:\n${text}`;
}

function list(lines: readonly string[]): string {
  return lines.map((line) => `   - ${line}`).join('\n');
}
